/* Filling a dltf_top. A thread updates a range of atoms and looks at all codes of a piece for it, so that
 * every atom sees its samples in order, for any number of threads. */
#include "atoms/top.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

static int64_t room_of(const dltf_top *top, int list) {
    return list == DL_TOP_LARGEST  ? top->options.top
           : list == DL_TOP_RANDOM ? top->options.random
                                   : top->options.interval;
}

static int64_t room_of_all(const dltf_top *top) {
    return top->options.top + top->options.random + DL_TOP_INTERVALS * top->options.interval;
}

dl_examples dl_top_list(const dltf_top *top, int64_t atom, int list) {
    int64_t start = atom * room_of_all(top);
    if (list > DL_TOP_LARGEST)
        start += top->options.top;
    if (list > DL_TOP_RANDOM)
        start += top->options.random + (list - DL_TOP_FIRST_INTERVAL) * top->options.interval;
    return (dl_examples){top->examples + start, top->counts + atom * DL_TOP_LISTS + list, room_of(top, list)};
}

dltf_status dl_top_new(int64_t m, int64_t k, int64_t rows, int threads, const dltf_top_options *options,
                       dltf_top **top) {
    dltf_status status = DLTF_OK;
    dltf_top *made = NULL;
    DL_TRY_HANDLE(made, TOP);
    made->m = m;
    made->threads = (int)dl_min(threads, m);
    made->options = *options;
    DL_TRY_NEW(made->atoms, m);
    DL_TRY_NEW(made->bars, m * DL_TOP_BARS);
    DL_TRY_NEW(made->counts, m * DL_TOP_LISTS);
    DL_TRY_NEW(made->examples, m * room_of_all(made));
    DL_TRY_NEW(made->merged, threads * dl_apart(options->interval));
    DL_TRY(dl_code_sample_open(&made->codes, m, k, rows, (uint64_t)options->seed));
    *top = made;
    made = NULL;
done:
    dltf_top_free(made);
    return status;
}

void dltf_top_free(dltf_top *top) {
    if (!top)
        return;
    dl_free(top->atoms);
    dl_free(top->bars);
    dl_free(top->counts);
    dl_free(top->examples);
    dl_free(top->merged);
    dl_code_sample_close(&top->codes);
    dl_free(top);
}

/* ---- Samples ---- */

static uint64_t stream_of(const dltf_top *top, int64_t atom) {
    return (uint64_t)top->options.seed * 0x100000001b3u + (uint64_t)atom;
}

/* Merges the lists of intervals 2i and 2i + 1 to that of i. */
static void merge_intervals(dltf_top *top, int64_t atom, int i, dltf_example *space) {
    dl_examples a = dl_top_list(top, atom, DL_TOP_FIRST_INTERVAL + 2 * i),
                b = dl_top_list(top, atom, DL_TOP_FIRST_INTERVAL + 2 * i + 1),
                to = dl_top_list(top, atom, DL_TOP_FIRST_INTERVAL + i);
    int32_t count = *a.count, others = *b.count;
    dl_examples merged = {space, &count, a.room};
    memcpy(space, a.items, (size_t)count * sizeof *space);
    for (int32_t e = 0; e < others; e++)
        dl_examples_offer_random(merged, stream_of(top, atom), b.items[e]);
    *a.count = *b.count = 0;
    *to.count = count;
    memcpy(to.items, space, (size_t)count * sizeof *space);
}

static void double_range(dltf_top *top, int64_t atom, dltf_example *space) {
    int64_t *bars = top->bars + atom * DL_TOP_BARS;
    for (int i = 0; i < DL_TOP_BARS / 2; i++)
        bars[i] = bars[2 * i] + bars[2 * i + 1];
    memset(bars + DL_TOP_BARS / 2, 0, DL_TOP_BARS / 2 * sizeof *bars);
    for (int i = 0; i < DL_TOP_INTERVALS / 2; i++)
        merge_intervals(top, atom, i, space);
    top->atoms[atom].range *= 2;
}

static void add_entry(dltf_top *top, int64_t atom, dltf_example example, dltf_example *space) {
    dl_atom_use *use = &top->atoms[atom];
    float magnitude = fabsf(example.value);
    if (use->uses == 0) {
        int exponent;
        frexp((double)magnitude, &exponent); /* magnitude < 2^exponent */
        use->range = ldexp(1, exponent);
    }
    while ((double)magnitude >= use->range)
        double_range(top, atom, space);
    int bar = (int)((double)magnitude / use->range * DL_TOP_BARS);
    use->uses++;
    use->sum += (double)magnitude;
    use->largest = fmaxf(use->largest, magnitude);
    top->bars[atom * DL_TOP_BARS + bar]++;
    dl_examples_offer_largest(dl_top_list(top, atom, DL_TOP_LARGEST), example);
    dl_examples_offer_random(dl_top_list(top, atom, DL_TOP_RANDOM), stream_of(top, atom), example);
    dl_examples_offer_random(dl_top_list(top, atom, DL_TOP_FIRST_INTERVAL + bar / DL_TOP_BARS_PER_INTERVAL),
                             stream_of(top, atom), example);
}

typedef struct piece {
    dltf_top *top;
    int64_t first;
    dltf_csr codes;
} piece;

static void add_range(void *context, int64_t part, int worker) {
    const piece *p = context;
    dltf_top *top = p->top;
    int64_t begin = top->m * part / top->threads, end = top->m * (part + 1) / top->threads;
    dltf_example *space = top->merged + worker * dl_apart(top->options.interval);
    for (int64_t i = 0; i < p->codes.rows; i++) {
        int64_t e = p->codes.indptr[i], last = p->codes.indptr[i + 1];
        while (e < last && p->codes.indices[e] < begin)
            e++;
        for (; e < last && p->codes.indices[e] < end; e++)
            add_entry(top, p->codes.indices[e], (dltf_example){p->first + i, p->codes.values[e]}, space);
    }
}

void dl_top_add(dltf_top *top, int64_t first, dltf_csr codes) {
    piece p = {top, first, codes};
    dl_parallel(top->threads, top->threads, add_range, &p);
    dl_code_sample_add(&top->codes, first, codes);
    top->samples += codes.rows;
}
