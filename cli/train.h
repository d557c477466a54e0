/* dltf train: what its two forms share, training on files and training on standard input. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "cli/arguments.h"
#include "report/facts.h"

#include <jansson.h>

typedef struct train_flags {
    const char *output, *init, *resume, *history;
    int64_t raw_columns;
    double checkpoint_every;
    bool from_start;
    enum { SELECT_ABS, SELECT_POSITIVE } select;
    enum { FOR_ANY, FOR_THRESHOLD, FOR_OMP } purpose;
} train_flags;

/* A checkpoint stores all training options: rejects others beside --resume. Returns an exit code. */
int train_check_resume(const arguments *args, const train_flags *flags);

/* Sets options->select, and options->init unless --init names a file, which is then checked and loaded. */
int train_start(const arguments *args, const train_flags *flags, dltf_train_options *options,
                dltf_model **start);

/* Learns from standard input, in one pass. Returns an exit code. */
int train_stream(const arguments *args, const train_flags *flags, const dltf_train_options *options);

/* A training that has ended. */
typedef struct train_result {
    const dltf_learner *learner;
    const dltf_model *model; /* NULL if ranks share the atoms */
    dltf_train_options options;
    dltf_matrix data;
    const char *data_path, *output; /* the first file; the model */
    dltf_outcome outcome;
    double seconds;
} train_result;

/* Measures the model and prints everything about it. Ranks that share the atoms measure together, and rank 0
 * prints. Returns an exit code. */
int train_report(const train_result *result);

/* Reports whether option center = auto subtracted the mean; `choice`: the sentence that says so, NULL or
 * empty if it was not considered. */
void train_report_center(facts *f, const char *choice);

/* Prints warnings about a finished training on `samples` samples, and returns them as a JSON array.
 * `measured`: the samples of `quality`, such as "2,000 held-out samples". */
json_t *train_warnings(const dltf_train_options *options, int64_t samples, dltf_outcome outcome,
                       const dltf_quality *quality, const char *measured);

/* Fails, with a message, if the error of the model exceeds that of all-zero codes. Returns an exit code. */
int train_verdict(const dltf_train_options *options, const dltf_quality *quality);

/* "200 minibatch steps, 5 polish iterations, 1 encoder fit": all stages but gradient. */
void train_count_iterations(const dltf_iteration *history, int64_t count, char *text, size_t size);

/* The largest resident size so far, in bytes; 0 if unknown. */
int64_t train_peak_memory(void);

#endif
