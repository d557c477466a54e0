/* Sums over clusters. A task owns a cluster and adds its samples in their order, so that the sums do not
 * depend on the number of threads. */
#include "cluster/moves.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cluster/bounds.h"
#include "comm/comm.h"

#include <math.h>
#include <string.h>

dltf_status dl_moves_alloc(dl_moves **moves, int64_t N, int64_t n, int64_t c, int threads) {
    dltf_status status = DLTF_OK;
    int64_t entries = 0;
    *moves = NULL;
    if (!dl_multiply(c, n, &entries))
        return dl_fail_option(DLTF_MEMORY, "clusters", "%lld centers of %lld entries are too many",
                              (long long)c, (long long)n);
    DL_TRY_NEW(*moves, 1);
    DL_TRY_NEW((*moves)->sums, entries);
    (*moves)->totals = (*moves)->sums;
    if (dl_comm_size() > 1)
        DL_TRY_NEW((*moves)->totals, entries);
    DL_TRY_NEW((*moves)->summed, N);
    DL_TRY_NEW((*moves)->joined, N);
    DL_TRY_NEW((*moves)->left, N);
    DL_TRY_NEW((*moves)->to, c + 1);
    DL_TRY_NEW((*moves)->from, c + 1);
    DL_TRY_NEW((*moves)->before, dl_apart(n) * threads);
    DL_TRY_NEW((*moves)->row, n);
    DL_TRY_NEW((*moves)->distance, dl_max(N, c));
done:
    return status;
}

void dl_moves_free(dl_moves *moves) {
    if (!moves)
        return;
    if (moves->totals != moves->sums)
        dl_free(moves->totals);
    dl_free(moves->sums);
    dl_free(moves->summed);
    dl_free(moves->joined);
    dl_free(moves->left);
    dl_free(moves->to);
    dl_free(moves->from);
    dl_free(moves->before);
    dl_free(moves->row);
    dl_free(moves->distance);
    dl_free(moves);
}

void dl_moves_reset(dl_moves *moves, int64_t N, int64_t n, int64_t c) {
    memset(moves->sums, 0, (size_t)(c * n) * sizeof *moves->sums);
    for (int64_t i = 0; i < N; i++)
        moves->summed[i] = -1;
}

/* ---- Empty clusters ---- */

static void count_sizes(dl_lloyd *s) {
    double *counts = s->moves->distance;
    memset(counts, 0, (size_t)s->c * sizeof *counts);
    for (int64_t i = 0; i < s->points->N; i++)
        counts[s->assignment[i]]++;
    dl_comm_sum(counts, s->c);
    for (int64_t j = 0; j < s->c; j++)
        s->sizes[j] = (int64_t)counts[j];
}

static void own_distances(void *context, int64_t tile, int worker) {
    (void)worker;
    const dl_lloyd *s = context;
    int64_t first = tile * DL_CLUSTER_TILE, end = dl_min(first + DL_CLUSTER_TILE, s->points->N);
    for (int64_t i = first; i < end; i++) {
        float distance = 0;
        dl_points_distances(s->points, i, s->centers, s->square, &s->assignment[i], 1, &distance);
        s->moves->distance[i] = (double)distance;
    }
}

/* Among the samples that do not have a cluster of their own. */
static int64_t farthest(const dl_lloyd *s) {
    int64_t best = -1;
    for (int64_t i = 0; i < s->points->N; i++)
        if (s->sizes[s->assignment[i]] > 1 && (best < 0 || s->moves->distance[i] > s->moves->distance[best]))
            best = i;
    return best;
}

static double set_center(dl_lloyd *s, int64_t j, const float *before) {
    const float *now = s->centers + j * s->points->n;
    double moved = 0;
    s->square[j] = 0;
    for (int64_t d = 0; d < s->points->n; d++) {
        moved += ((double)now[d] - (double)before[d]) * ((double)now[d] - (double)before[d]);
        s->square[j] += (double)now[d] * (double)now[d];
    }
    return sqrt(moved);
}

/* Whether this rank has the farthest sample of all; of equals the first. */
static bool is_farthest(const dl_lloyd *s, int64_t i) {
    double least[1] = {i >= 0 ? -s->moves->distance[i] : INFINITY}, own = least[0], rank[1];
    dl_comm_least(least, 1);
    rank[0] = i >= 0 && own == least[0] ? dl_comm_rank() : dl_comm_size();
    dl_comm_least(rank, 1);
    return (int)rank[0] == dl_comm_rank();
}

/* Makes the sample that is farthest from its center the center of cluster j. Returns the cluster that had it.
 * There is one: at most as many clusters as samples. */
static int64_t take_farthest(dl_lloyd *s, int64_t j) {
    int64_t i = farthest(s), n = s->points->n;
    double cluster = 0, *row = s->moves->row;
    memset(row, 0, (size_t)n * sizeof *row);
    if (is_farthest(s, i)) {
        dl_points_add(s->points, i, 1, row);
        cluster = s->assignment[i];
        s->assignment[i] = (int32_t)j;
        s->moves->distance[i] = 0;
        s->bounds->upper[i] = 0;
    }
    dl_comm_sum(row, n);
    dl_comm_sum(&cluster, 1);
    for (int64_t d = 0; d < n; d++)
        s->centers[j * n + d] = (float)row[d];
    return (int64_t)cluster;
}

bool dl_moves_fill_empty(dl_lloyd *state) {
    dl_lloyd *s = state;
    int64_t n = s->points->n;
    bool measured = false;
    count_sizes(s);
    for (int64_t j = 0; j < s->c; j++) {
        if (s->sizes[j] > 0)
            continue;
        if (!measured)
            dl_parallel(s->threads, dl_tiles(s->points->N, DL_CLUSTER_TILE), own_distances, s);
        measured = true;
        memcpy(s->moves->before, s->centers + j * n, (size_t)n * sizeof *s->centers);
        s->sizes[take_farthest(s, j)]--;
        s->sizes[j] = 1;
        s->bounds->move[j] += (float)set_center(s, j, s->moves->before);
    }
    return measured;
}

/* ---- Means ---- */

/* Samples whose cluster in `key` differs from that in `other`, sorted by `key`: a counting sort. */
static void sort_moved(const int32_t *key, const int32_t *other, int64_t N, int64_t c, int64_t *begin,
                       int64_t *list) {
    memset(begin, 0, (size_t)(c + 1) * sizeof *begin);
    for (int64_t i = 0; i < N; i++)
        if (key[i] != other[i] && key[i] >= 0)
            begin[key[i] + 1]++;
    for (int64_t j = 0; j < c; j++)
        begin[j + 1] += begin[j];
    for (int64_t i = 0; i < N; i++)
        if (key[i] != other[i] && key[i] >= 0)
            list[begin[key[i]]++] = i;
    memmove(begin + 1, begin, (size_t)c * sizeof *begin);
    begin[0] = 0;
}

/* A spherical cluster whose samples cancel out has no mean direction: its center stays. */
static void mean_of(dl_lloyd *s, int64_t j) {
    int64_t n = s->points->n;
    const double *sum = s->moves->totals + j * n;
    double length = (double)s->sizes[j];
    if (s->spherical) {
        length = 0;
        for (int64_t d = 0; d < n; d++)
            length += sum[d] * sum[d];
        length = sqrt(length);
        if (length <= 1e-9 * (double)s->sizes[j])
            return;
    }
    for (int64_t d = 0; d < n; d++)
        s->centers[j * n + d] = (float)(sum[d] / length);
}

static void update_sum(void *context, int64_t j, int worker) {
    (void)worker;
    const dl_lloyd *s = context;
    dl_moves *m = s->moves;
    int64_t n = s->points->n;
    for (int64_t e = m->from[j]; e < m->from[j + 1]; e++)
        dl_points_add(s->points, m->left[e], -1, m->sums + j * n);
    for (int64_t e = m->to[j]; e < m->to[j + 1]; e++)
        dl_points_add(s->points, m->joined[e], 1, m->sums + j * n);
}

static void update_center(void *context, int64_t j, int worker) {
    dl_lloyd *s = context;
    dl_moves *m = s->moves;
    int64_t n = s->points->n;
    float *before = m->before + worker * dl_apart(n);
    memcpy(before, s->centers + j * n, (size_t)n * sizeof *before);
    mean_of(s, j);
    m->distance[j] = set_center(s, j, before);
    s->bounds->move[j] += (float)m->distance[j];
}

double dl_moves_apply(dl_lloyd *state) {
    dl_lloyd *s = state;
    dl_moves *m = s->moves;
    int64_t N = s->points->N;
    double total = 0;
    sort_moved(s->assignment, m->summed, N, s->c, m->to, m->joined);
    sort_moved(m->summed, s->assignment, N, s->c, m->from, m->left);
    int64_t moved = m->to[s->c] + m->from[s->c];
    dl_parallel(dl_lloyd_threads(s, moved * s->points->n), s->c, update_sum, s);
    if (m->totals != m->sums) {
        memcpy(m->totals, m->sums, (size_t)(s->c * s->points->n) * sizeof *m->totals);
        dl_comm_sum(m->totals, s->c * s->points->n);
    }
    dl_parallel(dl_lloyd_threads(s, s->c * s->points->n), s->c, update_center, s);
    memcpy(m->summed, s->assignment, (size_t)N * sizeof *m->summed);
    for (int64_t j = 0; j < s->c; j++)
        total += m->distance[j] * m->distance[j];
    return total;
}
