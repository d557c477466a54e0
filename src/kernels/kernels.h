/* The kernels: inner loops that are compiled for several instruction sets, behind one table that is chosen at
 * run time.
 *
 * Files in level/ are plain C and compiled once for each level (with the flags of that level); a file
 * NAME_LEVEL.c beside level/ takes the place of level/NAME.c for that level. Nothing else in the project uses
 * wide instructions. */
#ifndef DL_KERNELS_KERNELS_H
#define DL_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* A score matrix (m x n) laid out for products with samples: panels of DL_PANEL rows, in each panel the rows'
 * entries interleaved, missing rows zero. */
enum { DL_PANEL = 32 };

typedef struct dl_packed {
    int64_t m, n, panels;
    float *data; /* panels x n x DL_PANEL */
    float *bias; /* panels x DL_PANEL, what scores start from: minus the bias */
} dl_packed;

/* The same in bfloat16: in each panel the pairs of entries 2p, 2p+1 of its rows, the even one in the low
 * half. */
typedef struct dl_packed16 {
    int64_t m, n, pairs, panels;
    uint32_t *data; /* panels x pairs x DL_PANEL */
    float *bias;    /* panels x DL_PANEL, as above */
} dl_packed16;

/* One linear piece of the prox's scalar equation (prox.c): how many |c_i| >= high (full) and how many between
 * low and high (both excluded: middle), and the sum of the latter. */
typedef struct dl_prox_piece {
    int64_t full, middle;
    double sum;
} dl_prox_piece;

typedef struct dl_kernels {
    const char *level;

    /* S[i][j] = <x_i, e_j> - b_j for `rows` samples and the panels first .. last-1 of E. X has rows of n
     * floats `x_stride` apart, S rows `s_stride` apart, of which the columns of these panels are written from
     * column 0 on. */
    void (*scores)(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                   int64_t rows, float *S, int64_t s_stride);

    /* max_k of each row of S (m scores, `stride` apart): count[i] entries at index + i*k and value + i*k. See
     * dl_select for the rules. `keys` holds m words. */
    void (*select)(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                   uint32_t *keys, int32_t *count, int32_t *index, float *value);

    /* Appends position (plus `base`) and value of the scores that rank above `cut`; returns how many. */
    int64_t (*above)(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                     int32_t *index, float *value);

    double (*dot)(const double *x, const double *y, int64_t n);
    void (*gram_row)(const double *x, const double *rows, int64_t count, int64_t n, double *out);
    void (*gap_row)(const float *G, int64_t m, const int32_t *index, const float *value, int64_t count,
                    const float *b, float *p);
    void (*add_scaled)(double *sum, float scale, const float *x, int64_t n);
    double (*square)(const float *x, int64_t n);

    /* Orthogonal matching pursuit, see coding/omp.c. */
    int64_t (*largest)(const float *x, int64_t m);
    void (*pursue)(const float *g, float *D, int64_t count, int64_t m, const float *l, float scale, float c,
                   float *alpha);

    /* A rank-one fit, see learning/rank_one.c: z_i = <r_i, w> and v += z_i r_i for the rows r_i of R that
     * `row` lists; returns sum z_i^2. */
    double (*project_rows)(const float *R, int64_t n, const int32_t *row, int64_t count, const double *w,
                           float *z, double *v);

    dl_prox_piece (*prox_count)(const float *c, int64_t m, float low, float high);
    void (*prox_apply)(const float *c, int64_t m, float v, double shrink, float *q);

    /* NULL where the CPU has no products of bfloat16. Like `scores`, X being rows of E->pairs words; and the
     * bits that `scores` gives for `count` atoms of E (rows of n floats; bias with the sign of dl_packed). */
    void (*scores16)(const dl_packed16 *E, int64_t first, int64_t last, const uint32_t *X, int64_t rows,
                     float *S, int64_t s_stride);
    void (*exact)(const float *E, int64_t n, const float *bias, const float *x, const int32_t *index,
                  int64_t count, float *value);
} dl_kernels;

/* The table in use: the best of this CPU, or what the environment variable DLTF_KERNELS names (avx512bf16,
 * avx512, avx2, c) if the CPU has it. */
const dl_kernels *dl_kernels_now(void);

/* The levels that this CPU has, best first; NULL past the end. For tests and benchmarks. */
const dl_kernels *dl_kernels_level(int index);
/* Makes one of them the table in use; NULL: back to the choice at start. For tests and benchmarks. */
void dl_kernels_force(const dl_kernels *kernels);

#endif
