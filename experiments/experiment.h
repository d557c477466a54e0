/* The common frame of all experiments: which methods, settings and seeds, mean and standard deviation, and
 * rows with flat keys. An experiment measures one cell at a time; the frame does the rest. */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "dltf.h"

#include <jansson.h>

enum { EXPERIMENT_MOST_METRICS = 8 };

/* What the user asks for. */
typedef struct experiment_request {
    const char *methods;  /* names separated by commas; NULL or empty: all */
    const char *settings; /* key=value, separated by commas; NULL or empty: all */
    int64_t seeds, first_seed, threads;
    bool quick;       /* smaller, for a first look */
    bool plan;        /* rows without measurements */
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

/* The paper's values of the first metric for a method, by setting; 0: none. */
typedef struct experiment_paper {
    const char *method; /* NULL ends a list */
    int count;
    const double *values;
} experiment_paper;

typedef struct experiment {
    const char *name;
    const char *summary;           /* one line, no full stop */
    const char *details;           /* more sentences for the help; NULL: none */
    const char *const *methods;    /* all there are, NULL-terminated, in the order of the rows */
    const char *const *metrics;    /* NULL-terminated keys; `sd` is that of the first */
    int settings;                  /* how many there are */
    bool (*in_quick)(int setting); /* whether --quick has a setting; NULL: all */
    /* The keys and values that tell a setting from others in its rows. */
    void (*describe)(bool quick, int setting, json_t *row);
    /* What is the same for all rows. */
    void (*protocol)(bool quick, json_t *protocol);
    const experiment_paper *paper; /* NULL: the paper has nothing of this kind */
    bool paper_if_quick;           /* --quick leaves settings out and changes nothing else */
    /* Fills values[i] for every metric; NaN for one that this method does not have. */
    dltf_status (*measure)(const experiment_cell *cell, double *values);
    /* Whether a method has a setting, with the data at hand; NULL: all have all. */
    bool (*applies)(const experiment_request *request, const char *method, int setting);
    /* A sentence on data that are missing and where they are to be had, NULL if nothing is; NULL: never. */
    const char *(*notice)(const experiment_request *request);
    /* Draws the figure that belongs to the rows into a folder; NULL: there is none. */
    dltf_status (*figure)(const experiment_request *request, const json_t *rows, const char *folder);
} experiment;

/* All of them, in the order of the help. ROW(name) stands for a `const experiment experiment_name` in a file
 * of its own; a new one needs that file and a row here. */
#define EXPERIMENTS(ROW)                                                                                     \
    ROW(table1)                                                                                              \
    ROW(figure1)                                                                                             \
    ROW(timing)                                                                                              \
    ROW(table4)                                                                                              \
    ROW(certificates)                                                                                        \
    ROW(encoders)                                                                                            \
    ROW(images)                                                                                              \
    ROW(learners)

#define DECLARE(name) extern const experiment experiment_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

/* NULL-terminated. */
extern const experiment *const experiment_list[];

const experiment *experiment_find(const char *name);

/* {"experiment": name, "protocol": {...}, "rows": [...]}; null in a row: no value, as the sd of one seed. */
dltf_status experiment_run(const experiment *self, const experiment_request *request, json_t **result);

#endif
