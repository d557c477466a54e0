/* Panels of the W-step. */
#include "learning/paper/w_panels.h"

#include "base/integer.h"
#include "base/memory.h"
#include "comm/comm.h"

#include <math.h>

enum {
    MOST_ROWS = 64, /* of a panel: fewer make the products slower */
    EVENLY = 4,     /* their number is a multiple of this if possible: equal shares for as many ranks */
};

/* Whether ranks share the work. A step has 4 m m n operations, some 30 microseconds per rank at this limit,
 * and three exchanges, which take longer the more ranks there are. */
static bool worth_sharing(int64_t m, int64_t n) {
    const int64_t least = 1 << 18; /* m m n for each rank */
    return dl_comm_size() > 1 && m * m * n >= least * dl_comm_size();
}

/* Whole panels for each rank. */
static dltf_status divide(dl_w_space *space) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(space->rank_rows, dl_comm_size());
    DL_TRY_NEW(space->rank_panels, dl_comm_size());
    for (int r = 0; r < dl_comm_size(); r++) {
        int64_t first = dl_comm_first(space->panels, r), end = dl_comm_first(space->panels, r + 1);
        space->rank_panels[r] = end - first;
        space->rank_rows[r] = dl_min(end * space->panel, space->m) - dl_min(first * space->panel, space->m);
    }
    space->first = dl_comm_first(space->panels, dl_comm_rank());
    space->end = dl_comm_first(space->panels, dl_comm_rank() + 1);
done:
    return status;
}

dltf_status dl_w_space_alloc(dl_w_space *space, int threads, int64_t m, int64_t n, bool admm) {
    dltf_status status = DLTF_OK;
    int64_t panel = dl_tiles(m, EVENLY * dl_tiles(m, EVENLY * MOST_ROWS)), panels = dl_tiles(m, panel);
    *space = (dl_w_space){.threads = threads, .m = m, .panel = panel, .panels = panels, .end = panels};
    if (worth_sharing(m, n))
        DL_TRY(divide(space));
    DL_TRY_NEW(space->G, m * m);
    DL_TRY_NEW(space->T, m * m);
    DL_TRY_NEW(space->gradient, m * n);
    DL_TRY_NEW(space->tangent, m * n);
    DL_TRY_NEW(space->previous, m * n);
    DL_TRY_NEW(space->previous_tangent, m * n);
    DL_TRY_NEW(space->sums, panels * DL_W_SUMS);
    if (admm) {
        DL_TRY_NEW(space->S, m * m);
        DL_TRY_NEW(space->WA, m * n);
    }
done:
    if (status != DLTF_OK)
        dl_w_space_free(space);
    return status;
}

void dl_w_space_free(dl_w_space *space) {
    dl_free(space->rank_rows);
    dl_free(space->rank_panels);
    dl_free(space->G);
    dl_free(space->T);
    dl_free(space->S);
    dl_free(space->WA);
    dl_free(space->gradient);
    dl_free(space->tangent);
    dl_free(space->previous);
    dl_free(space->previous_tangent);
    dl_free(space->sums);
    *space = (dl_w_space){0};
}

dl_w_rows dl_w_task_rows(const dl_w_space *space, int64_t task) {
    int64_t first = (space->first + task) * space->panel;
    return (dl_w_rows){first, dl_min(space->panel, space->m - first)};
}

double *dl_w_task_sums(const dl_w_space *space, int64_t task) {
    return space->sums + (space->first + task) * DL_W_SUMS;
}

void dl_w_each(const dl_w_space *space, dl_task run, void *context) {
    dl_parallel_polled(space->threads, space->end - space->first, run, context);
}

static void gather_sums(const dl_w_space *space) {
    if (space->rank_panels)
        dl_comm_gather_all(NULL, space->rank_panels, DL_W_SUMS * (int64_t)sizeof *space->sums, space->sums);
}

void dl_w_total(const dl_w_space *space, int count, double *total) {
    gather_sums(space);
    for (int i = 0; i < count; i++) {
        total[i] = 0;
        for (int64_t panel = 0; panel < space->panels; panel++)
            total[i] += space->sums[panel * DL_W_SUMS + i];
    }
}

double dl_w_largest(const dl_w_space *space) {
    double largest = -INFINITY;
    gather_sums(space);
    for (int64_t panel = 0; panel < space->panels; panel++)
        largest = fmax(largest, space->sums[panel * DL_W_SUMS]);
    return largest;
}

void dl_w_complete(const dl_w_space *space, double *matrix, int64_t cols) {
    if (space->rank_rows)
        dl_comm_gather_all(NULL, space->rank_rows, cols * (int64_t)sizeof *matrix, matrix);
}
