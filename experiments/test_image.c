/* Images for table4. The generated image replaces a missing photograph: a sky of smooth gradients, walls with
 * straight edges, a round sun, a roof and a floor of regular texture. */
#include "experiments/test_image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 256, MAX_PATH = 4096 };

/* The path of an image; false if not found. */
static bool find(const char *folder, const char *name, char path[MAX_PATH]) {
    for (int i = 0; folder && i < 2; i++) {
        int length = snprintf(path, MAX_PATH, i == 0 ? "%s/%s.png" : "%s/images/%s.png", folder, name);
        if (length < MAX_PATH && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool test_image_exists(const char *folder, const char *name) {
    char path[MAX_PATH];
    return strcmp(name, TEST_IMAGE_DRAWN) == 0 || find(folder, name, path);
}

/* The gray value at (x, y); later shapes cover earlier ones. */
static double shade(double x, double y) {
    double value = 170 + 40 * sin(0.011 * x) + 0.15 * y; /* sky */
    if (hypot(x - 205, y - 45) < 26)
        value = 235;
    if (y > 200)
        value = 95 + 25 * sin(0.9 * x + 0.35 * y); /* floor */
    if (x > 40 && x < 180 && y > 110 && y < 225)
        value = 140 + 0.3 * (x - 40); /* wall */
    if (y > 60 && y < 110 && fabs(x - 110) < 20 + 1.2 * (y - 60))
        value = 80 + (fmod(x + 2 * floor(y / 6), 12) < 6 ? 30 : 0) + (fmod(y, 6) < 1 ? -25 : 0); /* roof */
    if (x > 60 && x < 90 && y > 135 && y < 170)
        value = 40; /* window */
    if (x > 130 && x < 155 && y > 150 && y < 225)
        value = 60 + 30 * (fmod(x + y, 16) < 3); /* door */
    return value;
}

static dltf_status draw(dltf_image **image) {
    dltf_status status = dltf_image_new(SIDE, SIDE, 1, 8, image);
    if (status != DLTF_OK)
        return status;
    float *pixels = dltf_image_pixels(*image);
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (float)round(shade(i % SIDE, i / SIDE));
    return DLTF_OK;
}

dltf_status test_image_load(const char *folder, const char *name, dltf_image **image) {
    char path[MAX_PATH] = "";
    if (strcmp(name, TEST_IMAGE_DRAWN) == 0)
        return draw(image);
    find(folder, name, path);
    return dltf_image_load(path, image);
}
