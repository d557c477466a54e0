/* Networks as classifiers: the class of a sample is that of the largest output. */
#include "base/memory.h"
#include "network/classes.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

dltf_status dl_network_set_scale(dl_network *network, double scale) {
    DL_REQUIRE(network);
    if (!isfinite((float)scale) || (float)scale == 0)
        return dl_fail(DLTF_ARGUMENT, "a factor of %g on the inputs: it must be finite and not 0", scale);
    network->scale = (float)scale;
    return DLTF_OK;
}

double dl_network_scale(const dl_network *network) {
    return network ? (double)network->scale : 0;
}

dltf_status dl_network_set_classes(dl_network *network, const int64_t *classes) {
    DL_REQUIRE(network, classes);
    int64_t count = dl_network_outputs(network);
    for (int64_t i = 1; i < count; i++)
        if (classes[i] <= classes[i - 1])
            return dl_fail(DLTF_ARGUMENT, "class %lld follows class %lld: classes must ascend",
                           (long long)classes[i], (long long)classes[i - 1]);
    int64_t *copy = DL_NEW(int64_t, count);
    if (!copy)
        return DLTF_MEMORY;
    memcpy(copy, classes, (size_t)count * sizeof *copy);
    dl_free(network->classes);
    network->classes = copy;
    return DLTF_OK;
}

const int64_t *dl_network_classes(const dl_network *network) {
    return network ? network->classes : NULL;
}

/* Position of the largest, the first of equals. */
static int64_t largest_of(const float *y, int64_t n) {
    int64_t best = 0;
    for (int64_t j = 1; j < n; j++)
        if (y[j] > y[best])
            best = j;
    return best;
}

/* In place. */
static void softmax(float *y, int64_t n) {
    float largest = y[largest_of(y, n)];
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (double)(y[j] = expf(y[j] - largest));
    for (int64_t j = 0; j < n; j++)
        y[j] = (float)((double)y[j] / sum);
}

dltf_status dl_network_classify(const dl_network *network, dltf_matrix X, int64_t threads, int32_t *numbers,
                                float *probabilities) {
    int64_t outputs = dl_network_outputs(network);
    float *Y = probabilities;
    dltf_status status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    if (!Y)
        DL_TRY_NEW(Y, X.rows * outputs);
    DL_TRY(dl_network_apply(network, X, threads, Y));
    for (int64_t i = 0; i < X.rows; i++) {
        numbers[i] = (int32_t)largest_of(Y + i * outputs, outputs);
        if (probabilities)
            softmax(Y + i * outputs, outputs);
    }
done:
    if (Y != probabilities)
        dl_free(Y);
    return status;
}

dltf_status dl_network_predict(const dl_network *network, dltf_matrix X, int64_t threads, int64_t *labels,
                               float *probabilities) {
    DL_REQUIRE(network, labels);
    int32_t *numbers = NULL;
    dltf_status status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(numbers, X.rows);
    DL_TRY(dl_network_classify(network, X, threads, numbers, probabilities));
    for (int64_t i = 0; i < X.rows; i++)
        labels[i] = network->classes ? network->classes[numbers[i]] : numbers[i];
done:
    dl_free(numbers);
    return status;
}

dltf_status dl_network_confusion(const dl_network *network, dltf_matrix X, const int64_t *labels,
                                 int64_t threads, int64_t *counts) {
    DL_REQUIRE(network, labels, counts);
    int64_t outputs = dl_network_outputs(network), *classes = NULL;
    int32_t *wanted = NULL, *found = NULL;
    dltf_status status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(classes, outputs);
    DL_TRY_NEW(wanted, X.rows);
    DL_TRY_NEW(found, X.rows);
    for (int64_t j = 0; j < outputs; j++)
        classes[j] = network->classes ? network->classes[j] : j;
    DL_TRY(dl_classes_number(labels, X.rows, classes, outputs, wanted));
    DL_TRY(dl_network_classify(network, X, threads, found, NULL));
    memset(counts, 0, (size_t)(outputs * outputs) * sizeof *counts);
    for (int64_t i = 0; i < X.rows; i++)
        counts[wanted[i] * outputs + found[i]]++;
done:
    dl_free(classes);
    dl_free(wanted);
    dl_free(found);
    return status;
}
