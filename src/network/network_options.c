/* The options of training a network. */
#include "network/networks.h"

#include <string.h>

#define CHOICE(NAME, name, help) "|" #name
#define CHOICES(ROWS) &(ROWS(CHOICE))[1] /* without the first '|' */
#define HELP(NAME, name, help) ", " help " (" #name ")"
#define FIELD(field) .offset = offsetof(dl_network_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "loss", .kind = DL_OPTION_CHOICE, FIELD(loss), .default_text = "softmax", .choices = CHOICES(DL_LOSSES), .argument = "LOSS", .help = "what training minimises" DL_LOSSES(HELP)},
    {.name = "optimiser", .kind = DL_OPTION_CHOICE, FIELD(optimiser), .default_text = "nesterov", .choices = CHOICES(DL_OPTIMISERS), .argument = "RULE", .help = "how weights follow their gradient" DL_OPTIMISERS(HELP)},
    {.name = "rate", .kind = DL_OPTION_REAL, FIELD(rate), .default_text = "0.1", .max = 1e6, .argument = "R", .help = "learning rate at the start; 0.001 is a good choice for adam"},
    {.name = "momentum", .kind = DL_OPTION_REAL, FIELD(momentum), .default_text = "0.9", .max = 0.9999, .argument = "M", .help = "share of the last step in the next; of adam: decay of the average gradient"},
    {.name = "schedule", .kind = DL_OPTION_CHOICE, FIELD(schedule), .default_text = "linear", .choices = CHOICES(DL_SCHEDULES), .argument = "HOW", .help = "learning rate over time" DL_SCHEDULES(HELP)},
    {.name = "step-epochs", .kind = DL_OPTION_REAL, FIELD(step_epochs), .default_text = "10", .min = 1e-6, .max = 1e9, .argument = "E", .help = "schedule step: epochs between two reductions"},
    {.name = "epochs", .kind = DL_OPTION_INTEGER, FIELD(epochs), .default_text = "20", .max = DL_OPTION_MAX_COUNT, .argument = "E", .help = "passes over the samples"},
    {.name = "batch", .kind = DL_OPTION_INTEGER, FIELD(batch), .default_text = "128", .min = 1, .max = 1e6, .argument = "B", .help = "samples per step"},
    {.name = "dropout", .kind = DL_OPTION_REAL, FIELD(dropout), .default_text = "0", .max = 0.99, .argument = "P", .help = "share of the outputs of hidden layers that is set to zero in training"},
    {.name = "input-dropout", .kind = DL_OPTION_REAL, FIELD(input_dropout), .default_text = "0", .max = 0.99, .argument = "P", .help = "share of the inputs that is set to zero in training"},
    {.name = "max-norm", .kind = DL_OPTION_REAL, FIELD(max_norm), .default_text = "0", .max = 1e30, .argument = "C", .help = "largest norm of the weights of a unit; larger ones are scaled down after each step; 0: no limit"},
    {.name = "decay", .kind = DL_OPTION_REAL, FIELD(decay), .default_text = "0", .max = 1e6, .argument = "D", .help = "weight decay: D/2 times the sum of the squared weights, without biases, is added to the loss"},
    {.name = "average", .kind = DL_OPTION_REAL, FIELD(average), .default_text = "0", .max = 0.999999, .argument = "A", .help = "result: running average of the weights, multiplied by A in each step; 0: the last weights"},
    {.name = "adversarial", .kind = DL_OPTION_REAL, FIELD(adversarial), .default_text = "0", .max = 1e30, .argument = "EPS", .help = "train on each sample moved by the distance EPS in the direction in which its loss grows fastest; 0: on the samples themselves"},
    {.name = "held-out", .kind = DL_OPTION_REAL, FIELD(held_out), .default_text = "0", .max = 0.9, .argument = "P", .help = "share of the samples, chosen at random, that is not trained on; the error on them is measured after every epoch"},
    DL_SEED_OPTION(dl_network_options, seed, "seed of all random choices"),
    DL_THREADS_OPTION(dl_network_options, threads),
};
/* clang-format on */

dl_option_table dl_network_option_table(void) {
    return (dl_option_table)DL_OPTION_TABLE(options, dl_network_options);
}

dl_network_options dl_network_options_default(void) {
    dl_network_options options;
    memset(&options, 0, sizeof options);
    dl_option_defaults(dl_network_option_table(), &options);
    return options;
}
