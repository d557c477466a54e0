/* Splits of CIFAR-10 into queries and a database. */
#include "experiments/hash_data.h"

#include "experiments/cifar.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60000, QUERIES = 1000, SAMPLES_QUICK = 6000, QUERIES_QUICK = 200 };
enum { NEAREST = 1000, RADIUS = 50, CLASSES = 10 };

const char *const hash_protocols[HASH_PROTOCOLS] = {"nn1000", "rad50", "class"};

/* Stand-in for CIFAR-10: sparse combinations of a few atoms. */
static const dltf_synthetic_options generated = {.size = sizeof(dltf_synthetic_options),
                                                 .n = 128,
                                                 .m = 64,
                                                 .k = 4,
                                                 .samples = SAMPLES_QUICK,
                                                 .noise = 0.1,
                                                 .entries = DLTF_ENTRIES_UNIFORM};

/* Which rows are queries, and the relevance of the others. */
typedef struct known_split {
    int64_t seed;
    int64_t *rows; /* the queries first */
    dltf_relevance *relevance[HASH_PROTOCOLS];
    struct known_split *next;
} known_split;

/* All samples, and the rows of the newest split in its order. */
static struct {
    int64_t count, queries, columns;
    float *values, *sorted;
    int64_t *labels, *sorted_labels;
    known_split *splits;
} data;

/* ---- Samples ---- */

static int64_t first_entry(dltf_csr codes, int64_t i) {
    return codes.indptr[i] < codes.indptr[i + 1] ? codes.indices[codes.indptr[i]] : 0;
}

static dltf_status generate(void) {
    dltf_synthetic *problem = NULL;
    dltf_status status = dltf_synthetic_new(&generated, NULL, NULL, &problem);
    if (status != DLTF_OK)
        return status;
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_csr codes = dltf_codes_csr(dltf_synthetic_codes(problem, false));
    data.count = X.rows;
    data.columns = X.cols;
    data.values = malloc((size_t)(X.rows * X.cols) * sizeof *data.values);
    data.labels = malloc((size_t)X.rows * sizeof *data.labels);
    if (!data.values || !data.labels)
        status = DLTF_MEMORY;
    for (int64_t i = 0; status == DLTF_OK && i < X.rows; i++) {
        dltf_matrix_row(X, i, data.values + i * X.cols);
        data.labels[i] = first_entry(codes, i) % CLASSES;
    }
    dltf_synthetic_free(problem);
    return status;
}

static dltf_status load_cifar(const experiment_cell *cell) {
    cifar_gist gist;
    dltf_status status = cifar_gist_load(cell->request->data, cell->request->threads, NULL, NULL, &gist);
    if (status != DLTF_OK) {
        cifar_gist_free(&gist);
        return status;
    }
    data.count = cell->request->quick ? SAMPLES_QUICK : gist.count;
    data.columns = DLTF_GIST_SIZE;
    data.values = gist.values;
    data.labels = gist.labels;
    return DLTF_OK;
}

static dltf_status load(const experiment_cell *cell) {
    if (data.sorted)
        return DLTF_OK;
    bool found = cifar_exists(cell->request->data);
    dltf_status status = found ? load_cifar(cell) : generate();
    if (status != DLTF_OK)
        return status;
    data.queries = found && !cell->request->quick ? QUERIES : QUERIES_QUICK;
    data.sorted_labels = malloc((size_t)data.count * sizeof *data.sorted_labels);
    data.sorted = malloc((size_t)(data.count * data.columns) * sizeof *data.sorted);
    return data.sorted && data.sorted_labels ? DLTF_OK : DLTF_MEMORY;
}

/* ---- Splits ---- */

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A random choice of queries, moved to the front. */
static void choose_queries(int64_t seed, int64_t *rows) {
    uint64_t state = (uint64_t)seed;
    for (int64_t i = 0; i < data.count; i++)
        rows[i] = i;
    for (int64_t i = 0; i < data.queries; i++) {
        int64_t other = i + (int64_t)(next_random(&state) % (uint64_t)(data.count - i)), row = rows[i];
        rows[i] = rows[other];
        rows[other] = row;
    }
}

static void sort_rows(const int64_t *rows) {
    for (int64_t i = 0; i < data.count; i++) {
        memcpy(data.sorted + i * data.columns, data.values + rows[i] * data.columns,
               (size_t)data.columns * sizeof *data.sorted);
        data.sorted_labels[i] = data.labels[rows[i]];
    }
}

static hash_split view(const known_split *known) {
    int64_t q = data.queries, rest = data.count - q;
    hash_split split = {.queries = dltf_matrix_f32(data.sorted, q, data.columns),
                        .database = dltf_matrix_f32(data.sorted + q * data.columns, rest, data.columns)};
    for (int p = 0; p < HASH_PROTOCOLS; p++)
        split.relevance[p] = known->relevance[p];
    return split;
}

static dltf_status relate(known_split *known, int64_t threads) {
    hash_split split = view(known);
    int64_t q = data.queries;
    dltf_status status = dltf_relevance_by_nearest(split.database, split.queries, NEAREST, threads, NULL,
                                                   NULL, &known->relevance[HASH_NN1000]);
    if (status == DLTF_OK)
        status = dltf_relevance_by_radius(split.database, split.queries, RADIUS, threads, NULL, NULL,
                                          &known->relevance[HASH_RAD50]);
    if (status == DLTF_OK)
        status = dltf_relevance_by_labels(data.sorted_labels + q, split.database.rows, data.sorted_labels, q,
                                          &known->relevance[HASH_CLASS]);
    return status;
}

static void known_split_free(known_split *known) {
    for (int p = 0; p < HASH_PROTOCOLS; p++)
        dltf_relevance_free(known->relevance[p]);
    free(known->rows);
    free(known);
}

static dltf_status add_split(int64_t seed, int64_t threads) {
    known_split *known = calloc(1, sizeof *known);
    if (!known)
        return DLTF_MEMORY;
    known->seed = seed;
    known->rows = malloc((size_t)data.count * sizeof *known->rows);
    dltf_status status = known->rows ? DLTF_OK : DLTF_MEMORY;
    if (status == DLTF_OK) {
        choose_queries(seed, known->rows);
        sort_rows(known->rows);
        status = relate(known, threads);
    }
    if (status != DLTF_OK) {
        known_split_free(known);
        return status;
    }
    known->next = data.splits;
    data.splits = known;
    return DLTF_OK;
}

static const known_split *find_split(int64_t seed) {
    const known_split *known = data.splits;
    while (known && known->seed != seed)
        known = known->next;
    return known;
}

dltf_status hash_data_split(const experiment_cell *cell, hash_split *split) {
    dltf_status status = load(cell);
    if (status == DLTF_OK && !find_split(cell->seed))
        status = add_split(cell->seed, cell->request->threads);
    if (status != DLTF_OK)
        return status;
    sort_rows(find_split(cell->seed)->rows);
    *split = view(find_split(cell->seed));
    return DLTF_OK;
}

/* ---- Texts ---- */

void hash_data_protocol(bool quick, json_t *object) {
    json_object_set_new(object, "data", json_string("512 GIST descriptors of each CIFAR-10 image"));
    json_object_set_new(object, "samples", json_integer(quick ? SAMPLES_QUICK : SAMPLES));
    json_object_set_new(object, "queries", json_integer(quick ? QUERIES_QUICK : QUERIES));
    json_object_set_new(
        object, "split",
        json_string("queries at random, by the seed; all others are training set and database"));
    json_object_set_new(object, "nn1000", json_string("relevant: the 1,000 nearest by Euclidean distance"));
    json_object_set_new(object, "rad50",
                        json_string("relevant: within the mean distance of the queries to their 50th "
                                    "neighbour; queries without any are left out"));
    json_object_set_new(object, "class", json_string("relevant: the same label"));
}

const char *hash_data_notice(const experiment_request *request) {
    if (cifar_exists(request->data))
        return NULL;
    return "CIFAR-10 not found: using generated samples instead, so the results cannot be compared with the "
           "paper. Give " CIFAR_WHERE " with --data or DLTF_DATA.";
}
