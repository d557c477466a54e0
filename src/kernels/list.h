/* The list of kernels: what each computes, its parameters, and the levels that have it. A new kernel is one
 * row here and a function DL_LEVELLED(dl_NAME) in a file of level/.
 *
 * Included several times, without a guard: for the struct of pointers, the declarations and the tables. Each
 * defines DL_KERNEL(levels, result, name, parameters) first. Levels:
 *   ALL             every level
 *   ALL_AND_POPCNT  every level, and a second version dl_NAME_avx512popcnt
 *   AVX512          avx512 and those above it
 *   VNNI            avx512vnni, which has dot products of integers, and avx512popcnt
 *   POPCNT          avx512popcnt alone, as dl_NAME_avx512popcnt
 */

/* S[i][j] = <x_i, e_j> - b_j for `rows` samples and the panels first .. last-1 of E. X has rows of n floats
 * `x_stride` apart, S has rows `s_stride` apart; panel `first` is written to column 0. */
DL_KERNEL(ALL, void, scores,
          (const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride, int64_t rows,
           float *S, int64_t s_stride))

/* The same, rounded after every product and every sum: the same bits at every level. For methods that amplify
 * differences. */
DL_KERNEL(ALL, void, unfused_scores,
          (const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride, int64_t rows,
           float *S, int64_t s_stride))

/* max_k of each row of S (m scores, `stride` apart): count[i] entries at index + i*k and value + i*k. See
 * dl_select for the rules. `keys` holds m words. */
DL_KERNEL(ALL_AND_POPCNT, void, select,
          (const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive, uint32_t *keys,
           int32_t *count, int32_t *index, float *value))

/* Both in one, where that is faster: max_k of the scores of the first samples, with the bits of `scores`.
 * Returns how many samples that was, possibly none. S holds rows x m floats of work space. */
DL_KERNEL(POPCNT, int64_t, features,
          (const dl_packed *E, const float *X, int64_t x_stride, int64_t rows, int64_t k, bool positive,
           float *S, int32_t *count, int32_t *index, float *value))

/* Appends position (plus `base`) and value of the scores that rank above `cut`; returns how many. */
DL_KERNEL(ALL, int64_t, above,
          (const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base, int32_t *index,
           float *value))

/* The same with a cut for each score: appends those that are not at most cut[i], so that NaN shows. */
DL_KERNEL(ALL, int64_t, exceeding,
          (const float *scores, const float *cut, int64_t m, int32_t base, int32_t *index, float *value))

/* `scores` and `above` in one: appends atom and score to the list of row i where the score, with the bits of
 * `scores`, ranks above cut[i]. The lists have room for all atoms of the panels first .. last-1 and
 * DL_CANDIDATES_SLACK more.
 */
DL_KERNEL(ALL, void, scores_above,
          (const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride, int64_t rows,
           bool positive, const uint32_t *cut, dl_candidates hits))

/* The floats that `count` float16 (IEEE 754 binary16, at any address) stand for. */
DL_KERNEL(ALL, void, floats_of_halves, (const void *halves, int64_t count, float *out))

/* <x, y> */
DL_KERNEL(ALL, double, dot, (const double *x, const double *y, int64_t n))

/* out[i] = <x, row i of rows>, i < count; rows: count x n. */
DL_KERNEL(ALL, void, gram_row, (const double *x, const double *rows, int64_t count, int64_t n, double *out))

/* p = scale (Gz - b), with Gz as a sum of `count` rows of G (rows of m). */
DL_KERNEL(ALL, void, gap_row,
          (const float *G, int64_t m, const int32_t *index, const float *value, int64_t count, const float *b,
           float scale, float *p))

/* z = G_SS^{-1} b for the supports S of `rows` samples: row i of index, b and z (rows of k) has count[i]
 * entries; G (rows of m <= DL_SUPPORTS_MOST_ATOMS) has ones on its diagonal. pivot[i]: the smallest squared
 * distance of an atom from the span of those before it, as far as single precision can tell. `work`:
 * dl_solve_supports_work(k) floats, aligned as dl_alloc does. */
DL_KERNEL(ALL, void, solve_supports,
          (const float *G, int64_t m, int64_t k, int64_t rows, const int32_t *count, const int32_t *index,
           const float *b, float *work, float *z, float *pivot))

/* sum += scale x, in double. */
DL_KERNEL(ALL, void, add_scaled, (double *sum, float scale, const float *x, int64_t n))

/* sum += scale[0] x[0] + scale[1] x[1] + ..., in double, one row after the other: the bits of as many calls
 * of add_scaled. */
DL_KERNEL(ALL, void, add_rows,
          (double *sum, int64_t n, const float *const *x, const float *scale, int64_t count))

/* sum += scale x, in single precision. */
DL_KERNEL(ALL, void, add_scaled32, (float *sum, float scale, const float *x, int64_t n))

/* p = scale (x + y), in single precision. */
DL_KERNEL(ALL, void, scaled_sum32, (float *p, float scale, const float *x, const float *y, int64_t n))

/* p = a p + b x, in single precision. */
DL_KERNEL(ALL, void, combine32, (float *p, float a, float b, const float *x, int64_t n))

/* panel[d width + r] = rows[r stride + d] for DL_PANEL rows of n words of 4 bytes. */
DL_KERNEL(ALL, void, interleave, (void *panel, int64_t width, const void *rows, int64_t stride, int64_t n))

/* The largest magnitude of finite numbers. */
DL_KERNEL(ALL, float, largest32, (const float *x, int64_t n))

/* out = factor x, of magnitudes below 2^15, rounded to integers. */
DL_KERNEL(ALL, void, round16, (int16_t * out, const float *x, float factor, int64_t n))

/* <x, y> in single precision. */
DL_KERNEL(ALL, float, dot32, (const float *x, const float *y, int64_t n))

/* A step of gradient descent with momentum: moment = keep moment + (1 - keep) gradient, p -= step moment. */
DL_KERNEL(ALL, void, descend32,
          (float *p, float *moment, const float *gradient, int64_t n, float keep, float step))

/* ||x||^2 of floats. */
DL_KERNEL(ALL, double, square, (const float *x, int64_t n))

/* ||x + sign y||^2 of floats; sign: 1 or -1. */
DL_KERNEL(ALL, double, square_of_sum, (const float *x, double sign, const float *y, int64_t n))

/* Position of the largest magnitude, the first of equals; NaN ranks above all. */
DL_KERNEL(ALL, int64_t, largest, (const float *x, int64_t m))

/* A step of orthogonal matching pursuit (coding/coders/omp.c): d = scale (g - sum_t l_t d_t) becomes row
 * `count` of D (rows of m); alpha -= c d. */
DL_KERNEL(ALL, void, pursue,
          (const float *g, float *D, int64_t count, int64_t m, const float *l, float scale, float c,
           float *alpha))

/* The same for the atoms of a list. */
DL_KERNEL(AVX512, void, pursue_listed,
          (const float *g, int64_t count, const float *l, float scale, float c, dl_listed *list))

/* The place of the largest magnitude in a list; of equals the one with the lowest atom. */
DL_KERNEL(AVX512, int64_t, largest_listed, (const dl_listed *list))

/* s->rows such steps for atoms chosen in advance, made in pairs; 0: nothing is written. Returns the first
 * after which a score outside the list reaches its bound, or DL_AHEAD; see dl_pursuit. */
DL_KERNEL(AVX512, int64_t, pursue_ahead, (const dl_pursuit *s))

/* s->after = the scores after the first `steps` steps of pursue_ahead. */
DL_KERNEL(AVX512, void, pursued_scores, (const dl_pursuit *s, int64_t steps))

/* Entries t < count of column j of D: column[t * stride]. */
DL_KERNEL(AVX512, void, pursued_column, (const dl_pursuit *s, int64_t j, float *column, int64_t stride))

/* A rank-one fit (learning/stages/rank_one.c): z_i = <r_i, w> and v += z_i r_i for the rows r_i of R that
 * `row` lists; returns sum z_i^2. */
DL_KERNEL(ALL, double, project_rows,
          (const float *R, int64_t n, const int32_t *row, int64_t count, const double *w, float *z,
           double *v))

/* Codes of `rows` samples, each from its own list of atoms: see dl_shortlist. Row i of the lists has count[i]
 * entries, all arrays have rows of p->listed, ascending in `index`; `score` ranks them, and where p->tied
 * they are <w_j, x_i>. Without scores (NULL) p->listed must be at most 2k. Writes kept[i] <= k entries to
 * rows of k, ascending in out_index, and the smallest pivot of their least squares, NaN if a score is not
 * finite. `work`: dl_shortlist_work(p) floats, aligned as dl_alloc does. */
DL_KERNEL(ALL, void, shortlist,
          (const dl_shortlist *p, const float *X, int64_t x_stride, int64_t rows, const int32_t *count,
           const int32_t *index, const float *score, float *work, int32_t *kept, int32_t *out_index,
           float *out_value, float *pivot))

/* out[e] = ||x - y||^2 for the rows y of Y (rows of n) that `index` lists. */
DL_KERNEL(ALL, void, distances,
          (const float *x, const float *Y, int64_t n, const int32_t *index, int64_t count, float *out))

/* Counts and sums |c_i| between `low` and `high`, counts those from `high` on. Adds up to four of them in
 * single precision. */
DL_KERNEL(ALL, dl_prox_piece, prox_count, (const float *c, int64_t m, float low, float high))

/* |C^T| for the columns of the prox, the `count` <= DL_COLUMNS rows of C: m rows of DL_COLUMNS entries, 0 in
 * missing columns. */
DL_KERNEL(ALL, void, prox_transpose, (const float *C, int64_t m, int64_t count, float *T))

/* prox_count of each of these columns, with thresholds of its own: the same numbers. */
DL_KERNEL(ALL, void, prox_count_columns,
          (const float *T, int64_t m, const float *low, const float *high, dl_prox_pieces *pieces))

/* dl_prox_advance in every column. Returns false when all searches have ended. */
DL_KERNEL(ALL, bool, prox_advance_columns, (dl_prox_search * s, const dl_prox_pieces *pieces, int pass))

/* q = sign(c) min(|c|, max(v, shrink |c|)), the product as if it were rounded once; q may be c. */
DL_KERNEL(ALL, void, prox_apply, (const float *c, int64_t m, float v, double shrink, float *q))

/* Both, in one pass where the level allows it; q must not be c. */
DL_KERNEL(ALL, dl_prox_piece, prox_try,
          (const float *c, int64_t m, float low, float high, float v, double shrink, float *q))

/* Networks: y = max(y + bias, 0), NaN stays; delta = 0 where the output y of that is not positive. */
DL_KERNEL(ALL, void, relu, (float *y, const float *bias, int64_t n))
DL_KERNEL(ALL, void, relu_slope, (float *delta, const float *y, int64_t n))

/* DL_DRAWS random numbers of 16 bits: the blocks group x DL_DRAWS / 8 and following of Philox, as in
 * base/random.h. Halves of words are ordered so that lanes need no shuffling: the low halves of word 0 of all
 * blocks, the high halves, those of word 1, ... */
DL_KERNEL(ALL, void, draws16, (uint64_t seed, uint32_t stream, uint64_t group, uint16_t draws[DL_DRAWS]))

/* y = 0 where a draw is below `threshold`, otherwise scale y. */
DL_KERNEL(ALL, void, drop, (float *y, const uint16_t *draws, int64_t n, int32_t threshold, float scale))

/* Gradient descent with momentum: velocity = keep velocity + gradient + decay p, p -= rate (a (gradient +
 * decay p) + b velocity). */
DL_KERNEL(ALL, void, sgd,
          (float *p, float *velocity, const float *gradient, int64_t n, dl_sgd_factors factors))

/* Adam (Kingma and Ba 2015) with g = gradient + decay p: moment and square are running averages of g and g^2,
 * p -= rate moment / (sqrt(square) + epsilon). */
DL_KERNEL(ALL, void, adam,
          (float *p, float *moment, float *square, const float *gradient, int64_t n, dl_adam_factors factors))

/* Hamming distances of `rows` binary codes, a multiple of DL_CODES, to one of `words` words: planes holds
 * word 0 of all codes, then word 1 of all. At most 1,023 words. */
DL_KERNEL(ALL_AND_POPCNT, void, hamming,
          (const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query, uint16_t *distances))

/* Hamming distances of the rows of `codes` (`width` bytes each, at any alignment) that `listed` names to one
 * code. */
DL_KERNEL(ALL, void, hamming_listed,
          (const uint8_t *codes, int64_t width, const uint32_t *listed, int64_t count, const uint8_t *query,
           uint16_t *distances))

/* Lists the positions of distances below `bound`, ascending; returns how many. `positions` has room
 * for all, count <= 65,536. */
DL_KERNEL(ALL, int64_t, nearer,
          (const uint16_t *distances, int64_t count, uint16_t bound, uint16_t *positions))

/* Scores from integers of 16 bits: X has rows of E->pairs pairs, row i is scale[i] times its integers.
 * Appends atom and score to the list of row i where the score ranks above cut[i]; the lists have room for all
 * atoms of the panels first .. last-1 and DL_CANDIDATES_SLACK more. */
DL_KERNEL(VNNI, void, above16,
          (const dl_packed16 *E, int64_t first, int64_t last, const int16_t *X, const float *scale,
           int64_t rows, bool positive, const uint32_t *cut, dl_candidates hits))

/* Scores of `count` atoms of E, with the same bits as `scores` (rows of n floats; bias with the sign of
 * dl_packed). */
DL_KERNEL(VNNI, void, exact,
          (const float *E, int64_t n, const float *bias, const float *x, const int32_t *index, int64_t count,
           float *value))

#undef DL_KERNEL
