/* The common frame of all experiments: which methods, settings and seeds, mean and standard deviation, and
 * rows with flat keys. An experiment measures one cell at a time; the frame does the rest. */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "dltf.h"

#include <jansson.h>

enum { EXPERIMENT_MOST_METRICS = 8 };

/* What the user asks for. */
typedef struct experiment_request {
    const char *methods; /* names separated by commas; NULL or empty: all */
    int64_t seeds, first_seed, threads;
    bool quick;       /* smaller, for a first look */
    const char *data; /* folder of data sets and images; NULL: none */
    dltf_progress_fn progress;
    void *context;
} experiment_request;

/* One measurement: a method in a setting with a seed. */
typedef struct experiment_cell {
    const experiment_request *request;
    const char *method;
    int setting;
    int64_t seed;
    dltf_progress_fn progress; /* to be given to long calls; shows up in the progress of the whole */
    void *context;
} experiment_cell;

typedef struct experiment {
    const char *name;
    const char *summary;
    const char *const *methods; /* all there are, NULL-terminated, in the order of the rows */
    const char *const *metrics; /* NULL-terminated keys; `sd` is that of the first */
    /* How many settings there are, and the key and value that tell one from another in its rows. */
    int (*settings)(bool quick);
    void (*describe)(bool quick, int setting, json_t *row);
    /* What is the same for all rows. */
    void (*protocol)(bool quick, json_t *protocol);
    /* The paper's value of the first metric; NaN where it has none. NULL: nowhere. */
    double (*paper)(const char *method, bool quick, int setting);
    /* Fills values[i] for every metric; NaN for one that this method does not have. */
    dltf_status (*measure)(const experiment_cell *cell, double *values);
    /* Whether a method has a setting, with the data at hand; NULL: all have all. */
    bool (*applies)(const experiment_request *request, const char *method, int setting);
    /* A sentence on data that are missing and where they are to be had, NULL if nothing is; NULL: never. */
    const char *(*notice)(const experiment_request *request);
    /* Draws the figure that belongs to the rows into a folder; NULL: there is none. */
    dltf_status (*figure)(const experiment_request *request, const json_t *rows, const char *folder);
} experiment;

/* All of them, NULL-terminated. */
extern const experiment *const experiment_list[];
extern const experiment experiment_table1, experiment_figure1, experiment_timing, experiment_table4,
    experiment_certificates, experiment_encoders, experiment_images;

const experiment *experiment_find(const char *name);

/* The first name in request->methods that the experiment does not have, copied; false if there is none. */
bool experiment_unknown_method(const experiment *self, const char *methods, char *name, size_t size);

/* {"experiment": name, "protocol": {...}, "rows": [...]}; null in a row: no value, as the sd of one seed. */
dltf_status experiment_run(const experiment *self, const experiment_request *request, json_t **result);

#endif
