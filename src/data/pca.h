/* The internals of principal components. */
#ifndef DL_DATA_PCA_H
#define DL_DATA_PCA_H

#include "base/status.h"
#include "dltf/cluster.h"

struct dltf_pca {
    dltf_pca_view parts; /* points to the arrays below */
    float *mean, *components;
    double *variances;
};

#endif
