/* The order of samples in an epoch. */
#include "learning/order.h"

#include "base/integer.h"

/* Values of a chunk, a quarter of a megabyte, and values that are shuffled as a whole. A window, and the next
 * one that is read ahead, take 64 MB. */
enum { CHUNK_VALUES = 1 << 16, WHOLE_VALUES = 1 << 26 };

dl_order dl_order_new(const dltf_learner *l, uint32_t stream) {
    dl_order order = {.random = {(uint64_t)l->options.seed, stream}, .N = l->N};
    order.chunk = dl_max(1, CHUNK_VALUES / l->n);
    order.chunks = l->N / order.chunk;
    order.whole = l->N <= WHOLE_VALUES / l->n;
    return order;
}

static int64_t chunk_at(const dl_order *order, int64_t epoch, int64_t place) {
    return dl_random_place(order->random, (uint64_t)epoch, order->chunks, place);
}

int64_t dl_order_sample(const dl_order *order, int64_t epoch, int64_t position) {
    if (order->whole)
        return dl_random_place(order->random, (uint64_t)epoch, order->N, position);
    if (position >= order->chunks * order->chunk)
        return position;
    int64_t window = DL_WINDOW_CHUNKS * order->chunk, number = position / window;
    int64_t size = dl_min(window, order->chunks * order->chunk - number * window);
    uint64_t shuffle = ~((uint64_t)epoch * (uint64_t)order->chunks + (uint64_t)number); /* unlike any epoch */
    int64_t place = dl_random_place(order->random, shuffle, size, position - number * window);
    int64_t chunk = chunk_at(order, epoch, number * DL_WINDOW_CHUNKS + place / order->chunk);
    return chunk * order->chunk + place % order->chunk;
}

static void expect_window(const dl_order *order, const dltf_learner *l, int64_t epoch, int64_t window) {
    int64_t first = window * DL_WINDOW_CHUNKS, end = dl_min(first + DL_WINDOW_CHUNKS, order->chunks);
    for (int64_t c = first; c < end; c++)
        dl_learner_expect(l, chunk_at(order, epoch, c) * order->chunk, order->chunk);
}

/* The window after the one that begins among these samples; at the beginning of an epoch also its first. */
void dl_order_expect(const dl_order *order, const dltf_learner *l, int64_t epoch, int64_t position,
                     int64_t count) {
    int64_t window = DL_WINDOW_CHUNKS * order->chunk, number = (position + count - 1) / window;
    if (order->whole || (position > 0 && (position - 1) / window == number))
        return;
    if (number == 0)
        expect_window(order, l, epoch, 0);
    expect_window(order, l, epoch, number + 1);
}
