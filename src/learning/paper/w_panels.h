/* The memory of the W-step, and how its work is divided.
 *
 * The rows of W, G and all other matrices are cut into panels: the tasks of threads and, where a product
 * takes longer than an exchange, the shares of ranks. A rank then has only its own rows of everything but W
 * and S. Panels depend on m alone and sums are added panel by panel, so results depend on neither threads nor
 * ranks.
 */
#ifndef DL_LEARNING_PAPER_W_PANELS_H
#define DL_LEARNING_PAPER_W_PANELS_H

#include "base/parallel.h"
#include "base/status.h"

/* The sums of a panel: terms of the objective; of the tangent t of the gradient, and of the changes s of W
 * and y of t since the previous point, <t,t>, <s,s>, <s,y> and <y,y>. */
enum { DL_W_VALUE = 0, DL_W_TT = 0, DL_W_SS, DL_W_SY, DL_W_YY, DL_W_SUMS };

typedef struct dl_w_space {
    int threads;
    int64_t m, panel, panels;                                 /* panel: rows of one */
    int64_t first, end;                                       /* panels of this rank */
    int64_t *rank_rows, *rank_panels;                         /* of every rank; NULL if not divided */
    double *G, *T;                                            /* m x m: W^T W, and a factor of the gradient */
    double *S;                                                /* m x m: H + GD - W^T C */
    double *WA;                                               /* m x n */
    double *gradient, *tangent, *previous, *previous_tangent; /* m x n */
    double *sums;                                             /* panels x DL_W_SUMS */
} dl_w_space;

dltf_status dl_w_space_alloc(dl_w_space *space, int threads, int64_t m, int64_t n, bool admm);
void dl_w_space_free(dl_w_space *space);

typedef struct dl_w_rows {
    int64_t first, count;
} dl_w_rows;

/* The rows of task `task` of dl_w_each. */
dl_w_rows dl_w_task_rows(const dl_w_space *space, int64_t task);
/* Where the sums of that task go. */
double *dl_w_task_sums(const dl_w_space *space, int64_t task);

/* Runs a task for every panel of this rank. */
void dl_w_each(const dl_w_space *space, dl_task run, void *context);

/* Adds up the first `count` sums of all panels of all ranks. */
void dl_w_total(const dl_w_space *space, int count, double *total);

/* The largest first sum of all panels of all ranks. */
double dl_w_largest(const dl_w_space *space);

/* Completes a matrix of m rows, of which every rank has its own. */
void dl_w_complete(const dl_w_space *space, double *matrix, int64_t cols);

#endif
