/* dltf classify: the group of commands for classifiers. */
#include "cli/command.h"

#define ADDRESS(name) &command_##name,
static const command *const commands[] = {CLASSIFY_COMMANDS(ADDRESS) NULL};
#undef ADDRESS

const command command_classify = {
    .name = "classify",
    .summary = "train and use networks that classify samples",
    .details =
        "A classifier is a network with one output per class. Its file has the labels of the classes and the "
        "factor that its inputs are scaled by, so that only 'train' needs options.",
    .examples = {"dltf classify train X.npy --labels labels.npy -o classifier.safetensors",
                 "dltf classify evaluate classifier.safetensors Xtest.npy --labels labels-test.npy", NULL},
    .subcommands = commands,
    .run = command_run_group,
};
