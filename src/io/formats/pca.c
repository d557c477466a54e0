/* dltf_pca_save and dltf_pca_load: principal components as tensors (docs/formats.md). */
#include "data/kind.h"
#include "dltf/cluster.h"
#include "io/files/file.h"
#include "io/formats/safetensors.h"

dltf_status dltf_pca_save(const dltf_pca *pca, const char *path) {
    DL_REQUIRE(pca, path);
    dltf_status status = DLTF_OK;
    dl_bundle bundle = {0};
    dltf_pca_view v = dltf_pca_get(pca);
    DL_TRY(dl_kind_mark(&bundle, DL_KIND_PCA));
    DL_TRY(dl_bundle_add_copy(&bundle, "mean", DL_TENSOR_F32, v.n, 0, v.mean));
    DL_TRY(dl_bundle_add_copy(&bundle, "components", DL_TENSOR_F32, v.d, v.n, v.components));
    DL_TRY(dl_bundle_add_copy(&bundle, "variances", DL_TENSOR_F64, v.d, 0, v.variances));
    DL_TRY(dl_bundle_add_copy(&bundle, "total_variance", DL_TENSOR_F64, 1, 0, &v.total_variance));
    status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status; /* already prefixed with the path */
done:
    dl_bundle_free(&bundle);
    return dl_file_result(status, path);
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
