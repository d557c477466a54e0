/* Firmware for an MPS2 board: codes a stream of samples from the UART.
 *
 * In: samples of model_n int8_t, one after the other. Out: a line for each, with the selected rows and their
 * scores, "12:-345 77:1024", in units of model.value_scale; if the exponent of the code is not 0, it comes
 * first: "^2 12:-345".
 *
 * `make` builds it, `make run` feeds it samples in qemu. For another board, replace the registers of the
 * UART. */
#include "model.h"

/* CMSDK UART 0 of the MPS2 boards. */
#define UART ((volatile uint32_t *)0x40004000)
enum { DATA = 0, STATE = 1, CONTROL = 2, DIVIDER = 4 };
enum { TRANSMIT_FULL = 1, RECEIVE_FULL = 2 };

static void uart_start(void) {
    UART[DIVIDER] = 217; /* 25 MHz / 115200 */
    UART[CONTROL] = 3;   /* transmit and receive */
}

static uint8_t get(void) {
    while (!(UART[STATE] & RECEIVE_FULL))
        ;
    return (uint8_t)UART[DATA];
}

static void put(char c) {
    while (UART[STATE] & TRANSMIT_FULL)
        ;
    UART[DATA] = (uint8_t)c;
}

static void put_number(int32_t number) {
    char digits[10];
    int count = 0;
    uint32_t rest = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    if (number < 0)
        put('-');
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    while (count > 0)
        put(digits[--count]);
}

static void put_code(dltf_micro_code code, const uint16_t *index, const int32_t *value) {
    if (code.exponent != 0) {
        put('^');
        put_number(code.exponent);
        put(' ');
    }
    for (int p = 0; p < code.count; p++) {
        put_number(index[p]);
        put(':');
        put_number(value[p]);
        put(p + 1 < code.count ? ' ' : '\n');
    }
    if (code.count == 0)
        put('\n');
}

int main(void) {
    static int8_t x[model_n];
    static uint64_t work[model_work];
    static uint16_t index[model_k];
    static int32_t value[model_k];
    uart_start();
    for (;;) {
        for (int d = 0; d < model_n; d++)
            x[d] = (int8_t)get();
        put_code(dltf_micro_encode(&model, x, work, index, value), index, value);
    }
}
