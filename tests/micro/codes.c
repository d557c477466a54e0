/* The lines that examples/firmware sends, on the host: int8_t samples from stdin. */
#include "model.h"

#include <stdio.h>

int main(void) {
    static int8_t x[model_n];
    static uint64_t work[model_work];
    static uint16_t atoms[model_k];
    static int32_t value[model_k];
    while (fread(x, 1, sizeof x, stdin) == sizeof x) {
        dltf_micro_code code = dltf_micro_encode(&model, x, work, atoms, value);
        if (code.exponent != 0)
            printf("^%d ", code.exponent);
        for (int p = 0; p < code.count; p++)
            printf("%d:%ld%s", atoms[p], (long)value[p], p + 1 < code.count ? " " : "");
        printf("\n");
    }
    return 0;
}
