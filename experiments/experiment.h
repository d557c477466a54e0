/* The common driver of all experiments: selects methods, settings and seeds, computes mean and standard
 * deviation, and builds rows with flat keys. An experiment only measures one cell at a time. */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "program/program.h"

#include <jansson.h>

enum { EXPERIMENT_MAX_METRICS = 8 };

/* The user's request. */
typedef struct experiment_request {
    const char *methods;  /* names separated by commas; NULL or empty: all */
    const char *settings; /* key=value, separated by commas; NULL or empty: all */
    const char *datasets; /* names or their beginnings, separated by commas; NULL or empty: all */
    int64_t seeds, first_seed, threads;
    bool quick;        /* reduced size, for a first look */
    bool plan;         /* list rows without measuring */
    bool validation;   /* measure on validation data in place of test data, to choose constants */
    const char *trial; /* NAME=VALUE, separated by commas, in place of constants; only with `validation` */
    const char *keep;  /* folder of finished cells, which are not measured again; NULL: none */
    int64_t jobs;      /* cells measured at a time, each in its own process */
    const char *data;  /* folder of data sets and images; NULL: none */
    dltf_progress_fn progress;
    void *context;
} experiment_request;

/* One measurement: a method in a setting with a seed. */
typedef struct experiment_cell {
    const experiment_request *request;
    const char *method;
    int setting;
    int64_t seed;
    dltf_progress_fn progress; /* pass to long calls; contributes to the overall progress */
    void *context;
} experiment_cell;

/* The paper's values of the first metric for a method, by setting; 0 if none. */
typedef struct experiment_paper {
    const char *method; /* NULL ends a list */
    int count;
    const double *values;
} experiment_paper;

typedef struct experiment {
    const char *name;
    const char *summary;        /* one line, no full stop */
    const char *details;        /* additional sentences for the help; NULL if none */
    const char *const *methods; /* NULL-terminated, in the order of the rows */
    const char *method_key;     /* another key for the method in rows; NULL: only `method` */
    const char *baseline;       /* rows have the difference of the first metric to this method; NULL: none */
    const char *const *metrics; /* NULL-terminated keys; `sd` belongs to the first */
    bool larger_is_better;      /* of the first metric */
    int settings;               /* number of settings */
    bool (*in_quick)(int setting); /* whether --quick includes a setting; NULL: all */
    /* Adds the keys and values that identify a setting in its rows. */
    void (*describe)(bool quick, int setting, json_t *row);
    /* Adds what is common to all rows. */
    void (*protocol)(bool quick, json_t *protocol);
    const experiment_paper *paper; /* NULL if the paper gives no such values */
    bool paper_if_quick;           /* --quick only omits settings, so the paper's values still apply */
    /* Fills values[i] for every metric; NaN if the method lacks it. */
    dltf_status (*measure)(const experiment_cell *cell, double *values);
    /* Checks request->trial; NULL: there is no validation data. */
    dltf_status (*check_trial)(const char *trial);
    /* Whether a method has a setting, given the available data; NULL: always. */
    bool (*applies)(const experiment_request *request, const char *method, int setting);
    /* A message about missing data and where to get it, or NULL. The function may be NULL. */
    const char *(*notice)(const experiment_request *request);
    /* Draws the figure of the rows into a folder; NULL if there is none. */
    dltf_status (*figure)(const experiment_request *request, const json_t *rows, const char *folder);
} experiment;

/* All experiments, in the order of the help. ROW(name) refers to `const experiment experiment_name`, defined
 * in its own file; a new experiment needs that file and a row here. */
#define EXPERIMENTS(ROW)                                                                                     \
    ROW(table1)                                                                                              \
    ROW(figure1)                                                                                             \
    ROW(timing)                                                                                              \
    ROW(table2)                                                                                              \
    ROW(table3)                                                                                              \
    ROW(table4)                                                                                              \
    ROW(table5)                                                                                              \
    ROW(table6)                                                                                              \
    ROW(certificates)                                                                                        \
    ROW(incoherence)                                                                                         \
    ROW(encoders)                                                                                            \
    ROW(images)                                                                                              \
    ROW(learners)

#define DECLARE(name) extern const experiment experiment_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

/* NULL-terminated. */
extern const experiment *const experiment_list[];

const experiment *experiment_find(const char *name);

/* {"experiment": name, "protocol": {...}, "rows": [...]}; null in a row means no value, as the sd of one
 * seed. */
dltf_status experiment_run(const experiment *self, const experiment_request *request, json_t **result);

#endif
