/* Clusters and images. */
#include "gateway.h"

/* clusters = kmeans (X, centers, options); centers = []: seeded. */
void gw_kmeans(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_clusters *clusters = NULL;
    const dltf_array *X = gw_array(in[0], "data");
    const dltf_options *options = gw_options("cluster", in[2]);
    if (mxIsEmpty(in[1]))
        GW_RUN(dltf_bind_clusters_train(X, options, gw_report, NULL, &clusters));
    else
        GW_RUN(dltf_bind_clusters_train_from(X, gw_array(in[1], "centers"), options, gw_report, NULL,
                                             &clusters));
    gw_own(clusters, gw_free_clusters);
    out[0] = gw_object_struct("clusters", clusters);
}

/* An image is height x width (x 3) singles; its planes are transposed on the way. */
static dltf_image *image_of(const mxArray *pixels) {
    const mwSize *size = mxGetDimensions(pixels);
    int64_t dimensions = (int64_t)mxGetNumberOfDimensions(pixels);
    int64_t height = (int64_t)size[0], width = (int64_t)size[1], channels = dimensions > 2 ? size[2] : 1;
    dltf_image *image = NULL;
    if (!mxIsSingle(pixels) || mxIsComplex(pixels) || dimensions > 3)
        gw_fail("argument", "image: expected a real matrix, height x width or height x width x 3");
    gw_check(dltf_image_new(width, height, channels, 32, &image));
    gw_own(image, gw_free_image);
    const float *from = mxGetData(pixels);
    float *to = dltf_image_pixels(image);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t y = 0; y < height; y++)
                to[(c * height + y) * width + x] = from[(c * width + x) * height + y];
    return image;
}

static mxArray *pixels_of(const dltf_image *image) {
    dltf_image_view view = dltf_image_get(image);
    mwSize size[3] = {(mwSize)view.height, (mwSize)view.width, (mwSize)view.channels};
    mxArray *pixels = mxCreateNumericArray(view.channels > 1 ? 3 : 2, size, mxSINGLE_CLASS, mxREAL);
    float *to = mxGetData(pixels);
    for (int64_t c = 0; c < view.channels; c++)
        for (int64_t x = 0; x < view.width; x++)
            for (int64_t y = 0; y < view.height; y++)
                to[(c * view.width + x) * view.height + y] =
                    view.planes[(c * view.height + y) * view.width + x];
    return pixels;
}

/* [clean, info] = denoise (noisy, model, options) */
void gw_denoise(int outputs, mxArray *out[], const mxArray *in[]) {
    dltf_image *clean = NULL;
    dltf_values *info = NULL;
    const dltf_image *noisy = image_of(in[0]);
    const dltf_model *model = gw_model(in[1]);
    const dltf_options *options = gw_options("denoise", in[2]);
    GW_RUN(dltf_bind_denoise(noisy, model, options, gw_report, NULL, &clean, &info));
    gw_own(clean, gw_free_image);
    gw_own(info, gw_free_values);
    out[0] = pixels_of(clean);
    if (outputs > 1)
        out[1] = gw_values_struct(info);
}
