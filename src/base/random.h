/* Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011). A number depends on (seed, stream,
 * index) alone, so that any thread can draw any sample's numbers, and nothing needs to be saved to resume. */
#ifndef DL_BASE_RANDOM_H
#define DL_BASE_RANDOM_H

#include <stdint.h>

typedef struct dl_random {
    uint64_t seed;
    uint32_t stream;
} dl_random;

/* The bare generator, for its published test vectors. */
void dl_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Streams: one for each use, so that no two uses share numbers. */
enum {
    DL_STREAM_DICTIONARY = 1, /* synthetic W0 */
    DL_STREAM_SUPPORT,        /* synthetic codes; + 1 for the test set */
    DL_STREAM_SUPPORT_TEST,
    DL_STREAM_NOISE,
    DL_STREAM_NOISE_TEST,
    DL_STREAM_INIT,       /* initial dictionary */
    DL_STREAM_BATCH,      /* order of the samples */
    DL_STREAM_REPLACE,    /* replacement atoms when no residual is left to use */
    DL_STREAM_EIGENVALUE, /* start vectors */
    DL_STREAM_BASELINE,   /* the "random" dictionaries of experiments */
    DL_STREAM_IMAGE,      /* noise of images */
    DL_STREAM_PATCHES,    /* which patches a denoiser learns from */
    DL_STREAM_ENTRY,      /* entries of synthetic codes; + 1 for the test set */
    DL_STREAM_ENTRY_TEST,
    DL_STREAM_HELD_OUT,      /* which samples are held out */
    DL_STREAM_EPOCH,         /* order of the others */
    DL_STREAM_CENTERS,       /* seeding of k-means */
    DL_STREAM_WEIGHTS,       /* initial weights of a network */
    DL_STREAM_SHUFFLE,       /* order of the samples of an epoch of a network */
    DL_STREAM_HASH_SAMPLES,  /* which samples a hasher is trained with */
    DL_STREAM_HASH,          /* random choices of its method */
    DL_STREAM_HASH_BATCH,    /* order of the samples of its minibatches */
    DL_STREAM_DROPOUT = 1000 /* plus the number of the layer */
};

/* Uniform in [0, 1), 53 bits. */
double dl_random_uniform(dl_random random, uint64_t index);
/* Uniform in 0 .. bound-1, bound >= 1 (bias below bound / 2^64). */
int64_t dl_random_below(dl_random random, uint64_t index, int64_t bound);
/* Standard normal. */
double dl_random_normal(dl_random random, uint64_t index);

/* A uniformly random permutation of 0 .. count-1; uses indices first .. first+count-1 of the stream. */
void dl_random_permutation(dl_random random, uint64_t first, int64_t count, int64_t *permutation);

/* The position of element i in a random permutation of 0 .. count-1 that is never stored: a Feistel network
 * keyed by (seed, stream, number). Not uniform over all permutations, but good enough to shuffle samples. */
int64_t dl_random_place(dl_random random, uint64_t number, int64_t count, int64_t i);

#endif
