/* Learns a dictionary from samples that arrive in pieces and are not kept, here from a generator; asks for a
 * model on the way; saves the state, as a program that is stopped would, and continues.
 *
 *     cc stream.c $(pkg-config --cflags --libs dltf) */
#include <dltf.h>

#include <stdint.h>
#include <stdio.h>

enum { N_ROWS = 500, N_COLUMNS = 16, PIECES = 60 };

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Two bumps at random places. */
static void next_piece(uint64_t *state, float *X) {
    for (int i = 0; i < N_ROWS; i++) {
        int a = (int)(N_COLUMNS * uniform(state)), b = (int)(N_COLUMNS * uniform(state));
        double u = uniform(state) + 0.5, v = uniform(state) + 0.5;
        for (int j = 0; j < N_COLUMNS; j++)
            X[i * N_COLUMNS + j] =
                (float)(u / (1 + (j - a) * (j - a)) + v / (1 + (j - b) * (j - b)) + 0.02 * uniform(state));
    }
}

static dltf_status report(const dltf_online *online) {
    dltf_model *model = NULL;
    dltf_quality quality;
    dltf_status status = dltf_online_model(online, &model);
    if (status == DLTF_OK)
        status = dltf_online_quality(online, model, &quality);
    if (status == DLTF_OK)
        printf("%6lld samples: relative error %.4f, after refit %.4f\n",
               (long long)dltf_online_get(online).samples, quality.raw_error, quality.refit_error);
    dltf_model_free(model);
    return status;
}

int main(void) {
    static const char path[] = "stream.checkpoint";
    static float X[N_ROWS * N_COLUMNS];
    uint64_t state = 1;
    dltf_online *online = NULL;
    dltf_train_options options = dltf_train_options_default();
    options.m = 32;
    options.k = 2;
    dltf_status status = dltf_online_new(N_COLUMNS, NULL, &options, &online);
    for (int piece = 1; piece <= PIECES && status == DLTF_OK; piece++) {
        next_piece(&state, X);
        status = dltf_online_add(online, dltf_matrix_f32(X, N_ROWS, N_COLUMNS));
        if (status == DLTF_OK && piece % 20 == 0)
            status = report(online);
        if (status == DLTF_OK && piece == PIECES / 2) {
            status = dltf_online_save(online, path);
            dltf_online_free(online);
            online = NULL;
            if (status == DLTF_OK)
                status = dltf_online_resume(path, 0, &online);
        }
    }
    remove(path);
    dltf_online_free(online);
    if (status != DLTF_OK)
        fprintf(stderr, "%s\n", dltf_message());
    return status != DLTF_OK;
}
