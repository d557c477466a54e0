/* Principal components: built from parts, checked once, read through a view. */
#include "data/pca.h"

#include "base/memory.h"
#include "base/sized.h"

#include <math.h>
#include <string.h>

/* The variances of some components cannot exceed the total: shares above 100% mean a damaged file. */
static dltf_status check_variances(const dltf_pca_view *parts) {
    const double rounding = 1e-6;
    double sum = 0;
    for (int64_t i = 0; i < parts->d; i++) {
        if (!isfinite(parts->variances[i]) || parts->variances[i] < 0)
            return dl_fail(DLTF_DATA, "pca: variance %lld is %g", (long long)i, parts->variances[i]);
        sum += parts->variances[i];
    }
    if (!isfinite(parts->total_variance) || parts->total_variance < 0)
        return dl_fail(DLTF_DATA, "pca: total variance is %g", parts->total_variance);
    if (!(sum <= parts->total_variance * (1 + rounding)))
        return dl_fail(DLTF_DATA,
                       "pca: the variances of the components add up to %g, more than the total of %g", sum,
                       parts->total_variance);
    return DLTF_OK;
}

static dltf_status check(const dltf_pca_view *parts) {
    if (parts->n < 1 || parts->n > INT32_MAX || parts->d < 1 || parts->d > parts->n)
        return dl_fail(DLTF_ARGUMENT, "pca: %lld components of %lld entries: expected 1 .. %lld components",
                       (long long)parts->d, (long long)parts->n, (long long)parts->n);
    if (!parts->mean || !parts->components || !parts->variances)
        return dl_fail(DLTF_ARGUMENT, "pca: the mean, the components or the variances are missing");
    for (int64_t j = 0; j < parts->n; j++)
        if (!isfinite(parts->mean[j]))
            return dl_fail(DLTF_DATA, "pca: entry %lld of the mean is not finite", (long long)j);
    for (int64_t e = 0; e < parts->d * parts->n; e++)
        if (!isfinite(parts->components[e]))
            return dl_fail(DLTF_DATA, "pca: component %lld, entry %lld is not finite",
                           (long long)(e / parts->n), (long long)(e % parts->n));
    return check_variances(parts);
}

dltf_status dltf_pca_new_sized(const dltf_pca_view *parts, size_t size, dltf_pca **pca) {
    DL_CLEAR(pca);
    DL_REQUIRE(parts, pca);
    dltf_pca *made = NULL;
    dltf_pca_view own;
    dltf_status status = DL_READ_STRUCT(dltf_pca_view, &own, parts, size);
    parts = &own;
    if (status == DLTF_OK)
        status = check(parts);
    if (status != DLTF_OK)
        return status;
    DL_TRY_HANDLE(made, PCA);
    DL_TRY_NEW(made->mean, parts->n);
    DL_TRY_NEW(made->components, parts->d * parts->n);
    DL_TRY_NEW(made->variances, parts->d);
    memcpy(made->mean, parts->mean, (size_t)parts->n * sizeof *made->mean);
    memcpy(made->components, parts->components, (size_t)(parts->d * parts->n) * sizeof *made->components);
    memcpy(made->variances, parts->variances, (size_t)parts->d * sizeof *made->variances);
    made->parts = (dltf_pca_view){parts->n,         parts->d,        made->mean,
                                  made->components, made->variances, parts->total_variance};
    *pca = made;
    made = NULL;
done:
    dltf_pca_free(made);
    return status;
}

void dltf_pca_get_sized(const dltf_pca *pca, dltf_pca_view *found, size_t size) {
    const dltf_pca_view none = {0};
    DL_WRITE_STRUCT(dltf_pca_view, found, size, pca ? &pca->parts : &none);
}

void dltf_pca_free(dltf_pca *pca) {
    if (!pca)
        return;
    dl_free(pca->mean);
    dl_free(pca->components);
    dl_free(pca->variances);
    dl_free(pca);
}
