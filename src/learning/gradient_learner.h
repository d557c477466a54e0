/* Between a learner and the gradient learning of its dictionary and encoder: what the stages that do it
 * share.
 */
#ifndef DL_LEARNING_GRADIENT_LEARNER_H
#define DL_LEARNING_GRADIENT_LEARNER_H

#include "learning/gradient.h"
#include "learning/learner.h"
#include "learning/share.h"

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
    dl_samples samples; /* mean ||y||^2 = 1 */
    double *row;        /* threads x n: work space for loading */
    dl_share share;     /* of the batch */
} dl_descent;

/* `refit`: also calls dl_gradient_alloc_refit. */
dltf_status dl_descent_alloc(dl_descent *d, const dltf_learner *l, bool refit);
void dl_descent_free(dl_descent *d);

/* Loads and codes the batch of a step (gradient_plan.h). */
dl_gradient_error dl_descent_batch(dl_descent *d, const dltf_learner *l, int64_t step);

/* Loads and codes a batch of the validation samples, which are those of dltf_learner_quality_row, from
 * `first` on. */
dl_gradient_error dl_descent_validation_batch(dl_descent *d, const dltf_learner *l, int64_t first);
/* The relative error of the validation samples. */
double dl_descent_error(dl_descent *d, const dltf_learner *l);
/* The same with values of codes by least squares, and p as the parameters in use from now on. */
double dl_descent_refit_error(dl_descent *d, const dltf_learner *l, dl_parameters p);

/* The parameters in use, and their replacement by p. */
dl_parameters dl_descent_parameters(const dl_descent *d);
void dl_descent_use(dl_descent *d, const dltf_learner *l, dl_parameters p);
void dl_parameters_copy(const dltf_learner *l, dl_parameters to, dl_parameters from);

/* Dictionary and encoder of the learner as parameters; `biased`: with its bias, otherwise b = 0. */
void dl_gradient_from_learner(dl_gradient *g, const dltf_learner *l, bool biased);

/* Parameters as dictionary and encoder of the learner. Leaves out dl_learner_refresh, whose m x m matrices
 * stage gradient, the last of its methods, does not read. */
void dl_gradient_to_learner(dltf_learner *l, dl_parameters p);

/* What a checkpoint stores beside dictionary and encoder; how many fields. */
int dl_gradient_fields(dl_gradient *g, dl_field *fields);

/* Checks counts and squares that were read back. */
dltf_status dl_gradient_check(const dl_gradient *g);
/* The same, and takes W and E from the learner, where they are exactly floats. */
dltf_status dl_gradient_restored(dl_gradient *g, const dltf_learner *l);

#endif
