/* A CPU in qemu: output and exit by semihosting, a clock that counts instructions. */
#include "board.h"

enum { WRITE0 = 4, EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

#if defined __arm__
static void semihost(uintptr_t operation, uintptr_t argument) {
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

/* SysTick counts down from 2^24 with the clock of the CPU: 25 MHz on MPS2 boards, 16 MHz on the micro:bit,
 * while an instruction takes 1 ns. NS_PER_TICK comes from the command line. */
uint32_t board_instructions(void) {
    volatile uint32_t *systick = (volatile uint32_t *)0xe000e010;
    if (!(systick[0] & 1)) {
        systick[1] = 0xffffff;
        systick[2] = 0;
        systick[0] = 5; /* on, clock of the CPU */
    }
    return (uint32_t)((0xffffff - (uint64_t)systick[2]) * NS_PER_TICK_10 / 10);
}

static uintptr_t stack_pointer(void) {
    uintptr_t sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return sp;
}
#else
static void semihost(uintptr_t operation, uintptr_t argument) {
    register uintptr_t a0 __asm__("a0") = operation;
    register uintptr_t a1 __asm__("a1") = argument;
    __asm__ volatile(
        ".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
        : "+r"(a0)
        : "r"(a1)
        : "memory");
}

uint32_t board_instructions(void) {
    uint32_t count;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop" : "=r"(count));
    return count;
}

static uintptr_t stack_pointer(void) {
    uintptr_t sp;
    __asm__ volatile("mv %0, sp" : "=r"(sp));
    return sp;
}
#endif

void board_print(const char *text) {
    semihost(WRITE0, (uintptr_t)text);
}

void board_exit(int status) {
    uintptr_t arguments[2] = {APPLICATION_EXIT, (uintptr_t)status};
    semihost(EXIT_EXTENDED, (uintptr_t)arguments);
}

/* Fills the free stack with a pattern, then looks how far down it was overwritten. */
__attribute__((noinline)) uint32_t board_stack(void (*call)(void)) {
    enum { BYTES = 2048, GAP = 64 };
    volatile uint8_t *top = (volatile uint8_t *)stack_pointer() - GAP, *bottom = top - BYTES;
    for (volatile uint8_t *p = bottom; p < top; p++)
        *p = 0xa5;
    call();
    volatile uint8_t *p = bottom;
    while (p < top && *p == 0xa5)
        p++;
    return (uint32_t)(top + GAP - p);
}
