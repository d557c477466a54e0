/* The training of a classifier by `dltf classify train`: its request, files and objects. */
#ifndef CLI_CLASSIFIER_H
#define CLI_CLASSIFIER_H

#include "cli/arguments.h"
#include "cli/checkpoints.h"
#include "cli/lists.h"
#include "cli/networks.h"

typedef struct classifier_flags {
    const char *labels, *output, *init, *hidden, *keep, *validation, *validation_labels, *resume, *history;
    double scale, checkpoint_every;
} classifier_flags;

/* State of one run of the command. */
typedef struct classifier {
    arguments args;
    classifier_flags flags;
    dl_network_options options;
    const char *data_path;
    char *output, *checkpoint;
    list_of_integers hidden, keep;

    dltf_array *data, *validation;
    dltf_labels *labels, *validation_labels;
    int64_t *classes; /* the distinct labels */
    int64_t class_count;
    int32_t *numbers, *validation_numbers; /* labels as numbers of classes */

    dl_network *start; /* of --init */
    dl_training *training;
    dl_reservation *space; /* on disk, for the network */
    checkpoints checkpoints;
    double seconds;
} classifier;

/* Checks the request, loads all files and creates or resumes the training. `table`: of `options`. Returns an
 * exit code. */
int classifier_prepare(classifier *c, dl_option_table table);

void classifier_free(classifier *c);

#endif
