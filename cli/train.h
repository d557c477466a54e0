/* dltf train: what its two forms share, training on files and training on standard input. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "cli/arguments.h"

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
int train_start(const train_flags *flags, dltf_train_options *options, dltf_model **start);

/* Learns from standard input, in one pass. Returns an exit code. */
int train_stream(const arguments *args, const train_flags *flags, const dltf_train_options *options);

/* Prints what is doubtful about a finished training on so many samples; the same as an array of texts. */
json_t *train_warnings(const dltf_train_options *options, int64_t samples, dltf_outcome outcome,
                       const dltf_quality *quality);

/* An exit code: a failure, with a message, if codes of zeros would reconstruct held-out samples better. */
int train_verdict(const dltf_train_options *options, const dltf_quality *quality);

/* The largest resident size so far, in bytes; 0 if unknown. */
int64_t train_peak_memory(void);

#endif
