/* dltf report: a page about a model and what it does on data. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/arguments.h"
#include "cli/names.h"
#include "cli/picture.h"
#include "report/facts.h"
#include "report/page.h"

typedef struct report_flags {
    dltf_top_options keep; /* how many samples of each atom */
    const char *output, *names, *labels, *shape, *history;
    int64_t atoms, samples; /* to show; atoms = 0: as many as the page has room for */
    bool raw;
} report_flags;

/* How atoms and samples are drawn. */
typedef enum report_kind { REPORT_LINES, REPORT_PICTURES, REPORT_WORDS } report_kind;

/* Labels as classes: numbers from 0, in ascending order of the labels. */
typedef struct report_classes {
    int64_t count, samples;
    int64_t *labels; /* of each class */
    int32_t *of;     /* class of each sample */
} report_classes;

typedef struct report_job {
    arguments args;
    report_flags flags;
    dltf_encode_options encoding;
    dltf_model *model;
    dltf_model_view view;
    dltf_reader *reader; /* NULL without data, as are the next */
    dltf_array *array;   /* for the samples to show */
    dltf_matrix X;
    names names; /* of columns if kind is REPORT_WORDS, otherwise of samples */
    report_classes classes;
    report_kind kind;
    picture_shape shape;
    dl_study study;
    float *coherence;    /* m: largest cosine with another atom */
    int32_t *order;      /* m: the atoms, most used first */
    bool *shown;         /* m */
    int64_t shown_count; /* the first of `order` */
    page page;
    double seconds;
} report_job;

/* ---- Parts of the page. Return an exit code ---- */

int report_overview(report_job *job);
int report_atoms(report_job *job); /* the grid */
int report_samples(report_job *job);
int report_articles(report_job *job); /* the atoms, each opened */

/* ---- What the parts share ---- */

enum { REPORT_BYTES = 8 << 20, REPORT_CODE_ENTRIES = 12, REPORT_LINKS = 8 };

/* Sets which atoms are shown. */
void report_choose_atoms(report_job *job);

/* The sum of the uses of all atoms; their copy, allocated: NULL if out of memory. */
int64_t *report_uses(const report_job *job);

/* A vector of n entries as a picture from `low` (black) to `high` (white), or as a line. `kind`: its class.
 */
void report_tile(report_job *job, const float *values, float low, float high, const char *kind,
                 const char *alternative);
/* An atom or encoder row: zero is gray. */
void report_atom_tile(report_job *job, const float *values, const char *kind, const char *alternative);
/* A sample, from its smallest to its largest value. */
void report_sample_tile(report_job *job, const float *values, const char *kind, const char *alternative);
/* The columns with the largest entries of an atom, by name. */
void report_words(report_job *job, int64_t atom);

/* The name, label and number of a sample. */
void report_sample_name(report_job *job, int64_t row);
/* A link to an atom if the page shows it. */
void report_atom_link(report_job *job, int64_t atom);
/* A bar of this share of the width. */
void report_bar(page *p, double share, bool negative);

#endif
