/* The internals of principal components. */
#ifndef DL_DATA_PCA_H
#define DL_DATA_PCA_H

#include "base/handle.h"
#include "dltf/cluster.h"

struct dltf_pca {
    dl_handle handle;
    dltf_pca_view parts; /* points to the arrays below */
    float *mean, *components;
    double *variances;
};

#endif
