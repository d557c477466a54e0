/* Cross-entropy of softmax(y): log sum_j exp(y_j) - y_label. Its gradient is softmax(y) minus the unit vector
 * of the label. */
#include "network/loss.h"

#include <math.h>

static double row(const float *y, const void *target, int64_t n, float scale, float *gradient) {
    int32_t label = *(const int32_t *)target;
    float largest = y[0];
    double sum = 0;
    for (int64_t j = 1; j < n; j++)
        largest = fmaxf(largest, y[j]);
    for (int64_t j = 0; j < n; j++) {
        gradient[j] = expf(y[j] - largest);
        sum += (double)gradient[j];
    }
    float share = (float)((double)scale / sum);
    for (int64_t j = 0; j < n; j++)
        gradient[j] *= share;
    gradient[label] -= scale;
    return log(sum) + (double)largest - (double)y[label];
}

const dl_loss dl_loss_softmax = {"softmax", true, row};
