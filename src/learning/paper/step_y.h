/* The Y-step of the model. */
#ifndef DL_LEARNING_PAPER_STEP_Y_H
#define DL_LEARNING_PAPER_STEP_Y_H

#include <stdint.h>

/* y <- y + beta (q - W^T x + W^T W z) for a tile of `count` entries; P = GZ - W^T X with the new W. */
void dl_y_step(double beta, int64_t count, const float *P, const float *Q, float *Y);

#endif
