/* dltf hash: the group of commands for binary codes. */
#include "cli/command.h"

#define ADDRESS(name) &command_##name,
static const command *const commands[] = {HASH_COMMANDS(ADDRESS) NULL};
#undef ADDRESS

const command command_hash = {
    .name = "hash",
    .summary = "make and search binary codes",
    .details = "Binary codes are rows of packed bits in a .npy array of bytes, as numpy.packbits makes them. "
               "Their distance "
               "is the number of bits that differ.",
    .examples = {"dltf hash search database.npy queries.npy -k 10", NULL},
    .subcommands = commands,
    .run = command_run_group,
};
