/* Successive halving: many settings are tried on few samples, the better ones on more. A budget of CPU time
 * limits which trials are begun, and ends one that takes longer than expected. */
#ifndef DL_SUGGEST_HALVING_H
#define DL_SUGGEST_HALVING_H

#include "suggest/sizes.h"
#include "suggest/trial.h"

enum { DL_HALVING_ROUNDS = 4, DL_HALVING_MOST_ATOMS_FOR_BEST = 512 };
/* Of all sizes, with three kinds of preprocessing and two of selection. */
enum { DL_HALVING_SETTINGS = 3 * 2 * DL_MOST_SIZES * DL_MOST_SIZES };

typedef struct dl_halving {
    /* set by the caller */
    dl_trial_data data;
    dl_sizes m, k;
    bool abs, positive; /* selections to try */
    bool unit_norm;
    double seconds; /* the budget: CPU time of the process, from `begin` on */
    dltf_progress_fn progress;
    void *context;

    /* results */
    dl_trial trials[2 * DL_HALVING_SETTINGS];
    int count;
    int first[DL_HALVING_ROUNDS +
              1];           /* trial of each round; round 0 is a single small trial, to measure speed */
    int rounds;             /* that have trials */
    int chosen;             /* -1: no trial was finished */
    int skipped;            /* trials that did not fit the budget */
    bool stopped;           /* the budget ended a trial */
    bool cancelled;         /* the callback did */
    dltf_status impossible; /* of the last setting that cannot be trained */
    int divisor;            /* samples per trial are divided by it, to fit the budget */
    int best_tried;         /* trials of encoder best, in the last round */
    double used;            /* CPU time of all trials */

    /* to predict costs */
    double begin; /* dl_cpu_seconds */
    double work, work_seconds, planned_work;
    dl_trial *running;
} dl_halving;

/* Not with few columns, where the mean of a sample, which is not part of its code, says most about it. */
bool dl_halving_tries_remove_mean(const dl_halving *h);

/* The setting tried first; also the answer if no trial is finished. */
dl_setting dl_halving_usual(const dl_halving *h);

/* Runs all trials that fit the budget. Returns DLTF_CANCELLED if the callback cancelled, and the status of
 * the last trial if training is not possible with any setting. */
dltf_status dl_halving_run(dl_halving *h);

/* The first trial of the deepest round. All trials from there on are sorted, best first. */
int dl_halving_last_round(const dl_halving *h);

/* Whether decisions depended on the speed of the machine. */
bool dl_halving_budget_bound(const dl_halving *h);

/* What is minimised: the unexplained variance, raised for costlier settings; and the same in words. */
#define DL_HALVING_RULE                                                                                      \
    "twice the entries must leave 30% less unexplained, twice the atoms 5%, positive codes 2%, encoder "     \
    "best "                                                                                                  \
    "3%; with --remove-mean, the mean of a sample counts as an entry"
double dl_halving_score(const dl_trial *t);

#endif
