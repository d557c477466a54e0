/* What `dltf top` found, and the forms in which it is written. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include "cli/arguments.h"
#include "cli/names.h"
#include "report/facts.h"

typedef struct top_flags {
    dltf_top_options keep; /* how many samples */
    const char *atoms, *names, *picture, *shape, *output;
    int64_t most_used;
    bool raw;
} top_flags;

typedef struct top_job {
    arguments args;
    top_flags flags;
    dltf_encode_options encoding;
    dltf_model *model;
    dltf_reader *data;
    dltf_top *found;
    names names;
    bool words;      /* the names are those of columns, not of samples */
    int32_t *listed; /* atoms to show */
    int64_t listed_count;
    double seconds;
} top_job;

enum { TOP_CORRELATED = 5, TOP_WORDS = 10 };

typedef struct top_correlated {
    int32_t atoms[TOP_CORRELATED];
    double pearson[TOP_CORRELATED];
    int64_t count;
} top_correlated;

/* The atoms that correlate most with an atom; none, and the command fails, if memory runs out. */
top_correlated top_find_correlated(const top_job *job, int64_t atom);

/* The columns where an atom is largest in magnitude, at most `most`; returns their number. */
int64_t top_columns(const top_job *job, int64_t atom, int64_t most, int64_t *columns);

/* The name of a sample, or NULL. */
const char *top_sample_name(const top_job *job, int64_t row);

/* The listed atoms as lines, as JSON, and as JSON in the layout of Neuronpedia. */
void top_report(const top_job *job, facts *f);
json_t *top_atoms_json(const top_job *job);
json_t *top_features_json(const top_job *job);

/* Draws the listed atoms side by side, and below each its top samples. Returns an exit code. */
int top_draw(const top_job *job);

#endif
