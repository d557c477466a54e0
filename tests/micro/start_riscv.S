    .section .vectors, "ax"
    .globl reset
reset:
    la sp, stack_top
    call main
1:  j 1b
