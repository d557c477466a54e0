/* Rows that are not in memory: the same results as from memory, and the first failure as an error. */
#include "test_io.h"

#include "data/matrix.h"
#include "data/source.h"
#include "program/program.h"

#include <math.h>

enum { ROWS = 300, COLS = 12 };

/* ---- A source that may fail ---- */

typedef struct supply {
    dltf_matrix X;
    int64_t bad; /* row that cannot be read; -1: none */
    bool silent; /* without a message */
    int64_t end; /* number of the read from which on all fail; 0: none */
    _Atomic int64_t reads;
} supply;

static dltf_status read_row(void *context, int64_t row, double *out) {
    supply *s = context;
    int64_t number = ++s->reads;
    if (s->end > 0 && number >= s->end)
        return dl_fail(DLTF_FILE, "the source is gone");
    if (row == s->bad)
        return s->silent ? DLTF_FILE : dl_fail(DLTF_FILE, "row %lld is gone", (long long)row);
    dl_matrix_row(s->X, row, out);
    return DLTF_OK;
}

static dltf_synthetic *make_problem(void) {
    dltf_synthetic *problem = NULL;
    dltf_synthetic_options spec = {.size = sizeof(dltf_synthetic_options),
                                   .n = COLS,
                                   .m = 20,
                                   .k = 2,
                                   .samples = ROWS,
                                   .noise = 0.1,
                                   .entries = DLTF_ENTRIES_UNIFORM};
    assert_int_equal(dltf_synthetic_new(&spec, NULL, NULL, &problem), DLTF_OK);
    return problem;
}

static dltf_source *source_of(supply *s) {
    dltf_source *source = NULL;
    assert_int_equal(dltf_source_new(s->X.rows, s->X.cols, read_row, s, &source), DLTF_OK);
    return source;
}

/* ---- The same results ---- */

static dltf_train_options small_training(dltf_encoder_kind encoding) {
    dltf_train_options o = dltf_train_options_default();
    o.m = 20;
    o.k = 2;
    o.encoder = encoding;
    o.admm = encoding == DLTF_ENCODER_TIED ? 3 : o.admm;
    o.threads = 2;
    return o;
}

static void assert_same_models(const dltf_model *a, const dltf_model *b) {
    dltf_model_view v = dltf_model_get(a), w = dltf_model_get(b);
    size_t size = (size_t)(v.m * v.n) * sizeof(float);
    assert_memory_equal(v.dictionary, w.dictionary, size);
    assert_int_equal(v.encoder != NULL, w.encoder != NULL);
    if (v.encoder)
        assert_memory_equal(v.encoder, w.encoder, size);
    assert_string_equal(dltf_model_note(a, "data.checksum"), dltf_model_note(b, "data.checksum"));
}

static void training_gives_the_same_model(void **state) {
    (void)state;
    dltf_synthetic *problem = make_problem();
    supply s = {dltf_synthetic_samples(problem, false), -1, false, 0, 0};
    dltf_source *source = source_of(&s);
    static const dltf_encoder_kind encodings[] = {DLTF_ENCODER_TIED, DLTF_ENCODER_LEARNED, DLTF_ENCODER_BEST};
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        dltf_train_options o = small_training(encodings[i]);
        dltf_model *dense = NULL, *rows = NULL;
        assert_int_equal(dltf_train(s.X, &o, NULL, NULL, &dense), DLTF_OK);
        if (dltf_train(dltf_source_matrix(source), &o, NULL, NULL, &rows) != DLTF_OK)
            fail_msg("%s", dltf_message());
        assert_same_models(dense, rows);
        dltf_model_free(dense);
        dltf_model_free(rows);
    }
    dltf_source_free(source);
    dltf_synthetic_free(problem);
}

/* ---- Failures ---- */

typedef struct attempt {
    dltf_matrix X;
    dltf_model *model;
    dltf_codes *codes; /* of X */
} attempt;

static dltf_status try_training(const attempt *a) {
    dltf_train_options o = small_training(DLTF_ENCODER_LEARNED);
    dltf_model *model = NULL;
    dltf_status status = dltf_train(a->X, &o, NULL, NULL, &model);
    dltf_model_free(model);
    return status;
}

static dltf_status try_ksvd(const attempt *a) {
    dltf_train_options o = small_training(DLTF_ENCODER_AUTO);
    dltf_model *model = NULL;
    o.method = DLTF_METHOD_KSVD;
    o.iterations = 2;
    dltf_status status = dltf_train(a->X, &o, NULL, NULL, &model);
    dltf_model_free(model);
    return status;
}

static dltf_status try_stages(const attempt *a) {
    dltf_train_options o = small_training(DLTF_ENCODER_TIED);
    dltf_model *model = NULL;
    o.steps = o.iterations = 3;
    dltf_status status = dltf_train(a->X, &o, NULL, NULL, &model);
    dltf_model_free(model);
    return status;
}

static dltf_status try_encoding(const attempt *a) {
    dltf_encode_options o = dltf_encode_options_default();
    dltf_codes *codes = NULL;
    dltf_status status = dltf_encode(a->model, a->X, &o, NULL, NULL, &codes);
    dltf_codes_free(codes);
    return status;
}

static dltf_status try_refit(const attempt *a) {
    dltf_codes *codes = NULL;
    dltf_status status = dltf_refit(a->model, a->X, a->codes, 2, &codes);
    dltf_codes_free(codes);
    return status;
}

static dltf_status try_error(const attempt *a) {
    double error = 0;
    return dltf_reconstruction_error(a->model, a->X, a->codes, &error);
}

static dltf_status try_certificates(const attempt *a) {
    static uint8_t flags[ROWS * DLTF_FLAG_COUNT];
    return dltf_samples_certify(a->model, a->X, NULL, NULL, NULL, NULL, NULL, flags);
}

static dltf_status try_clustering(const attempt *a) {
    dltf_cluster_options o = dltf_cluster_options_default();
    o.clusters = 3;
    dltf_clusters *clusters = NULL;
    dltf_status status = dltf_clusters_train(a->X, &o, NULL, NULL, &clusters);
    dltf_clusters_free(clusters);
    return status;
}

static dltf_status try_components(const attempt *a) {
    dltf_pca *pca = NULL;
    dltf_status status = dltf_pca_train(a->X, 2, 1, &pca);
    dltf_pca_free(pca);
    return status;
}

static dltf_status try_landmarks(const attempt *a) {
    dltf_landmark_options o = dltf_landmark_options_default();
    o.m = 20;
    o.d = 3;
    dltf_landmarks *landmarks = NULL;
    dltf_status status = dltf_landmarks_train(a->X, &o, NULL, NULL, &landmarks);
    dltf_landmarks_free(landmarks);
    return status;
}

static dltf_status try_hashing(const attempt *a) {
    dltf_hash_options o = dltf_hash_options_default();
    o.bits = 8;
    o.method = DLTF_HASH_LSH;
    dltf_hasher *hasher = NULL;
    static uint8_t codes[ROWS];
    dltf_status status = dltf_hasher_train(a->X, &o, NULL, NULL, &hasher);
    if (status == DLTF_OK)
        status = dltf_hasher_apply(hasher, a->X, 2, NULL, NULL, codes);
    dltf_hasher_free(hasher);
    return status;
}

static dltf_status try_neighbours(const attempt *a) {
    dltf_relevance *relevance = NULL;
    dltf_status status = dltf_relevance_by_nearest(a->X, a->X, 3, 2, NULL, NULL, &relevance);
    dltf_relevance_free(relevance);
    return status;
}

static void a_failure_of_any_row_is_returned(void **state) {
    (void)state;
    static dltf_status (*const attempts[])(const attempt *) = {try_training, try_encoding, try_clustering,
                                                               try_components, try_hashing};
    dltf_synthetic *problem = make_problem();
    supply s = {dltf_synthetic_samples(problem, false), -1, false, 0, 0};
    dltf_train_options o = small_training(DLTF_ENCODER_TIED);
    attempt a = {.X = s.X};
    assert_int_equal(dltf_train(s.X, &o, NULL, NULL, &a.model), DLTF_OK);
    for (size_t t = 0; t < sizeof attempts / sizeof *attempts; t++)
        for (int64_t bad = -1; bad < ROWS; bad += 100) {
            s.bad = bad;
            s.silent = bad == 99;
            dltf_source *source = source_of(&s);
            a.X = dltf_source_matrix(source);
            dl_fail(DLTF_OK, "%s", "");
            dltf_status status = attempts[t](&a);
            if (status != (bad < 0 ? DLTF_OK : DLTF_FILE))
                fail_msg("attempt %zu, bad row %lld: %s, %s", t, (long long)bad, dltf_status_name(status),
                         dltf_message());
            if (bad > 0)
                assert_string_equal(dltf_message(), s.silent     ? "data: a row could not be read"
                                                    : bad == 199 ? "data: row 199 is gone"
                                                                 : "data: row 299 is gone");
            dltf_source_free(source);
        }
    dltf_model_free(a.model);
    dltf_synthetic_free(problem);
}

/* Whichever read of a computation is the first that fails, and not only in its first pass over the rows. */
static void a_failure_in_the_middle_is_returned(void **state) {
    (void)state;
    static dltf_status (*const attempts[])(const attempt *) = {
        try_training,     try_ksvd,       try_stages,     try_encoding,  try_refit,   try_error,
        try_certificates, try_clustering, try_components, try_landmarks, try_hashing, try_neighbours};
    enum { PARTS = 5 };
    dltf_synthetic *problem = make_problem();
    supply s = {dltf_synthetic_samples(problem, false), -1, false, 0, 0};
    dltf_train_options o = small_training(DLTF_ENCODER_TIED);
    attempt a = {.X = s.X};
    assert_int_equal(dltf_train(s.X, &o, NULL, NULL, &a.model), DLTF_OK);
    assert_int_equal(dltf_encode(a.model, s.X, NULL, NULL, NULL, &a.codes), DLTF_OK);
    for (size_t t = 0; t < sizeof attempts / sizeof *attempts; t++) {
        int64_t all = 0;
        for (int part = 0; part <= PARTS; part++) {
            s.end = part * all / PARTS; /* at last the very last read; first none */
            s.reads = 0;
            dltf_source *source = source_of(&s);
            a.X = dltf_source_matrix(source);
            dltf_status status = attempts[t](&a);
            if (status != (part == 0 ? DLTF_OK : DLTF_FILE))
                fail_msg("attempt %zu, read %lld of %lld: %s, %s", t, (long long)s.end, (long long)all,
                         dltf_status_name(status), dltf_message());
            all = part == 0 ? s.reads : all;
            dltf_source_free(source);
        }
    }
    dltf_codes_free(a.codes);
    dltf_model_free(a.model);
    dltf_synthetic_free(problem);
}

static void where_rows_must_be_in_memory_they_are_refused(void **state) {
    (void)state;
    dltf_synthetic *problem = make_problem();
    supply s = {dltf_synthetic_samples(problem, false), -1, false, 0, 0};
    dltf_source *source = source_of(&s);
    assert_int_equal(dltf_matrix_save(dltf_source_matrix(source), in_directory("x.npy")), DLTF_ARGUMENT);
    assert_non_null(strstr(dltf_message(), "not supported here"));
    dl_network *network = NULL;
    dl_network_options o = dl_network_options_default();
    o.loss = DL_LOSS_SQUARE;
    dltf_matrix rows = dltf_source_matrix(source);
    assert_int_equal(
        dl_network_new(&(dl_layer_view){.inputs = s.X.cols, .outputs = s.X.cols}, 1, 0, &network), DLTF_OK);
    assert_fails(dl_network_train(network, rows, (dl_targets){.values = s.X}, &o, NULL, NULL, NULL),
                 DLTF_ARGUMENT, "not supported here");
    assert_fails(dl_network_train(network, s.X, (dl_targets){.values = rows}, &o, NULL, NULL, NULL),
                 DLTF_ARGUMENT, "not supported here");
    dl_network_free(network);
    dltf_source_free(source);
    dltf_synthetic_free(problem);
}

/* ---- Files ---- */

static void assert_same_rows(dltf_matrix a, dltf_matrix b) {
    assert_int_equal(a.rows, b.rows);
    assert_int_equal(a.cols, b.cols);
    double *x = DL_NEW(double, a.cols), *y = DL_NEW(double, a.cols);
    float *f = DL_NEW(float, a.cols), *g = DL_NEW(float, a.cols);
    for (int64_t i = a.rows - 1; i >= 0; i--) {
        dl_matrix_row(a, i, x);
        dl_matrix_row(b, i, y);
        assert_memory_equal(x, y, (size_t)a.cols * sizeof *x);
        dltf_matrix_row(a, i, f);
        dltf_matrix_row(b, i, g);
        assert_memory_equal(f, g, (size_t)a.cols * sizeof *f);
    }
    assert_int_equal(dl_matrix_status(b), DLTF_OK);
    dl_free(x);
    dl_free(y);
    dl_free(f);
    dl_free(g);
}

/* Loaded whole and read by rows; `by_rows`: whether the format can be. */
static void assert_opens(const char *name, bool by_rows) {
    dltf_array *whole = NULL, *rows = NULL;
    if (dltf_array_load(in_directory(name), &whole) != DLTF_OK ||
        dltf_array_open(in_directory(name), 0, &rows) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_int_equal(dltf_array_matrix(rows).type == DLTF_ROWS, by_rows);
    assert_same_rows(dltf_array_matrix(whole), dltf_array_matrix(rows));
    dltf_array_free(whole);
    dltf_array_free(rows);
}

static void write_elements(const char *name, const char *code, const char *shape, const void *bytes,
                           int64_t size) {
    char header[128] = "\x93NUMPY\x01";
    header[8] = 118;
    int length =
        snprintf(header + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", code, shape);
    memset(header + 10 + length, ' ', (size_t)(118 - length));
    header[127] = '\n';
    FILE *file = fopen(in_directory(name), "wb");
    assert_non_null(file);
    fwrite(header, 1, sizeof header, file);
    fwrite(bytes, 1, (size_t)size, file);
    assert_int_equal(fclose(file), 0);
}

static void every_element_type_is_read(void **state) {
    (void)state;
    static const struct {
        const char *code;
        int64_t item;
    } types[] = {{"<f4", 4}, {">f4", 4}, {"<f8", 8}, {">f8", 8}, {"<f2", 2}, {"|u1", 1}, {"|i1", 1},
                 {"<i2", 2}, {">u2", 2}, {"<i4", 4}, {">i4", 4}, {"<u4", 4}, {"<i8", 8}};
    uint8_t bytes[8 * 6];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int64_t i = 0; i < 6 * types[t].item; i++)
            bytes[i] = (uint8_t)(7 * i + 3 * (int64_t)t);
        for (int64_t i = 0; types[t].item == 8 && i < 6; i++) /* within 2^53 */
            bytes[8 * i + 7] = bytes[8 * i + 6] = types[t].code[1] == 'i' ? 0 : bytes[8 * i + 6];
        write_elements("e.npy", types[t].code, "(2, 3)", bytes, 6 * types[t].item);
        assert_opens("e.npy", true);
        write_elements("e.npy", types[t].code, "(6,)", bytes, 6 * types[t].item);
        assert_opens("e.npy", true);
        write_elements("e.npy", types[t].code, "(3, 1, 2)", bytes, 6 * types[t].item);
        assert_opens("e.npy", true);
    }
}

static void every_format_is_read(void **state) {
    (void)state;
    static const char *const names[] = {"x.npy", "x.fvecs", "x.csv"};
    uint8_t bytes[ROWS], records[2 * 3073] = {3};
    dltf_synthetic *problem = make_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(dltf_matrix_save(X, in_directory(names[i])), DLTF_OK);
        assert_opens(names[i], i < 2);
    }
    for (int i = 0; i < ROWS; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(dltf_matrix_save(dltf_matrix_u8(bytes, ROWS / 4, 4), in_directory("x.bvecs")), DLTF_OK);
    assert_opens("x.bvecs", true);
    static const uint8_t idx[] = {0, 0, 0x0b, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 0xff, 0, 0, 9, 7, 7};
    write_file(in_directory("x.idx"), idx, sizeof idx);
    assert_opens("x.idx", true);
    for (int i = 1; i < 3073; i++)
        records[i] = records[3073 + i] = (uint8_t)(i % 251);
    write_file(in_directory("x.bin"), records, sizeof records);
    assert_opens("x.bin", true);
    dltf_synthetic_free(problem);
}

static void raw_rows_are_read(void **state) {
    (void)state;
    float values[] = {1, -2, 3.5F, 4, 5, 6};
    dltf_array *array = NULL;
    write_file(in_directory("x.raw"), values, sizeof values);
    assert_int_equal(dltf_array_open(in_directory("x.raw"), 3, &array), DLTF_OK);
    assert_same_rows(dltf_matrix_f32(values, 2, 3), dltf_array_matrix(array));
    dltf_array_free(array);
    assert_int_equal(dltf_array_open(in_directory("x.raw"), 4, &array), DLTF_FORMAT);
    assert_non_null(strstr(dltf_message(), "truncated: row 1"));
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(values, 2, 3), in_directory("x.npy")), DLTF_OK);
    assert_int_equal(dltf_array_open(in_directory("x.npy"), 1, &array), DLTF_FORMAT);
    assert_non_null(strstr(dltf_message(), "is a .npy file, not raw rows"));
}

static void a_file_that_shrinks_is_an_error(void **state) {
    (void)state;
    dltf_synthetic *problem = make_problem();
    dltf_array *array = NULL;
    double row[COLS];
    assert_int_equal(dltf_matrix_save(dltf_synthetic_samples(problem, false), in_directory("s.npy")),
                     DLTF_OK);
    assert_int_equal(dltf_array_open(in_directory("s.npy"), 0, &array), DLTF_OK);
    assert_int_equal(truncate(in_directory("s.npy"), 1000), 0);
    dl_matrix_row(dltf_array_matrix(array), 0, row);
    assert_int_equal(dl_matrix_status(dltf_array_matrix(array)), DLTF_OK);
    dl_matrix_row(dltf_array_matrix(array), ROWS - 1, row);
    for (int j = 0; j < COLS; j++)
        assert_true(row[j] == 0);
    assert_int_equal(dl_matrix_status(dltf_array_matrix(array)), DLTF_FILE);
    assert_non_null(strstr(dltf_message(), "s.npy: was truncated while it was in use"));
    dltf_array_free(array);
    dltf_synthetic_free(problem);
}

static int64_t resident_bytes(void) {
    long pages = 0, resident = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%ld %ld", &pages, &resident), 2);
    fclose(in);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

/* Each is larger than all memory that is allowed for reading. */
static void many_files_take_no_more_memory_than_one(void **state) {
    (void)state;
    enum { FILES = 12, WIDTH = 64, LENGTH = 1 << 15 };
    static float zeros[LENGTH * WIDTH];
    dltf_array *parts[FILES], *all = NULL;
    double row[WIDTH];
    write_file(in_directory("zeros.raw"), zeros, sizeof zeros);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(dltf_array_open(in_directory("zeros.raw"), WIDTH, &parts[i]), DLTF_OK);
    assert_int_equal(dltf_array_join(parts, FILES, &all), DLTF_OK);
    dltf_matrix X = dltf_array_matrix(all);
    int64_t before = resident_bytes();
    for (int64_t i = 0; i < X.rows; i++)
        dl_matrix_row(X, i, row);
    assert_int_equal(dl_matrix_status(X), DLTF_OK);
    assert_true(resident_bytes() - before < 6 << 20);
    dltf_array_free(all);
}

static void corrupt_records_are_errors(void **state) {
    (void)state;
    static const uint8_t vectors[] = {2, 0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2};
    dltf_array *array = NULL;
    double row[3072];
    write_file(in_directory("c.bvecs"), vectors, sizeof vectors);
    assert_int_equal(dltf_array_open(in_directory("c.bvecs"), 0, &array), DLTF_OK);
    dl_matrix_row(dltf_array_matrix(array), 1, row);
    assert_int_equal(dl_matrix_status(dltf_array_matrix(array)), DLTF_FORMAT);
    assert_non_null(strstr(dltf_message(), "row 1 (counting from 0) has dimension 3"));
    dltf_array_free(array);
    uint8_t record[3073] = {10};
    write_file(in_directory("c.bin"), record, sizeof record);
    assert_int_equal(dltf_array_open(in_directory("c.bin"), 0, &array), DLTF_OK);
    dl_matrix_row(dltf_array_matrix(array), 0, row);
    assert_int_equal(dl_matrix_status(dltf_array_matrix(array)), DLTF_FORMAT);
    dltf_array_free(array);
}

static void what_cannot_be_opened_says_why(void **state) {
    (void)state;
    dltf_array *array = NULL;
    static const uint8_t zeros[48];
    assert_int_equal(dltf_array_open(in_directory("none.npy"), 0, &array), DLTF_FILE);
    assert_int_equal(dltf_array_open(in_directory(""), 0, &array), DLTF_FILE);
    assert_int_equal(dltf_array_open("", 0, &array), DLTF_ARGUMENT);
    assert_int_equal(dltf_array_open(in_directory("none"), -1, &array), DLTF_ARGUMENT);
    write_file(in_directory("empty.npy"), zeros, 0);
    assert_int_equal(dltf_array_open(in_directory("empty.npy"), 0, &array), DLTF_FORMAT);
    write_file(in_directory("zero.xyz"), zeros, sizeof zeros);
    assert_int_equal(dltf_array_open(in_directory("zero.xyz"), 0, &array), DLTF_FORMAT);
    write_elements("short.npy", "<f4", "(3, 4)", zeros, 40);
    assert_int_equal(dltf_array_open(in_directory("short.npy"), 0, &array), DLTF_FORMAT);
    assert_null(array);
}

/* ---- Several files ---- */

static void parts_are_joined(void **state) {
    (void)state;
    dltf_synthetic *problem = make_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    static const int64_t ends[] = {0, 1, 130, 131, ROWS};
    dltf_array *parts[4], *all = NULL;
    for (int i = 0; i < 4; i++) {
        const char *path = in_directory((const char *[]){"0.npy", "1.npy", "2.fvecs", "3.npy"}[i]);
        assert_int_equal(dltf_matrix_save(dl_matrix_part(X, ends[i], ends[i + 1] - ends[i]), path), DLTF_OK);
        assert_int_equal(i == 1 ? dltf_array_load(path, &parts[i]) : dltf_array_open(path, 0, &parts[i]),
                         DLTF_OK);
    }
    assert_int_equal(dltf_array_join(parts, 4, &all), DLTF_OK);
    assert_same_rows(X, dltf_array_matrix(all));
    assert_same_rows(dl_matrix_part(X, 100, 40), dl_matrix_part(dltf_array_matrix(all), 100, 40));
    dl_source_expect(dltf_array_matrix(all).data, 0, ROWS);
    dl_source_expect(dltf_array_matrix(all).data, 129, 3);
    dltf_array_free(all);
    dltf_synthetic_free(problem);
}

static void parts_of_different_width_are_refused(void **state) {
    (void)state;
    float values[6] = {0};
    dltf_array *parts[2], *all = NULL;
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(values, 2, 3), in_directory("3.npy")), DLTF_OK);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(values, 3, 2), in_directory("2.npy")), DLTF_OK);
    assert_int_equal(dltf_array_load(in_directory("3.npy"), &parts[0]), DLTF_OK);
    assert_int_equal(dltf_array_load(in_directory("2.npy"), &parts[1]), DLTF_OK);
    assert_int_equal(dltf_array_join(parts, 2, &all), DLTF_DATA);
    assert_non_null(strstr(dltf_message(), "file 2 of 2 has 2 columns, but the first has 3"));
    assert_null(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_gives_the_same_model),
        cmocka_unit_test(a_failure_of_any_row_is_returned),
        cmocka_unit_test(a_failure_in_the_middle_is_returned),
        cmocka_unit_test(where_rows_must_be_in_memory_they_are_refused),
        cmocka_unit_test(every_element_type_is_read),
        cmocka_unit_test(every_format_is_read),
        cmocka_unit_test(raw_rows_are_read),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(many_files_take_no_more_memory_than_one),
        cmocka_unit_test(corrupt_records_are_errors),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(parts_are_joined),
        cmocka_unit_test(parts_of_different_width_are_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
