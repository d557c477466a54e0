/* Between a learner and the gradient learning of its dictionary and encoder: what the stages that do it
 * share.
 */
#ifndef DL_LEARNING_GRADIENT_DESCENT_H
#define DL_LEARNING_GRADIENT_DESCENT_H

#include "learning/gradient/gradient.h"
#include "learning/learner.h"
#include "learning/ranks/batch.h"

/* A dictionary and its encoder, with the sums of codes that decide the signs of its atoms. */
typedef struct dl_parameters {
    float *W, *E, *b; /* m x n, m x n, m */
    double *code_sum; /* m */
} dl_parameters;

dltf_status dl_parameters_alloc(dl_parameters *p, int64_t m, int64_t n);
void dl_parameters_free(dl_parameters *p);

/* What a stage needs to take gradient steps on the samples of a learner. */
typedef struct dl_descent {
    dl_gradient g;
    dl_samples samples;  /* mean ||y||^2 = 1 */
    double *row;         /* threads x n: work space for loading */
    dl_rank_batch share; /* of the batch */
    double round[3];     /* steps of the round that are done, and the sums of their errors, left and energy */
} dl_descent;

/* `refit`: also calls dl_gradient_alloc_refit. */
dltf_status dl_descent_alloc(dl_descent *d, const dltf_learner *l, bool refit);
void dl_descent_free(dl_descent *d);

/* Loads and codes the batch of a step (gradient/plan.h). */
dl_gradient_error dl_descent_batch(dl_descent *d, const dltf_learner *l, int64_t step);

/* What the next step does; false: none, the round ends early. */
typedef bool (*dl_descent_plan)(const dltf_learner *l, void *state, int64_t step, dl_gradient_rule *rule);

/* Takes the steps `first` to `last` - 1 or, partway, those that are not done. DLTF_CANCELLED: the next call
 * goes on. Otherwise sets `error` to their relative error. The learner then is behind (`ahead` in learner.h).
 */
dltf_status dl_descent_round(dl_descent *d, dltf_learner *l, int64_t first, int64_t last,
                             dl_descent_plan plan, void *state, double *error);
/* `count` of the validation samples (dl_learner_quality_row), evenly spread: loads and codes a batch of
 * them, from `first` on. */
dl_gradient_error dl_descent_validation_batch(dl_descent *d, const dltf_learner *l, int64_t first,
                                              int64_t count);
/* Their relative error. */
double dl_descent_error(dl_descent *d, const dltf_learner *l, int64_t count);
/* The same with values of codes by least squares. */
double dl_descent_refit_error(dl_descent *d, const dltf_learner *l, int64_t count);

/* The parameters in use, their replacement by p, and their exchange with p. */
dl_parameters dl_descent_parameters(const dl_descent *d);
void dl_descent_use(dl_descent *d, const dltf_learner *l, dl_parameters p);
void dl_descent_swap(dl_descent *d, dl_parameters *p);
void dl_parameters_copy(const dltf_learner *l, dl_parameters to, dl_parameters from);

/* The dictionary of the learner as parameters, with its encoder or with E and b as they are. */
void dl_gradient_from_learner(dl_gradient *g, const dltf_learner *l, bool encoder);

/* Parameters as dictionary and encoder of the learner. Leaves out dl_learner_refresh, whose m x m matrices
 * stage gradient, the last of its methods, does not read. */
void dl_gradient_to_learner(const dltf_learner *l, dl_parameters p);

/* What a checkpoint stores beside dictionary and encoder; how many fields. */
int dl_gradient_fields(dl_gradient *g, dl_field *fields);
int dl_descent_fields(dl_descent *d, dl_field *fields);

/* Checks counts and squares that were read back. */
dltf_status dl_gradient_check(const dl_gradient *g);
/* The same, and that a round has at most `steps`; takes W, E and sums of codes from the learner, where W and
 * E are exactly floats. */
dltf_status dl_descent_restored(dl_descent *d, const dltf_learner *l, int64_t steps);

#endif
