/* The first instructions of a Cortex-M program: vector table, initialised data, main. */
#include <stdint.h>

extern uint32_t data_start[], data_end[], bss_start[], bss_end[], stack_top[];
extern const uint32_t data_flash[];
int main(void);
void reset(void);

void reset(void) {
#if defined __ARM_FP
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20; /* CPACR: enable the floating-point unit */
    __asm__ volatile("dsb\n isb");
#endif
    const uint32_t *from = data_flash;
    for (volatile uint32_t *to = data_start; to < data_end;)
        *to++ = *from++;
    for (volatile uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    main();
    for (;;)
        ;
}

static void stop(void) {
    for (;;)
        ;
}

typedef union vector {
    void *pointer;
    void (*function)(void);
} vector;

/* Initial stack pointer, reset, non-maskable interrupt, fault. */
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    {stack_top}, {.function = reset}, {.function = stop}, {.function = stop}};
