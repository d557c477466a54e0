/* Gradient learning of dictionary and encoder through max_k:
 *
 *     min over W, E, b   sum_i 1/2 ||y_i - W z_i||^2,   z_i = max_k(E^T y_i - b),   ||w_j|| = 1
 *
 * On the support that max_k selects, codes are linear in E and b, so the gradient of a sample involves only
 * its k atoms. Steps are those of Adam with one squared average per row and bias correction by the number of
 * updates of that row; atoms that a batch does not use are unchanged. No m x m matrix is needed.
 *
 * Centred, with positive selection, the encoder is learned in the form E^T (y - c) - b, c being the mean of
 * the batch: a step of E leaves the score of c unchanged, which b alone moves. Otherwise the steps of all
 * atoms of a code add up along the mean of the samples and overshoot.
 *
 * Nested (nested.h): a sample has a code of its own for each prefix of the atoms, the k best of that
 * prefix, and the loss is a weighted mean over the prefixes. All codes come from the same scores. */
#ifndef DL_LEARNING_GRADIENT_GRADIENT_H
#define DL_LEARNING_GRADIENT_GRADIENT_H

#include "coding/by_atom.h"
#include "coding/feature.h"
#include "coding/prefilter.h"
#include "learning/nested.h"
#include "learning/ranks/atoms.h"
#include "learning/ranks/codes.h"

/* One parameter per atom (a row of W, of E, or an entry of b) with its averages. */
typedef struct dl_adam {
    int64_t n;     /* entries of a row */
    float *value;  /* m x n */
    float *moment; /* m x n: average gradient */
    float *square; /* m: average of the mean square of a row's gradient */
} dl_adam;

/* How much of their final values the averages have after a number of updates: 1 from DL_SHARES updates on. */
enum { DL_SHARES = 4096 };

typedef struct dl_average_share {
    double moment, square;
} dl_average_share;

/* Sums over subtrees of groups (ranks/atoms.h), for each code. */
typedef struct dl_branches {
    int64_t count, room; /* room: codes */
    dl_span *spans;
    float *sums; /* count x room x n */
    bool *any;   /* count x room: whether there are terms */
} dl_branches;

typedef struct dl_gradient_ranks dl_gradient_ranks;

/* Dictionary and encoder while they are learned. With ranks that share the atoms, `m` and all arrays of that
 * size are those of this rank; codes, `active` and `groups` are of all atoms. */
typedef struct dl_gradient {
    int64_t m, n, k;
    int64_t all, first; /* atoms of all ranks; the first one of this rank */
    bool positive;
    int threads;
    dl_adam W, E, b;
    int32_t *updates;         /* m: of each row */
    dl_average_share *shares; /* DL_SHARES */
    int64_t *idle;            /* m: samples since the atom was last in a code */
    double *code_sum;         /* m: sums of codes; the caller clears them */
    int64_t active;           /* atoms of all ranks that take part, see dl_gradient_activate */

    /* E and b for products (gradient/pack.c). */
    dl_packed packed;
    dl_prefilter *filter;        /* NULL for small dictionaries */
    dl_prefilter_bounds *bounds; /* of the panels */
    bool *stale;                 /* panels whose floats are not packed */
    int16_t *rounded;            /* per thread: DL_ROWS16 rows of n + 1 */
    int64_t pause;               /* batches that are still to be coded without the filter */

    /* Codes of a sample: of all atoms; nested, of shorter and shorter prefixes, too. */
    int depth;
    int64_t prefix[DL_PREFIXES]; /* atoms of each: m first */
    float weight[DL_PREFIXES];   /* of each in the loss; their sum is 1 */

    /* The batch. Code c = q rows + i is that of sample i by prefix q. */
    int64_t room, rows; /* samples: capacity, current number */
    float *Y, *R;       /* room x n: samples; depth x room x n: residuals of codes */
    dl_slots Z;         /* codes: depth x room */
    float *D;           /* depth x room x k: least-squares values minus scores; NULL without refit */
    dl_by_atom by_atom;
    double (*sums)[2]; /* of each code: ||r||^2 and ||y||^2 */
    bool from_center;  /* by the rule of the current step */
    double *center;    /* n: mean of the samples; double, for sums */
    float *center32;   /* the same */
    float *scratch;    /* threads x dl_gradient_stride: gradients of an atom, or sums of groups */
    double *normal;    /* per thread: normal equations of the refit; NULL without */
    bool refit;        /* see dl_gradient_alloc_refit */
    bool polled;       /* dl_gradient_code polls (base/meter.h); after a cancellation the batch is useless */
    dl_workspace *spaces;

    /* Atoms are divided twice (gradient/code.c). */
    int parts;                /* for scores: as many as threads for each prefix */
    dl_slots found;           /* parts x room: their candidates; none if codes are found directly */
    dl_merge *merges;         /* one per thread; NULL likewise */
    int64_t groups;           /* for sums: a power of two that depends only on the number of all atoms */
    dl_branches branches;     /* of this rank, whose sums are made by one thread each */
    dl_gradient_ranks *ranks; /* NULL unless ranks share the atoms (gradient/ranks.h) */
} dl_gradient;

/* Allocates for batches of up to `room` samples; shared: this rank has its own atoms of `m`, not nested. */
dltf_status dl_gradient_alloc(dl_gradient *g, int threads, int64_t m, int64_t n, int64_t k, bool positive,
                              bool nested, int64_t room);
dltf_status dl_gradient_alloc_shared(dl_gradient *g, int threads, int64_t m, int64_t n, int64_t k,
                                     bool positive, int64_t room);
/* Allocates for g->refit, which the caller may then set: values of codes are least squares on their supports
 * for W, and E and b are fitted to them: min 1/2 sum_i ||z*_i - z_i||^2 over the entries that max_k chose. */
dltf_status dl_gradient_alloc_refit(dl_gradient *g);
void dl_gradient_free(dl_gradient *g);
/* m: atoms of this rank. */
double dl_gradient_bytes(int threads, int64_t m, int64_t n, int64_t k, bool nested, int64_t room);

/* Atoms of the shortest prefix that has atom j. */
static inline int64_t dl_gradient_prefix_of(const dl_gradient *g, int64_t j) {
    int q = g->depth - 1;
    while (q > 0 && j >= g->prefix[q])
        q--;
    return g->prefix[q];
}

/* Codes of the current batch. */
static inline int64_t dl_gradient_codes(const dl_gradient *g) {
    return g->depth * g->rows;
}

/* For use by dl_gradient_alloc; and the entries of scratch of a thread. */
void dl_gradient_fill_shares(dl_gradient *g);
int64_t dl_gradient_stride(const dl_gradient *g);

/* The atoms of this rank that take part. */
int64_t dl_gradient_active(const dl_gradient *g);

/* Packs E and b for products. Required after the caller has set them. */
void dl_gradient_pack(dl_gradient *g);

/* Inside the gradient learner (gradient/pack.c). Packs the rows of a panel; after the last panel comes
 * dl_gradient_packed. */
dltf_status dl_gradient_alloc_layouts(dl_gradient *g);
void dl_gradient_free_layouts(dl_gradient *g);
void dl_gradient_pack_panel(dl_gradient *g, int64_t panel, int worker);
void dl_gradient_packed(dl_gradient *g);
/* Whether the next batch is coded with the filter. */
bool dl_gradient_filters(const dl_gradient *g);
/* The filter has not settled so many codes of parts: packs the floats, for the caller to code them. */
void dl_gradient_unsettled(dl_gradient *g, int64_t count);
/* A batch was coded without the filter. */
void dl_gradient_rested(dl_gradient *g);

/* The first `atoms` take part from now on. The encoder rows of the others are zero, so that no code has them,
 * and wait in the memory of their averages. */
void dl_gradient_activate(dl_gradient *g, int64_t atoms);

typedef struct dl_gradient_error {
    double left, energy; /* sum ||y - Wz||^2, sum ||y||^2 */
} dl_gradient_error;

/* Computes codes z and residuals r = y - Wz of the g->rows samples in g->Y and, with refit, D. */
dl_gradient_error dl_gradient_code(dl_gradient *g);

/* Parts of it, for gradient/ranks.c. The sum of a branch for sample i: */
static inline float *dl_branch_sum(const dl_branches *b, int64_t branch, int64_t i, int64_t n) {
    return b->sums + (branch * b->room + i) * n;
}
/* Adds up the branches from *next on that make up a subtree of so many groups. Returns the one that now has
 * the sum, -1 if there are no terms. */
int64_t dl_branches_fold(dl_branches *b, int64_t i, int64_t groups, int64_t n, int64_t *next);
/* Sets r = y - sum of sample i; NULL: the sum has no terms. */
void dl_gradient_residual(dl_gradient *g, int64_t i, const float *sum);

/* The error of the coded samples. */
dl_gradient_error dl_gradient_total(const dl_gradient *g);

typedef struct dl_gradient_rule {
    float rate;
    float tie;        /* e moves by this share towards its projection on w */
    int64_t patience; /* samples after which an atom counts as unused; 0: never */
    float growth;     /* abs: factor on its encoder row in every step */
    float lift;       /* positive: added to its scores in every step */
    bool from_center; /* positive: see above */
} dl_gradient_rule;

/* One step from the coded batch. */
void dl_gradient_step(dl_gradient *g, const dl_gradient_rule *rule);

#endif
