/* What max_k for small k has in common at all levels: when it is used, lists of candidates, and a sorting
 * network. */
#ifndef DL_KERNELS_SELECT_FEW_H
#define DL_KERNELS_SELECT_FEW_H

#include <stdbool.h>
#include <stdint.h>

/* A row is divided into this many classes; the k-th largest of their maxima is a bound that k scores reach.
 */
enum { CLASSES = 16 };

static inline bool selects_few(int64_t m, int64_t k) {
    enum {
        MOST_K = 10,     /* with more, too many scores reach the bound */
        MOST_M = 1 << 16 /* places are 16-bit numbers */
    };
    return k <= MOST_K && m <= MOST_M;
}

/* Positions and values of the scores that reach a bound. Aligned for the loads; most stores are not. */
typedef struct candidate_list {
    _Alignas(64) float value[3 * CLASSES];
    uint16_t place[3 * CLASSES];
    int64_t count; /* more than CLASSES: too many, the list is not usable */
} candidate_list;

/* Leaves the larger one of v[i] and v[j] in v[i], lane by lane. A file that includes this defines the type of
 * vectors of 32-bit integers, and their maximum and minimum. */
#define ORDER(i, j)                                                                                          \
    do {                                                                                                     \
        WORDS larger = WORDS_MAX(v[i], v[j]);                                                                \
        v[j] = WORDS_MIN(v[i], v[j]);                                                                        \
        v[i] = larger;                                                                                       \
    } while (0)

/* Sorts 16 vectors v lane by lane, largest first: Batcher's odd-even merge sort, written out so that all stay
 * in registers. */
/* clang-format off */
#define SORT_16()                                                                                                      \
    ORDER(0, 1); ORDER(2, 3); ORDER(4, 5); ORDER(6, 7); ORDER(8, 9); ORDER(10, 11); ORDER(12, 13); ORDER(14, 15);      \
    ORDER(0, 2); ORDER(1, 3); ORDER(4, 6); ORDER(5, 7); ORDER(8, 10); ORDER(9, 11); ORDER(12, 14); ORDER(13, 15);      \
    ORDER(1, 2); ORDER(5, 6); ORDER(9, 10); ORDER(13, 14); ORDER(0, 4); ORDER(1, 5); ORDER(2, 6); ORDER(3, 7);         \
    ORDER(8, 12); ORDER(9, 13); ORDER(10, 14); ORDER(11, 15); ORDER(2, 4); ORDER(3, 5); ORDER(10, 12); ORDER(11, 13);  \
    ORDER(1, 2); ORDER(3, 4); ORDER(5, 6); ORDER(9, 10); ORDER(11, 12); ORDER(13, 14); ORDER(0, 8); ORDER(1, 9);       \
    ORDER(2, 10); ORDER(3, 11); ORDER(4, 12); ORDER(5, 13); ORDER(6, 14); ORDER(7, 15); ORDER(4, 8); ORDER(5, 9);      \
    ORDER(6, 10); ORDER(7, 11); ORDER(2, 4); ORDER(3, 5); ORDER(6, 8); ORDER(7, 9); ORDER(10, 12); ORDER(11, 13);      \
    ORDER(1, 2); ORDER(3, 4); ORDER(5, 6); ORDER(7, 8); ORDER(9, 10); ORDER(11, 12); ORDER(13, 14)
/* clang-format on */

#endif
