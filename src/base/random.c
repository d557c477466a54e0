/* Philox4x32-10 and the few distributions the project needs. */
#include "base/random.h"

#include <math.h>

enum { ROUNDS = 10 };

void dl_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t next0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        uint32_t next2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)product1;
        c3 = (uint32_t)product0;
        c0 = next0;
        c2 = next2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Two 64-bit words that belong to (seed, stream, index). */
static void draw(dl_random random, uint64_t index, uint64_t word[2]) {
    uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), random.stream, 0};
    uint32_t key[2] = {(uint32_t)random.seed, (uint32_t)(random.seed >> 32)};
    uint32_t out[4];
    dl_philox(counter, key, out);
    word[0] = (uint64_t)out[0] << 32 | out[1];
    word[1] = (uint64_t)out[2] << 32 | out[3];
}

static double to_unit(uint64_t word) {
    return (double)(word >> 11) * 0x1p-53;
}

double dl_random_uniform(dl_random random, uint64_t index) {
    uint64_t word[2];
    draw(random, index, word);
    return to_unit(word[0]);
}

int64_t dl_random_below(dl_random random, uint64_t index, int64_t bound) {
    uint64_t word[2];
    draw(random, index, word);
    return (int64_t)(((unsigned __int128)word[0] * (uint64_t)bound) >> 64);
}

double dl_random_normal(dl_random random, uint64_t index) {
    uint64_t word[2];
    draw(random, index, word);
    double radius = sqrt(-2.0 * log1p(-to_unit(word[0]))); /* 1 - u is never 0 */
    return radius * cos(6.283185307179586 * to_unit(word[1]));
}

void dl_random_permutation(dl_random random, uint64_t first, int64_t count, int64_t *permutation) {
    for (int64_t i = 0; i < count; i++)
        permutation[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = dl_random_below(random, first + (uint64_t)i, i + 1);
        int64_t swap = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = swap;
    }
}

/* Four rounds on two halves of the smallest even number of bits that covers `count`. Values beyond it are
 * permuted again until they fall below, fewer than four times on average. */
int64_t dl_random_place(dl_random random, uint64_t number, int64_t count, int64_t i) {
    int half = 1;
    while (half < 31 && (INT64_C(1) << 2 * half) < count)
        half++;
    uint32_t mask = (1u << half) - 1;
    uint32_t key[2] = {(uint32_t)random.seed ^ random.stream * 0x9E3779B9u, (uint32_t)(random.seed >> 32)};
    uint64_t place = (uint64_t)i;
    do {
        uint32_t left = (uint32_t)(place >> half) & mask, right = (uint32_t)place & mask;
        for (uint32_t round = 0; round < 4; round++) {
            uint32_t counter[4] = {right, round, (uint32_t)number, (uint32_t)(number >> 32)}, out[4];
            dl_philox(counter, key, out);
            uint32_t next = left ^ (out[0] & mask);
            left = right;
            right = next;
        }
        place = (uint64_t)left << half | right;
    } while ((int64_t)place >= count);
    return (int64_t)place;
}
