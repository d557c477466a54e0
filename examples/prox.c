/* The proximal mapping of the (k,2) norm on a vector of six numbers, by both methods of the library.
 *
 *     cc prox.c $(pkg-config --cflags --libs dltf) -lm && ./a.out
 */
#include <dltf.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 6, K = 2 };

static void print(const char *name, const float *v) {
    printf("%-16s", name);
    for (int i = 0; i < M; i++)
        printf("%8.4f", (double)v[i]);
    printf("\n");
}

int main(void) {
    const float c[M] = {3.0F, -2.5F, 2.4F, 0.5F, -0.1F, 0.0F};
    float q[M], sorted[M];
    double gamma = 1;

    /* argmin over q of gamma ||q||^2_{k,2} + ||q - c||^2. Only the k largest entries are penalised.
     * Shrinking them below the next one would shift the penalty to it, so entries near the k-th become equal
     * in magnitude. */
    if (dltf_prox(c, M, K, gamma, q) != DLTF_OK || dltf_prox_sorted(c, M, K, gamma, sorted) != DLTF_OK) {
        fprintf(stderr, "%s\n", dltf_message());
        return EXIT_FAILURE;
    }
    printf("k = %d, gamma = %g\n", K, gamma);
    print("c", c);
    print("root finding", q);
    print("Algorithm 1", sorted);
    for (int i = 0; i < M; i++)
        if (!(fabsf(q[i] - sorted[i]) <= 1e-6F)) /* NaN fails too */
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
