/* Conversion of float16: every value at every level, against arithmetic on its parts. */
#include "test_util.h"

#include "kernels/kernels.h"

#include <math.h>

enum { HALVES = 1 << 16 };

static uint16_t halves[HALVES + 1];
static float floats[HALVES];

/* NaN for NaN. */
static double value_of(int bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static void every_half_becomes_its_float(void **state) {
    (void)state;
    const dl_kernels *kernels;
    for (int i = 0; i < HALVES; i++)
        halves[i] = (uint16_t)i;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        kernels->floats_of_halves(halves, HALVES, floats);
        for (int i = 0; i < HALVES; i++) {
            double expected = value_of(i), found = (double)floats[i];
            if (isnan(expected) ? !isnan(found) : found != expected || !signbit(found) != !signbit(expected))
                fail_msg("%s: %04x is %g, should be %g", kernels->level, (unsigned)i, found, expected);
        }
    }
}

static void halves_at_any_address_and_of_any_number(void **state) {
    (void)state;
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int count = 0; count < 70; count++) {
            char bytes[2 * 70 + 1];
            for (int i = 0; i < count; i++) {
                uint16_t half = (uint16_t)(0x3c00 + i);
                memcpy(bytes + 1 + 2 * i, &half, sizeof half);
            }
            floats[count] = -7;
            kernels->floats_of_halves(bytes + 1, count, floats);
            for (int i = 0; i < count; i++)
                assert_true((double)floats[i] == value_of(0x3c00 + i));
            assert_true(floats[count] == -7);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_becomes_its_float),
        cmocka_unit_test(halves_at_any_address_and_of_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
