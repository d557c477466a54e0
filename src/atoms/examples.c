#include "atoms/examples.h"

#include <string.h>

/* The finaliser of MurmurHash3 in 64 bits: every bit of the input changes every bit of the output with about
 * the same probability. Counter-based generators with stronger guarantees would take as long as the rest. */
static uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

uint64_t dl_examples_draw(uint64_t stream, int64_t row) {
    return mix(mix(stream + 0x9e3779b97f4a7c15u) + (uint64_t)row);
}

/* Floats that are not negative are ordered as their bits are. */
static uint64_t magnitude(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x7fffffffu;
}

void dl_examples_offer_largest(dl_examples list, dltf_example example) {
    int32_t at = *list.count;
    uint64_t key = magnitude(example.value);
    if (at == list.room && (at == 0 || key <= magnitude(list.items[at - 1].value)))
        return;
    if (at == list.room)
        at--;
    else
        ++*list.count;
    for (; at > 0 && magnitude(list.items[at - 1].value) < key; at--)
        list.items[at] = list.items[at - 1];
    list.items[at] = example;
}

void dl_examples_offer_random(dl_examples list, uint64_t stream, dltf_example example) {
    int32_t at = *list.count;
    uint64_t key = dl_examples_draw(stream, example.row);
    if (at == list.room && (at == 0 || key <= dl_examples_draw(stream, list.items[at - 1].row)))
        return;
    if (at == list.room)
        at--;
    else
        ++*list.count;
    for (; at > 0 && dl_examples_draw(stream, list.items[at - 1].row) < key; at--)
        list.items[at] = list.items[at - 1];
    list.items[at] = example;
}
