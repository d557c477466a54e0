/* Successive halving: many settings are tried on few samples, the better ones on more. A budget of CPU time
 * limits which trials are begun, and ends one that takes longer than expected. */
#ifndef CLI_HALVING_H
#define CLI_HALVING_H

#include "cli/lists.h"
#include "cli/trials.h"

enum { HALVING_ROUNDS = 4, HALVING_SIZES = 8, HALVING_MOST_ATOMS_FOR_BEST = 512 };
/* Of all sizes, with three kinds of preprocessing and two of selection. */
enum { HALVING_SETTINGS = 3 * 2 * HALVING_SIZES * HALVING_SIZES };

typedef struct halving {
    /* set by the caller */
    trial_data data;
    list_of_integers m, k; /* ascending */
    bool m_given, k_given; /* by the user */
    bool abs, positive;    /* selections to try */
    bool unit_norm;
    double seconds; /* the budget: CPU time of the process */

    /* results; static memory, because there may be hundreds of trials */
    trial trials[2 * HALVING_SETTINGS];
    int count;
    int first[HALVING_ROUNDS +
              1];           /* trial of each round; round 0 is a single small trial, to measure speed */
    int rounds;             /* that have trials */
    int chosen;             /* -1: no trial was finished */
    int skipped;            /* trials that did not fit the budget */
    bool stopped;           /* the budget ended a trial */
    dltf_status impossible; /* of the last setting that cannot be trained */
    int divisor;            /* samples per trial are divided by it, to fit the budget */
    int best_tried;         /* trials of encoder best, in the last round */

    /* to predict costs */
    double work, work_seconds, planned_work;
    trial *running;
} halving;

/* Not with few columns, where the mean of a sample, which is not part of its code, says most about it. */
bool halving_tries_remove_mean(const halving *h);

/* The setting tried first; also the answer if no trial is finished. */
setting halving_usual(const halving *h);

/* Runs all trials that fit the budget. Returns DLTF_CANCELLED after Ctrl-C, and the status of the last trial
 * if training is not possible with any setting. */
dltf_status halving_run(halving *h);

/* The first trial of the deepest round. All trials from there on are sorted, best first. */
int halving_last_round(const halving *h);

/* Whether decisions depended on the speed of the machine. */
bool halving_budget_bound(const halving *h);

/* What is minimised: the unexplained variance, raised for costlier settings; and the same in words. */
#define HALVING_RULE                                                                                         \
    "twice the entries must leave 30% less unexplained, twice the atoms 5%, positive codes 2%, encoder "     \
    "best "                                                                                                  \
    "3%; with --remove-mean, the mean of a sample counts as an entry"
double halving_score(const trial *t);

#endif
