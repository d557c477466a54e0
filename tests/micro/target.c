/* dltf_micro with models of 8, 16 and 32 bits: codes, decoded samples and refitted values of fixed samples,
 * as text that must be the same on every CPU, and then instructions per sample and bytes of stack. */
#include "board.h"
#include "plain.h"

#include "model8.h"

#include "model16.h"

#include "model32.h"

enum { SAMPLES = 24, N = model8_n, K = model8_k };

static uint64_t work[model8_work];
static float sample32[N];
static uint16_t atoms[K];
static int32_t value[K];
static float real[K], refit_work[DLTF_MICRO_WORK_REFIT(K)];
static int8_t x8[N];
static int16_t x16[N], decoded[N];
static float x32[N], scores[model32_m];
static dltf_micro_code code;

static void print_number(uint32_t number) {
    char text[12], *p = text + sizeof text - 1;
    *p = 0;
    do {
        *--p = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    board_print(p);
}

/* ---- Results ---- */

static uint32_t checksum;

static void add(uint32_t word) {
    checksum = (checksum ^ word) * 16777619u;
}

static void add_real(float number) {
    union {
        float number;
        uint32_t bits;
    } word = {number};
    add(word.bits);
}

static void print_checksum(const char *name) {
    board_print(name);
    board_print(" ");
    print_number(checksum);
    board_print("\n");
    checksum = 2166136261u;
}

/* Sums of twelve uniform numbers: nearly normal, as most signals are; some samples are extreme. */
static void make_sample(int sample) {
    static uint32_t state = 1;
    for (int d = 0; d < N; d++) {
        int32_t sum = 0;
        for (int i = 0; i < 12; i++) {
            state = state * 1664525u + 1013904223u;
            sum += (int32_t)(state >> 16) - 32768;
        }
        x16[d] = (int16_t)(sample == 0   ? 0
                           : sample == 1 ? -32768
                           : sample == 2 ? (d % 2 ? 32767 : -32768)
                                         : sum / 16);
        x8[d] = (int8_t)(x16[d] >> 8);
        x32[d] = (float)x16[d] / 1024;
    }
}

static void add_code(void) {
    add((uint32_t)code.count << 8 | (uint8_t)code.exponent);
    for (int p = 0; p < code.count; p++) {
        add(atoms[p]);
        add((uint32_t)value[p]);
    }
}

static void encode8(void) {
    code = dltf_micro_encode(&model8, x8, work, atoms, value);
}

static void encode16(void) {
    code = dltf_micro_encode(&model16, x16, work, atoms, value);
}

static void encode32(void) {
    code.count = dltf_micro_encode_f32(&model32, x32, work, sample32, atoms, real);
}

static void decode8(void) {
    dltf_micro_decode(&model8, code, atoms, value, decoded);
}

static void refit8(void) {
    dltf_micro_refit(&model8, x8, code.count, atoms, real, refit_work);
}

static void refit32(void) {
    dltf_micro_refit_f32(&model32, sample32, code.count, atoms, real, refit_work);
}

static void plain32(void) {
    code.count = plain_encode_f32(model32_encoder, model32.bias, x32, model32_m, N, K, scores, atoms, real);
}

static void plain8(void) {
    plain_product_i8(x8, (int32_t *)scores);
}

#ifdef CMSIS_NN
#include "cmsis_nn.h"
static void cmsis8(void) {
    cmsis_product_i8(x8);
}
#endif

static void results(void) {
    for (int sample = 0; sample < SAMPLES; sample++) {
        make_sample(sample);
        encode16();
        add_code();
        encode8();
        add_code();
        decode8();
        for (int d = 0; d < N; d++)
            add((uint16_t)decoded[d]);
        refit8();
        for (int p = 0; p < code.count; p++)
            add_real(real[p]);
        print_checksum("fixed");
        if (sample % 8)
            continue;
        encode32();
        add(code.count);
        for (int p = 0; p < code.count; p++) {
            add(atoms[p]);
            add_real(real[p]);
        }
        refit32();
        for (int p = 0; p < code.count; p++)
            add_real(real[p]);
        print_checksum("float");
    }
}

/* ---- Cost ---- */

static void print_cost(const char *name, void (*call)(void), uint32_t rounds) {
    uint32_t stack = board_stack(call), start = board_instructions();
    for (uint32_t i = 0; i < rounds; i++)
        call();
    uint32_t count = (board_instructions() - start) / rounds;
    board_print("cost ");
    board_print(name);
    board_print(" ");
    print_number(count);
    board_print(" ");
    print_number(stack);
    board_print("\n");
}

/* The codes of one typical sample, many times: the clock is coarser than an instruction. */
static void costs(void) {
    board_instructions();
    make_sample(SAMPLES);
    encode16();
    print_cost("encode16", encode16, 100);
    encode8();
    print_cost("encode8", encode8, 100);
    print_cost("decode8", decode8, 20);
    print_cost("refit8", refit8, 4);
    encode8();
    print_cost("plain8", plain8, 20);
    print_cost("encode32", encode32, 4);
    print_cost("refit32", refit32, 4);
    print_cost("plain32", plain32, 4);
#ifdef CMSIS_NN
    print_cost("cmsis8", cmsis8, 20);
#endif
}

int main(void) {
    results();
    costs();
    board_exit(0);
    return 0;
}
