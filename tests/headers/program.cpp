/* The public interface from C++17, with dltf.h alone: enums, aggregates, options, a callback, a
 * training. Returns 0, or the line of the first check that failed: without another header nothing can be
 * printed. */
#include <dltf.h>

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return __LINE__;                                                                                 \
    } while (false)

namespace {

static_assert(DLTF_OK == 0 && DLTF_ENCODER_TIED == 1);

int aggregates() {
    const float atoms[] = {1, 0, 0, 1}, x[] = {0, 2};
    const dltf_model_view parts = {
        2,     2,       1,       atoms,   nullptr, nullptr, nullptr, false, DLTF_SELECT_ABS,
        false, nullptr, nullptr, nullptr, nullptr, false,   1};
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.coder = DLTF_CODER_OMP;
    encoding.refit = true;
    dltf_model *model = nullptr;
    dltf_codes *codes = nullptr;
    REQUIRE(dltf_model_new(&parts, &model) == DLTF_OK);
    REQUIRE(dltf_encode(model, dltf_matrix{x, DLTF_F32, 1, 2, 2, 1}, &encoding, nullptr, nullptr, &codes) ==
            DLTF_OK);
    const dltf_csr csr = dltf_codes_csr(codes);
    REQUIRE(csr.rows == 1 && csr.cols == 2 && csr.indptr[1] == 1 && csr.indices[0] == 1 &&
            csr.values[0] == 2);
    dltf_codes_free(codes);
    dltf_model_free(model);
    return 0;
}

int training() {
    dltf_synthetic_options synthetic = dltf_synthetic_options_default();
    dltf_train_options options = dltf_train_options_default();
    dltf_synthetic *problem = nullptr;
    dltf_model *model = nullptr;
    int64_t steps = 0;
    const dltf_progress_fn count = [](void *context, const dltf_progress *progress) -> int {
        if (progress->iteration && progress->iteration->stage[0] == 'm')
            ++*static_cast<int64_t *>(context);
        return 0;
    };
    synthetic.n = 8;
    synthetic.m = 12;
    synthetic.k = 2;
    synthetic.samples = 300;
    options.m = synthetic.m;
    options.k = synthetic.k;
    options.steps = 7;
    REQUIRE(dltf_synthetic_new(&synthetic, nullptr, nullptr, &problem) == DLTF_OK);
    REQUIRE(dltf_train(dltf_synthetic_samples(problem, false), &options, count, &steps, &model) == DLTF_OK);
    REQUIRE(steps == 7 && dltf_model_get(model).m == 12);
    dltf_model_free(model);
    dltf_synthetic_free(problem);
    return 0;
}

int by_name() {
    dltf_options *options = nullptr;
    REQUIRE(dltf_options_new("train", &options) == DLTF_OK);
    REQUIRE(dltf_options_set(options, "steps", "7") == DLTF_OK);
    REQUIRE(dltf_options_set(options, "steps", "many") == DLTF_ARGUMENT && dltf_message()[0] != '\0');
    REQUIRE(static_cast<const dltf_train_options *>(dltf_options_struct(options))->steps == 7);
    dltf_options_free(options);
    return 0;
}

int stream() {
    const float x[] = {1, 0, 0, 1, 1, 1, 2, 1};
    dltf_train_options options = dltf_train_options_default();
    dltf_online *online = nullptr;
    dltf_model *model = nullptr;
    options.m = 2;
    options.k = 1;
    REQUIRE(dltf_online_new(2, nullptr, &options, &online) == DLTF_OK);
    REQUIRE(dltf_online_add(online, dltf_matrix_f32(x, 4, 2)) == DLTF_OK);
    REQUIRE(dltf_online_get(online).samples == 4 && dltf_online_model(online, &model) == DLTF_OK);
    dltf_model_free(model);
    dltf_online_free(online);
    return 0;
}

int sparse() {
    const int64_t indptr[] = {0, 1};
    const int32_t indices[] = {1};
    const double values[] = {5};
    const dltf_csr entries = {1, 2, indptr, indices, nullptr, values};
    float row[2];
    dltf_matrix_row(dltf_matrix_sparse(&entries), 0, row);
    REQUIRE(row[0] == 0 && row[1] == 5);
    return 0;
}

int ranks() {
    REQUIRE(dltf_ranks_begin(nullptr, nullptr) == DLTF_OK);
    REQUIRE(dltf_rank() == 0 && dltf_ranks() == 1 && dltf_ranks_any(true) && !dltf_ranks_any(false));
    char bytes[] = "same";
    bool same = false;
    REQUIRE(dltf_ranks_same(bytes, sizeof bytes, &same) == DLTF_OK && same);
    REQUIRE(dltf_ranks_broadcast(bytes, sizeof bytes) == DLTF_OK && bytes[0] == 's');
    REQUIRE(dltf_ranks_agree(DLTF_DATA, "one") == DLTF_DATA && dltf_last_error().status == DLTF_DATA);
    REQUIRE(dltf_ranks_agree(DLTF_OK, nullptr) == DLTF_OK && dltf_ranks_traffic().bytes == 0);
    dltf_ranks_end();
    return 0;
}

} // namespace

int main() {
    if (int line = ranks())
        return line;
    if (int line = aggregates())
        return line;
    if (int line = by_name())
        return line;
    if (int line = sparse())
        return line;
    if (int line = stream())
        return line;
    return training();
}
