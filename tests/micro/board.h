/* What a test program needs of the machine it runs on: the host, a Cortex-M or a RISC-V in qemu. */
#ifndef TESTS_MICRO_BOARD_H
#define TESTS_MICRO_BOARD_H

#include <stdint.h>

void board_print(const char *text);
void board_exit(int status);

/* Instructions so far, under `qemu -icount shift=0`; on the host 0. */
uint32_t board_instructions(void);

/* Bytes of stack that `call` uses; on the host 0. */
uint32_t board_stack(void (*call)(void));

#endif
