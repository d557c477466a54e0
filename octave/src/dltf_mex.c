/* dltf_mex ("COMMAND", arguments...): the only MEX function of the package. Functions in inst/ call it. */
#include "gateway.h"

#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int arguments;
    gw_command *run;
} commands[] = {
    {"train", 3, gw_train},
    {"encode", 3, gw_encode},
    {"decode", 2, gw_decode},
    {"measure", 3, gw_measure},
    {"dictionary", 1, gw_dictionary},
    {"certify", 5, gw_certify},
    {"synthetic", 1, gw_synthetic},
    {"match", 4, gw_match},
    {"kmeans", 3, gw_kmeans},
    {"denoise", 3, gw_denoise},
    {"hash_train", 2, gw_hash_train},
    {"hash_encode", 3, gw_hash_encode},
    {"hash_search", 3, gw_hash_search},
    {"batch_omp", 5, gw_batch_omp},
    {"model_load", 1, gw_model_load},
    {"model_save", 2, gw_model_save},
    {"hasher_load", 1, gw_hasher_load},
    {"hasher_save", 2, gw_hasher_save},
    {"codes_load", 1, gw_codes_load},
    {"codes_save", 2, gw_codes_save},
    {"matrix_load", 1, gw_matrix_load},
    {"matrix_save", 2, gw_matrix_save},
    {"options", 1, gw_describe_options},
    {"version", 0, gw_version},
};

void mexFunction(int outputs, mxArray *out[], int inputs, const mxArray *in[]) {
    gw_release(); /* of a call that Octave itself ended */
    gw_show_progress(isatty(STDERR_FILENO) == 1);
    char name[32] = "";
    if (inputs < 1 || mxGetString(in[0], name, sizeof name) != 0)
        gw_fail("argument", "dltf_mex: the first argument is the name of a command");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0) {
            if (inputs - 1 != commands[i].arguments)
                gw_fail("argument", "dltf_mex: %s takes %d arguments, not %d", name, commands[i].arguments,
                        inputs - 1);
            commands[i].run(outputs, out, in + 1);
            gw_release();
            return;
        }
    gw_fail("argument", "dltf_mex: unknown command %s", name);
}
