/* What encoders derive from a model: made once, kept by the model, the same codes for any number of encoders
 * and threads; after lack of memory nothing half-made is kept. */
#include "coding/encoder.h"
#include "data/model.h"

#include "test_util.h"

#include <pthread.h>
#include <stdio.h>

enum { M = 60, LENGTH = 20, K = 4, N = 130, THREADS = 4 };

static float W[M * LENGTH], E[M * LENGTH], X[N * LENGTH];

static dltf_model *new_model(void) {
    dltf_model *model = NULL;
    fill_normal(W, M * LENGTH);
    fill_normal(E, M * LENGTH);
    fill_normal(X, N * LENGTH);
    dltf_model_view parts = {.m = M, .n = LENGTH, .k = K, .dictionary = W, .encoder = E};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

#define CODER(NAME, name, help) DLTF_CODER_##NAME,
static const dltf_coder coders[] = {DLTF_CODERS(CODER)};
#undef CODER
enum { CODERS = sizeof coders / sizeof *coders };

static dltf_encode_options options_of(dltf_coder coder) {
    dltf_encode_options o = dltf_encode_options_default();
    o.coder = coder;
    o.threads = 2;
    o.lists = coder == DLTF_CODER_SHORTLIST ? 2 : 0;
    return o;
}

/* Which kinds a coder needs, for a dictionary whose Gram matrix is stored and that needs no filter. */
static unsigned kinds_of(dltf_coder coder) {
    unsigned gram = 1u << DL_DERIVED_GRAM, atoms = 1u << DL_DERIVED_ATOMS, dual = 1u << DL_DERIVED_DUAL;
    switch (coder) {
    case DLTF_CODER_OMP:
        return gram | atoms;
    case DLTF_CODER_IHT:
    case DLTF_CODER_NIHT:
        return gram | atoms | 1u << DL_DERIVED_EIGENVALUE;
    case DLTF_CODER_HTP:
        return dual | 1u << DL_DERIVED_PRODUCTS;
    case DLTF_CODER_INCOHERENT:
        return atoms | 1u << DL_DERIVED_CONFLICTS;
    case DLTF_CODER_SHORTLIST:
        return gram | dual;
    case DLTF_CODER_THRESHOLD:
        break;
    }
    return 0;
}

static void get_all(const dltf_model *model, const dl_derived **all) {
    for (int kind = 0; kind < DL_DERIVED_KINDS; kind++)
        all[kind] = dl_model_derived(model, (dl_derived_kind)kind);
}

/* ---- Once per model ---- */

static void one_of_each(void **state) {
    (void)state;
    for (int c = 0; c < CODERS; c++) {
        const dl_derived *first[DL_DERIVED_KINDS], *later[DL_DERIVED_KINDS];
        dltf_model *model = new_model();
        dltf_encode_options o = options_of(coders[c]);
        dltf_encoder *encoders[3] = {0};
        for (int i = 0; i < 3; i++) {
            dltf_codes *codes = NULL;
            assert_int_equal(dltf_encoder_new(model, &o, &encoders[i]), DLTF_OK);
            get_all(model, i == 0 ? first : later);
            assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, 1, LENGTH), &o, NULL, NULL, &codes),
                             DLTF_OK);
            dltf_codes_free(codes);
        }
        assert_memory_equal(first, later, sizeof first);
        for (int kind = 0; kind < DL_DERIVED_KINDS; kind++)
            assert_int_equal(first[kind] != NULL, kinds_of(coders[c]) >> kind & 1);
        for (int i = 0; i < 3; i++)
            dltf_encoder_free(encoders[i]);
        get_all(model, later);
        assert_memory_equal(first, later, sizeof first);
        dltf_model_free(model);
    }
}

/* A tied model has packed its dictionary already. */
static void tied_atoms_are_not_copied(void **state) {
    (void)state;
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    dltf_encode_options o = options_of(DLTF_CODER_OMP);
    fill_normal(W, M * LENGTH);
    dltf_model_view parts = {.m = M, .n = LENGTH, .k = K, .dictionary = W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encoder_new(model, &o, &encoder), DLTF_OK);
    assert_null(dl_model_derived(model, DL_DERIVED_ATOMS));
    assert_non_null(dl_model_derived(model, DL_DERIVED_GRAM));
    dltf_encoder_free(encoder);
    dltf_model_free(model);
}

/* ---- Same codes ---- */

typedef struct coded {
    int32_t count[N], index[N * K];
    float value[N * K];
} coded;

static void run(const dltf_model *model, const dltf_encode_options *o, coded *z) {
    dltf_encoder *encoder = NULL;
    assert_int_equal(dltf_encoder_new(model, o, &encoder), DLTF_OK);
    assert_int_equal(dltf_encoder_run(encoder, dltf_matrix_f32(X, N, LENGTH), z->count, z->index, z->value),
                     DLTF_OK);
    dltf_encoder_free(encoder);
}

static void assert_same(const coded *a, const coded *b) {
    assert_memory_equal(a->count, b->count, sizeof a->count);
    for (int i = 0; i < N; i++) {
        assert_memory_equal(a->index + i * K, b->index + i * K, (size_t)a->count[i] * sizeof *a->index);
        assert_memory_equal(a->value + i * K, b->value + i * K, (size_t)a->count[i] * sizeof *a->value);
    }
}

/* Coders one after the other on one model, which keeps what earlier ones derived, and each on its own. */
static void same_codes(void **state) {
    (void)state;
    static coded shared, own;
    dltf_model *model = new_model();
    for (int round = 0; round < 2; round++)
        for (int c = 0; c < CODERS; c++) {
            dltf_encode_options o = options_of(coders[c]);
            dltf_model_view parts = dltf_model_get(model);
            dltf_model *fresh = NULL;
            assert_int_equal(dltf_model_new(&parts, &fresh), DLTF_OK);
            run(model, &o, &shared);
            run(fresh, &o, &own);
            assert_same(&shared, &own);
            dltf_model_free(fresh);
        }
    dltf_model_free(model);
}

/* The model keeps the conflicts of one coherence; an encoder with another one has its own. */
static void two_coherences(void **state) {
    (void)state;
    static coded a, b, again;
    dltf_model *model = new_model(), *fresh = NULL;
    dltf_model_view parts = dltf_model_get(model);
    dltf_encode_options tight = options_of(DLTF_CODER_INCOHERENT), loose = tight;
    tight.coherence = 0.05;
    loose.coherence = 0.5;
    run(model, &tight, &a);
    const dl_derived *kept = dl_model_derived(model, DL_DERIVED_CONFLICTS);
    run(model, &loose, &b);
    assert_ptr_equal(dl_model_derived(model, DL_DERIVED_CONFLICTS), kept);
    run(model, &tight, &again);
    assert_same(&a, &again);
    assert_int_equal(dltf_model_new(&parts, &fresh), DLTF_OK);
    run(fresh, &loose, &again);
    assert_same(&b, &again);
    assert_true(memcmp(a.index, b.index, sizeof a.index) != 0);
    dltf_model_free(fresh);
    dltf_model_free(model);
}

/* ---- Threads ---- */

typedef struct caller {
    const dltf_model *model;
    pthread_barrier_t *start;
    coded z[CODERS];
    bool failed;
} caller;

/* No assertions: cmocka's jump. Meets the other threads before every coder. */
static void *call(void *context) {
    caller *own = context;
    for (int c = 0; c < CODERS; c++) {
        dltf_encode_options o = options_of(coders[c]);
        dltf_encoder *encoder = NULL;
        coded *z = &own->z[c];
        pthread_barrier_wait(own->start);
        own->failed |=
            dltf_encoder_new(own->model, &o, &encoder) != DLTF_OK ||
            dltf_encoder_run(encoder, dltf_matrix_f32(X, N, LENGTH), z->count, z->index, z->value) != DLTF_OK;
        dltf_encoder_free(encoder);
    }
    return NULL;
}

static void many_threads(void **state) {
    (void)state;
    static caller callers[THREADS];
    static coded alone;
    dltf_model *model = new_model();
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        callers[t].model = model;
        callers[t].start = &start;
        assert_int_equal(pthread_create(&threads[t], NULL, call, &callers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    pthread_barrier_destroy(&start);
    for (int c = 0; c < CODERS; c++) {
        dltf_encode_options o = options_of(coders[c]);
        run(model, &o, &alone);
        for (int t = 0; t < THREADS; t++) {
            assert_false(callers[t].failed);
            assert_same(&callers[t].z[c], &alone);
        }
    }
    dltf_model_free(model);
}

typedef struct counted {
    dl_derived base;
    int *freed;
} counted;

static void free_counted(dl_derived *derived) {
    (*((counted *)derived)->freed)++;
    dl_free(derived);
}

typedef struct rival {
    const dltf_model *model;
    int freed;
    const dl_derived *first; /* of the faster thread */
} rival;

static dltf_status make_counted(const void *context, dl_derived **made) {
    counted *item = DL_NEW(counted, 1);
    assert_non_null(item);
    *item = (counted){{free_counted}, &((rival *)(uintptr_t)context)->freed};
    *made = &item->base;
    return DLTF_OK;
}

/* While one thread makes an item, another one finishes the same. */
static dltf_status make_late(const void *context, dl_derived **made) {
    rival *r = (rival *)(uintptr_t)context;
    dltf_status status = dl_model_derive(r->model, DL_DERIVED_GRAM, make_counted, r, &r->first);
    return status == DLTF_OK ? make_counted(context, made) : status;
}

static void the_first_is_kept(void **state) {
    (void)state;
    dltf_model *model = new_model();
    rival r = {.model = model};
    const dl_derived *found = NULL;
    assert_int_equal(dl_model_derive(model, DL_DERIVED_GRAM, make_late, &r, &found), DLTF_OK);
    assert_ptr_equal(found, r.first);
    assert_int_equal(r.freed, 1);
    dltf_model_free(model);
    assert_int_equal(r.freed, 2);
}

/* ---- Lack of memory ---- */

static dltf_status derive_and_run(dltf_coder coder, coded *z) {
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    dltf_encode_options o = options_of(coder);
    dltf_model_view parts = {.m = M, .n = LENGTH, .k = K, .dictionary = W, .encoder = E};
    dltf_status status = dltf_model_new(&parts, &model);
    if (status == DLTF_OK)
        status = dltf_encoder_new(model, &o, &encoder);
    if (status == DLTF_MEMORY && model) { /* a second attempt on what the first one has left */
        char text[200];
        snprintf(text, sizeof text, "%s", dltf_message());
        dl_alloc_fail_after(0);
        run(model, &o, z);
        dl_fail(DLTF_MEMORY, "%s", text);
    }
    dltf_encoder_free(encoder);
    dltf_model_free(model);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    static coded z, wanted;
    for (int c = 0; c < CODERS; c++) {
        dltf_model *model = new_model();
        dltf_encode_options o = options_of(coders[c]);
        run(model, &o, &wanted);
        dltf_model_free(model);
        z = wanted;
        assert_survives_lack_of_memory((assert_same(&z, &wanted), derive_and_run(coders[c], &z)), 8);
    }
}

/* ---- Models whose arrays are replaced ---- */

static void replaced_model(void **state) {
    (void)state;
    static coded z, wanted;
    static double W64[M * LENGTH], E64[M * LENGTH];
    static float narrow[2][M * LENGTH];
    dltf_model *model = new_model(), *fresh = NULL;
    dltf_encode_options o = options_of(DLTF_CODER_HTP);
    run(model, &o, &z);
    fill_normal_f64(W64, M * LENGTH);
    fill_normal_f64(E64, M * LENGTH);
    for (int i = 0; i < M * LENGTH; i++) {
        narrow[0][i] = (float)W64[i];
        narrow[1][i] = (float)E64[i];
    }
    assert_int_equal(dl_model_replace(model, W64, E64), DLTF_OK);
    assert_null(dl_model_derived(model, DL_DERIVED_DUAL));
    dltf_model_view parts = {.m = M, .n = LENGTH, .k = K, .dictionary = narrow[0], .encoder = narrow[1]};
    assert_int_equal(dltf_model_new(&parts, &fresh), DLTF_OK);
    run(model, &o, &z);
    run(fresh, &o, &wanted);
    assert_same(&z, &wanted);
    W64[5] = NAN;
    assert_fails(dl_model_replace(model, W64, E64), DLTF_DATA, "entry 5 of the dictionary is not finite");
    dltf_model_free(fresh);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(one_of_each), cmocka_unit_test(tied_atoms_are_not_copied),
           cmocka_unit_test(same_codes), cmocka_unit_test(two_coherences), cmocka_unit_test(many_threads),
           cmocka_unit_test(the_first_is_kept), cmocka_unit_test(out_of_memory),
           cmocka_unit_test(replaced_model))
