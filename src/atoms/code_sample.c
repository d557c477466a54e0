#include "atoms/code_sample.h"

#include "atoms/examples.h"
#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

dltf_status dl_code_sample_open(dl_code_sample *s, int64_t m, int64_t k, int64_t rows, uint64_t seed) {
    dltf_status status = DLTF_OK;
    int64_t room =
        dl_max(2, DL_CODE_SAMPLE_BYTES /
                      (int64_t)(sizeof *s->count + (size_t)k * (sizeof *s->index + sizeof *s->value)));
    *s = (dl_code_sample){.m = m, .k = k, .room = rows < 0 ? room : dl_min(rows, room), .seed = seed};
    DL_TRY_NEW(s->count, s->room);
    DL_TRY_NEW(s->index, s->room * k);
    DL_TRY_NEW(s->value, s->room * k);
    DL_TRY_NEW(s->sum, m);
    DL_TRY_NEW(s->square, m);
done:
    return status;
}

void dl_code_sample_close(dl_code_sample *s) {
    dl_free(s->count);
    dl_free(s->index);
    dl_free(s->value);
    dl_free(s->sum);
    dl_free(s->square);
    *s = (dl_code_sample){0};
}

static void keep(dl_code_sample *s, int64_t place, dltf_csr codes, int64_t i) {
    int64_t first = codes.indptr[i], count = codes.indptr[i + 1] - first;
    s->count[place] = (int32_t)count;
    memcpy(s->index + place * s->k, codes.indices + first, (size_t)count * sizeof *s->index);
    memcpy(s->value + place * s->k, codes.values + first, (size_t)count * sizeof *s->value);
}

/* Vitter's algorithm R: code number t replaces one of the sample with probability room / t. */
void dl_code_sample_add(dl_code_sample *s, int64_t first, dltf_csr codes) {
    for (int64_t i = 0; i < codes.rows; i++) {
        s->seen++;
        if (s->rows < s->room) {
            keep(s, s->rows++, codes, i);
            continue;
        }
        uint64_t place = dl_examples_draw(~s->seed, first + i) % (uint64_t)s->seen;
        if (place < (uint64_t)s->room)
            keep(s, (int64_t)place, codes, i);
    }
}

void dl_code_sample_finish(dl_code_sample *s) {
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t e = i * s->k; e < i * s->k + s->count[i]; e++) {
            s->sum[s->index[e]] += (double)s->value[e];
            s->square[s->index[e]] += (double)s->value[e] * (double)s->value[e];
        }
}

/* The value of an atom in a code; 0 if it is not in it. */
static double value_of(const dl_code_sample *s, int64_t row, int64_t atom) {
    int64_t e = row * s->k, end = e + s->count[row];
    while (e < end && s->index[e] < atom)
        e++;
    return e < end && s->index[e] == atom ? (double)s->value[e] : 0;
}

void dl_code_sample_pearson(const dl_code_sample *s, int64_t atom, double *r) {
    double rows = (double)s->rows, own = rows * s->square[atom] - s->sum[atom] * s->sum[atom];
    memset(r, 0, (size_t)s->m * sizeof *r);
    for (int64_t i = 0; i < s->rows; i++) {
        double value = value_of(s, i, atom);
        for (int64_t e = i * s->k; value != 0 && e < i * s->k + s->count[i]; e++)
            r[s->index[e]] += value * (double)s->value[e];
    }
    for (int64_t b = 0; b < s->m; b++) {
        double other = rows * s->square[b] - s->sum[b] * s->sum[b];
        double found = (rows * r[b] - s->sum[atom] * s->sum[b]) / sqrt(own * other);
        r[b] = b == atom || !isfinite(found) ? 0 : found;
    }
}

void dl_code_sample_together(const dl_code_sample *s, int64_t atom, int64_t *counts) {
    memset(counts, 0, (size_t)s->m * sizeof *counts);
    for (int64_t i = 0; i < s->rows; i++)
        if (value_of(s, i, atom) != 0)
            for (int64_t e = i * s->k; e < i * s->k + s->count[i]; e++)
                counts[s->index[e]]++;
}
