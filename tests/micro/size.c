/* A program that encodes, or with -DEMPTY nothing: the difference in size is that of the encoder. */
#include "board.h"

#include "model.h"

int main(void) {
#ifndef EMPTY
    static uint64_t work[model_work];
    static uint16_t atoms[model_k];
#if BITS == 32
    static float x[model_n], sample[model_n], value[model_k];
    dltf_micro_encode_f32(&model, x, work, sample, atoms, value);
#else
    static int16_t x[model_n];
    static int32_t value[model_k];
    dltf_micro_encode(&model, x, work, atoms, value);
#endif
#endif
    board_exit(0);
    return 0;
}
