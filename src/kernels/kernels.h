/* The kernels: inner loops compiled for several instruction sets, behind one table that is chosen at run
 * time.
 *
 * Files in level/ are plain C and compiled once for each level (with the flags of that level); a file
 * NAME_LEVEL.c next to level/ replaces level/NAME.c at that level and those above it. No other code is
 * compiled for wide vectors. */
#ifndef DL_KERNELS_KERNELS_H
#define DL_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* A score matrix (m x n) laid out for products with samples: panels of DL_PANEL rows, in each panel the rows'
 * entries interleaved, missing rows zero. A column of a panel is one cache line. */
enum { DL_PANEL = 16 };

typedef struct dl_packed {
    int64_t m, n, panels;
    float *data; /* panels x n x DL_PANEL */
    float *bias; /* panels x DL_PANEL, the initial scores: minus the bias */
} dl_packed;

/* The same in integers of 16 bits: in each panel the pairs of entries 2p, 2p+1 of its rows. Row j is scale[j]
 * times its integers. */
enum { DL_PANEL16 = 64 };

typedef struct dl_packed16 {
    int64_t m, n, pairs, panels;
    int16_t *data; /* panels x pairs x DL_PANEL16 x 2 */
    float *scale;  /* panels x DL_PANEL16 */
    float *bias;   /* panels x DL_PANEL16, as above */
} dl_packed16;

/* Lists of candidates: sample i has count[i] of them at index + i * room and value + i * room. */
typedef struct dl_candidates {
    int64_t room;
    int64_t *count;
    int32_t *index;
    float *value;
} dl_candidates;

/* Entries past the end of a list that kernels may overwrite. */
enum { DL_CANDIDATES_SLACK = 16 };

/* One linear piece of the prox's scalar equation (learning/paper/prox.c): the number of |c_i| >= high (full),
 * the number strictly between low and high (middle), and the sum of the latter. */
typedef struct dl_prox_piece {
    int64_t full, middle;
    double sum;
} dl_prox_piece;

/* Columns for which the prox is computed side by side, and a piece of each of them, with the counts in the
 * type that the search computes with. */
enum { DL_COLUMNS = 16 };

typedef struct dl_prox_pieces {
    double full[DL_COLUMNS], middle[DL_COLUMNS], sum[DL_COLUMNS];
} dl_prox_pieces;

typedef struct dl_prox_search dl_prox_search; /* kernels/prox_search.h */

/* How the shortlist coder (coding/coders/shortlist.c) decides among the `listed` best scores of a sample:
 * least squares on the k best of them, joined by the k others that correlate most with the residual, and the
 * weakest of these dropped again. */
typedef struct dl_shortlist {
    const float *W; /* m x n, rows of norm 1 */
    const float *G; /* W W^T, m x m; NULL: entries are computed when needed */
    int64_t m, n, k, listed;
    bool tied;     /* scores are <w_j, x> */
    bool positive; /* coefficients should be */
} dl_shortlist;

/* Steps of orthogonal matching pursuit that are made together, and the most atoms among which they are
 * chosen. */
enum { DL_AHEAD = 8, DL_LISTED = 64 };

/* The atoms among which steps are chosen. */
typedef struct dl_listed {
    int64_t size;   /* places: DL_LISTED or half of it */
    uint64_t there; /* bits of the places that have an atom */
    int32_t atom[DL_LISTED];
    float alpha[DL_LISTED]; /* scores; 0 without an atom */
    float *columns;         /* their columns of D: rows of `size` */
} dl_listed;

/* Steps r of matching pursuit (coding/coders/omp_ahead.c) for atoms that were chosen from a list: rows count
 * + r of D and the scores after the last step. They hold as long as the scores of atoms outside the list are
 * below bound[r] after step r. Arrays over atoms have room for a multiple of 16. */
typedef struct dl_pursuit {
    int64_t m, count;
    int64_t rows;         /* steps that count; entries of the next one are read too, and have scale and c 0 */
    int64_t room;         /* rows of D */
    float *D;             /* rows 0 .. count-1 are there; the layout is the kernel's */
    float *alpha, *after; /* m scores before and after the steps */
    const int32_t *place; /* m: in the list, or -1 */
    const float *g[DL_AHEAD]; /* rows of G */
    const float *l[DL_AHEAD]; /* entries t < count + r of rows of L */
    float scale[DL_AHEAD], c[DL_AHEAD], bound[DL_AHEAD];
} dl_pursuit;

/* Binary codes that `hamming` compares at once. */
enum { DL_CODES = 32 };

/* Random numbers that `draws16` makes in one call. */
enum { DL_DRAWS = 128 };

/* Factors of a step of gradient descent and of Adam, see list.h. */
typedef struct dl_sgd_factors {
    float rate, keep, decay, a, b;
} dl_sgd_factors;

typedef struct dl_adam_factors {
    float rate, keep_moment, keep_square, epsilon, decay;
} dl_adam_factors;

/* Pointers to the kernels of list.h; NULL at levels that do not have them. */
typedef struct dl_kernels {
    const char *level;
#define DL_KERNEL(levels, result, name, parameters) result(*name) parameters;
#include "kernels/list.h"
} dl_kernels;

/* The table in use: the best level of this CPU, or the one that the environment variable DLTF_KERNELS names
 * (avx512popcnt, avx512vnni, avx512, avx2, neon, c) if the CPU supports it; dl_kernels_check reports other
 * names.
 */
const dl_kernels *dl_kernels_now(void);

/* The levels that this CPU supports, best first; NULL past the end. For tests and benchmarks. */
const dl_kernels *dl_kernels_level(int index);
/* Makes one of them the table in use; NULL: the default choice again. For tests and benchmarks. */
void dl_kernels_force(const dl_kernels *kernels);

#endif
