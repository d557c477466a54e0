/* Files of principal components: tensors (docs/formats.md). */
#include "base/memory.h"
#include "data/kind.h"
#include "dltf/cluster.h"
#include "io/files/file.h"
#include "io/formats/safetensors.h"

static dltf_status to_bundle(const dltf_pca *pca, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    dltf_pca_view v = dltf_pca_get(pca);
    DL_TRY(dl_kind_mark(bundle, DL_KIND_PCA));
    DL_TRY(dl_bundle_add_copy(bundle, "mean", DL_TENSOR_F32, v.n, 0, v.mean));
    DL_TRY(dl_bundle_add_copy(bundle, "components", DL_TENSOR_F32, v.d, v.n, v.components));
    DL_TRY(dl_bundle_add_copy(bundle, "variances", DL_TENSOR_F64, v.d, 0, v.variances));
    DL_TRY(dl_bundle_add_copy(bundle, "total_variance", DL_TENSOR_F64, 1, 0, &v.total_variance));
done:
    return status;
}

dltf_status dltf_pca_save(const dltf_pca *pca, const char *path) {
    DL_REQUIRE(pca, path);
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(pca, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path); /* prefixes with the path */
    else
        dl_file_result(status, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_pca_write(const dltf_pca *pca, uint8_t **bytes, int64_t *size) {
    DL_CLEAR(bytes);
    DL_REQUIRE(pca, bytes, size);
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(pca, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_write(&bundle, bytes, size);
    dl_bundle_free(&bundle);
    return status;
}

static dltf_status from_bundle(const dl_bundle *bundle, dltf_pca **pca) {
    dltf_status status = DLTF_OK;
    const void *mean = NULL, *components = NULL, *variances = NULL, *total = NULL;
    DL_TRY(dl_kind_check(bundle, DL_KIND_PCA));
    const dl_tensor *shape = dl_bundle_find(bundle, "components");
    if (!shape)
        return dl_fail(DLTF_FORMAT, "is not a complete PCA: tensor 'components' is missing");
    DL_TRY(dl_bundle_get(bundle, "components", DL_TENSOR_F32, shape->rows, shape->cols, &components));
    DL_TRY(dl_bundle_get(bundle, "mean", DL_TENSOR_F32, shape->cols, 0, &mean));
    DL_TRY(dl_bundle_get(bundle, "variances", DL_TENSOR_F64, shape->rows, 0, &variances));
    DL_TRY(dl_bundle_get(bundle, "total_variance", DL_TENSOR_F64, 1, 0, &total));
    dltf_pca_view parts = {.n = shape->cols,
                           .d = shape->rows,
                           .mean = mean,
                           .components = components,
                           .variances = variances,
                           .total_variance = *(const double *)total};
    status = dltf_pca_new(&parts, pca);
done:
    return status;
}

dltf_status dltf_pca_load(const char *path, dltf_pca **pca) {
    DL_CLEAR(pca);
    DL_REQUIRE(path, pca);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status != DLTF_OK)
        return status; /* already prefixed with the path */
    status = dl_file_result(from_bundle(&bundle, pca), path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_pca_read(const void *bytes, int64_t size, dltf_pca **pca) {
    DL_CLEAR(pca);
    DL_REQUIRE(bytes, pca);
    DL_REQUIRE_BYTES(size);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_parse(bytes, size, &bundle);
    if (status == DLTF_OK)
        status = from_bundle(&bundle, pca);
    dl_bundle_free(&bundle);
    return status;
}
