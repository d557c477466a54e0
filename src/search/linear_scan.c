/* Linear search in tiles that stay in the first-level cache. A tile is stored by words, so that the kernel
 * has one row in each lane and adds nothing across lanes. */
#include "search/linear_scan.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"

/* The smallest tile serves one call of the kernel; positions in a tile have 16 bits. */
enum { TILE_BYTES = 1 << 14, LEAST_ROWS = DL_CODES };

dltf_status dl_linear_scan_alloc(dl_linear_scan *scan, const dltf_index *index, int64_t queries) {
    dltf_status status = DLTF_OK;
    int64_t words = dl_tiles(index->width, 8);
    int64_t rows = dl_max(TILE_BYTES / 8 / words / DL_CODES * DL_CODES, LEAST_ROWS);
    *scan = (dl_linear_scan){.index = index, .kernels = dl_kernels_now(), .words = words, .tile_rows = rows};
    DL_TRY_NEW(scan->planes, rows * words);
    DL_TRY_NEW(scan->distances, rows);
    DL_TRY_NEW(scan->near, rows);
    DL_TRY_NEW(scan->queries, queries * words);
    for (int64_t q = 0; q < queries; q++)
        DL_TRY(dl_hits_alloc(&scan->hits[q], 8 * index->width));
done:
    return status;
}

void dl_linear_scan_free(dl_linear_scan *scan) {
    dl_free(scan->planes);
    dl_free(scan->distances);
    dl_free(scan->near);
    dl_free(scan->queries);
    for (int q = 0; q < DL_SCAN_BLOCK; q++)
        dl_hits_free(&scan->hits[q]);
    *scan = (dl_linear_scan){0};
}

void dl_linear_scan_begin(dl_linear_scan *scan, int64_t i, const uint8_t *code, int64_t k, int64_t radius) {
    int64_t width = scan->index->width;
    for (int64_t w = 0; w < scan->words; w++)
        scan->queries[i * scan->words + w] = dl_code_word(code, width, 8 * w);
    dl_hits_begin(&scan->hits[i], k, radius, 8 * width, true);
}

/* Fills the planes with `rows` codes. The kernel compares a multiple of DL_CODES, returned; what is left of
 * an earlier tile in the last ones does not matter. */
static int64_t fill_tile(dl_linear_scan *scan, int64_t first, int64_t rows) {
    int64_t width = scan->index->width, padded = dl_tiles(rows, DL_CODES) * DL_CODES;
    const uint8_t *codes = scan->index->codes + first * width;
    for (int64_t w = 0; w < scan->words; w++) {
        uint64_t *plane = scan->planes + w * padded;
        for (int64_t r = 0; r < rows; r++)
            plane[r] = dl_code_word(codes + r * width, width, 8 * w);
    }
    return padded;
}

void dl_linear_scan_rows(dl_linear_scan *scan, int64_t first, int64_t last, int64_t count) {
    for (int64_t row = first; row < last; row += scan->tile_rows) {
        int64_t rows = dl_min(scan->tile_rows, last - row), padded = fill_tile(scan, row, rows);
        for (int64_t q = 0; q < count; q++) {
            scan->kernels->hamming(scan->planes, scan->words, padded, scan->queries + q * scan->words,
                                   scan->distances);
            int64_t near = scan->kernels->nearer(scan->distances, rows, scan->hits[q].limit, scan->near);
            dl_hits_add_listed(&scan->hits[q], row, scan->near, near, scan->distances);
        }
    }
}
