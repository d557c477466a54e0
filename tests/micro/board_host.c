/* The host. */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>

void board_print(const char *text) {
    fputs(text, stdout);
}

void board_exit(int status) {
    exit(status);
}

uint32_t board_instructions(void) {
    return 0;
}

uint32_t board_stack(void (*call)(void)) {
    call();
    return 0;
}
