/* The image shape of samples and atoms, for `dltf inspect --atoms` and `dltf decode --picture`. */
#include "cli/picture.h"

#include "cli/output.h"

#include <math.h>

int picture_find_shape(const char *text, int64_t n, picture_shape *shape) {
    if (!text) {
        int64_t side = (int64_t)llround(sqrt((double)n));
        if (side * side != n)
            return usage_error("%lld entries are not a square image; give the shape, e.g. --shape %lldx1",
                               (long long)n, (long long)n);
        *shape = (picture_shape){side, side};
        return EXIT_OK;
    }
    long long width = 0, height = 0;
    char rest = 0;
    if (sscanf(text, "%9lldx%9lld%c", &width, &height, &rest) != 2 || width < 1 || height < 1)
        return usage_error("--shape %s: expected WIDTHxHEIGHT, e.g. 28x28", text);
    if (width * height != n)
        return usage_error("--shape %s has %s, expected %lld", text, counted(width * height, "entry"),
                           (long long)n);
    *shape = (picture_shape){width, height};
    return EXIT_OK;
}
