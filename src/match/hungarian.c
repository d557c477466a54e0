/* The Hungarian method by shortest augmenting paths with potentials (Jonker & Volgenant's form of Kuhn &
 * Munkres), for rectangular problems. */
#include "match/hungarian.h"

#include "base/memory.h"

#include <math.h>

/* Rows are matched one by one, so there must not be more rows than columns: a tall matrix is transposed by
 * swapping its strides. Minimises cost = -profit. */
typedef struct assignment {
    const double *profit;
    int64_t rows, cols, row_stride, col_stride;
    double *row_price, *col_price; /* potentials: cost - row_price - col_price >= 0, = 0 on matched pairs */
    double *distance;              /* of each column from the free row, along reduced costs */
    int64_t *owner;                /* the row that a column is matched to, or -1 */
    int64_t *previous;             /* previous column on the shortest path; -1: the free row */
    bool *settled;
} assignment;

static double reduced_cost(const assignment *a, int64_t row, int64_t col) {
    return -a->profit[row * a->row_stride + col * a->col_stride] - a->row_price[row] - a->col_price[col];
}

static int64_t nearest_unsettled(const assignment *a) {
    int64_t nearest = -1;
    for (int64_t j = 0; j < a->cols; j++)
        if (!a->settled[j] && (nearest < 0 || a->distance[j] < a->distance[nearest]))
            nearest = j;
    return nearest;
}

/* Dijkstra from a free row to the nearest free column, which it returns. O(rows x cols). */
static int64_t shortest_path(assignment *a, int64_t free_row) {
    for (int64_t j = 0; j < a->cols; j++) {
        a->settled[j] = false;
        a->distance[j] = INFINITY;
        a->previous[j] = -1;
    }
    int64_t row = free_row, col = -1;
    double length = 0;
    for (;;) {
        for (int64_t j = 0; j < a->cols; j++) {
            double through = a->settled[j] ? INFINITY : length + reduced_cost(a, row, j);
            if (through < a->distance[j]) {
                a->distance[j] = through;
                a->previous[j] = col;
            }
        }
        col = nearest_unsettled(a);
        if (a->owner[col] < 0)
            return col;
        a->settled[col] = true;
        length = a->distance[col];
        row = a->owner[col];
    }
}

/* Updates the potentials so that the edges of the path are tight and reduced costs stay nonnegative, then
 * shifts the matches along the path. */
static void augment(assignment *a, int64_t free_row, int64_t last) {
    double length = a->distance[last];
    a->row_price[free_row] += length;
    for (int64_t j = 0; j < a->cols; j++)
        if (a->settled[j]) {
            a->row_price[a->owner[j]] += length - a->distance[j];
            a->col_price[j] -= length - a->distance[j];
        }
    while (a->previous[last] >= 0) {
        a->owner[last] = a->owner[a->previous[last]];
        last = a->previous[last];
    }
    a->owner[last] = free_row;
}

static dltf_status allocate(assignment *a) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(a->row_price, a->rows);
    DL_TRY_NEW(a->col_price, a->cols);
    DL_TRY_NEW(a->distance, a->cols);
    DL_TRY_NEW(a->owner, a->cols);
    DL_TRY_NEW(a->previous, a->cols);
    DL_TRY_NEW(a->settled, a->cols);
done:
    return status;
}

/* max sum_i profit[i, match[i]] over one-to-one assignments. O(r^2 c) for r = min(rows, cols), c = max(rows,
 * cols), and O(r + c) memory besides the matrix, which is not modified. */
dltf_status dl_assign(const double *profit, int64_t rows, int64_t cols, int32_t *match) {
    bool tall = rows > cols;
    assignment a = {.profit = profit,
                    .rows = tall ? cols : rows,
                    .cols = tall ? rows : cols,
                    .row_stride = tall ? 1 : cols,
                    .col_stride = tall ? cols : 1};
    dltf_status status = DLTF_OK;
    if (rows < 1 || cols < 1 || rows > INT32_MAX || cols > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT,
                       "assignment: %lld rows and %lld columns: each must be between 1 and 2147483647",
                       (long long)rows, (long long)cols);
    DL_TRY(allocate(&a));
    for (int64_t j = 0; j < a.cols; j++)
        a.owner[j] = -1;
    for (int64_t i = 0; i < a.rows; i++)
        augment(&a, i, shortest_path(&a, i));
    for (int64_t i = 0; i < rows; i++)
        match[i] = -1;
    for (int64_t j = 0; j < a.cols; j++)
        if (tall)
            match[j] = (int32_t)a.owner[j];
        else if (a.owner[j] >= 0)
            match[a.owner[j]] = (int32_t)j;
done:
    dl_free(a.row_price);
    dl_free(a.col_price);
    dl_free(a.distance);
    dl_free(a.owner);
    dl_free(a.previous);
    dl_free(a.settled);
    return status;
}
