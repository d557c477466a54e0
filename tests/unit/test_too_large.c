/* Problems too large for any machine are rejected before anything is allocated or read, with a helpful
 * message. */
#include "test_util.h"

#include "coding/coder.h"

/* Any number of samples: all are the same row. */
static dltf_matrix repeated(int64_t rows) {
    static const float row[4] = {1, 2, 3, 4};
    dltf_matrix X = dltf_matrix_f32(row, rows, 4);
    X.row_stride = 0;
    return X;
}

static const int64_t QUADRILLION = INT64_C(1000000000000000);

static dltf_status refused(const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    dltf_status status = dltf_learner_new(repeated(QUADRILLION), NULL, options, &learner);
    assert_null(learner);
    return status;
}

static void state_of_admm(void **state) {
    (void)state;
    dltf_train_options options = dltf_train_options_default();
    options.m = 46340;
    options.k = 1;
    options.encoder = DLTF_ENCODER_TIED;
    options.admm = 1;
    assert_fails(refused(&options), DLTF_MEMORY,
                 "m = 46340 atoms and N = 1000000000000000 samples need about ");
    assert_message_has("this machine has ");
    assert_message_has("in stage admm");
    assert_message_has("lower m");
    assert_int_equal(dltf_last_error().status, DLTF_MEMORY);
}

static void residuals_of_ksvd(void **state) {
    (void)state;
    dltf_train_options options = dltf_train_options_default();
    options.m = 8;
    options.k = 2;
    options.method = DLTF_METHOD_KSVD;
    assert_fails(refused(&options), DLTF_ARGUMENT, "ksvd supports at most 2,147,483,647");
    static const float row[4096] = {1};
    dltf_matrix X = dltf_matrix_f32(row, INT32_MAX, 4096);
    X.row_stride = 0;
    dltf_learner *learner = NULL;
    assert_fails(dltf_learner_new(X, NULL, &options, &learner), DLTF_MEMORY, "use fewer samples");
    assert_message_has("in stage ksvd");
    assert_null(learner);
}

/* Of omp and htp. */
static void gram_matrix(void **state) {
    (void)state;
    assert_int_equal(dl_gram_check(1000, 32), DLTF_OK);
    assert_fails(dl_gram_check(INT32_MAX, 32), DLTF_MEMORY,
                 "coder: the matrix of all pairs of 2147483647 atoms needs 18446744057 GB, but this machine "
                 "has ");
    assert_message_has("use coder threshold");
    assert_int_equal(dltf_last_error().subject, DLTF_SUBJECT_OPTION);
    assert_fails(dl_gram_check(INT32_MAX, 1), DLTF_MEMORY, "needs 576460752 GB"); /* of incoherent: bits */
}

static void codes_beyond_addresses(void **state) {
    (void)state;
    float W[2] = {1, 1};
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_model_new(&(dltf_model_view){.m = 2, .n = 1, .k = 2, .dictionary = W}, &model),
                     DLTF_OK);
    dltf_matrix X = repeated(INT64_MAX / 8);
    X.cols = 1;
    assert_fails(dltf_encode(model, X, NULL, NULL, NULL, &codes), DLTF_MEMORY,
                 "allocation size out of range: ");
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(state_of_admm), cmocka_unit_test(residuals_of_ksvd),
           cmocka_unit_test(gram_matrix), cmocka_unit_test(codes_beyond_addresses))
