/* What does not need libhdf5. */
#include "io/formats/hdf5.h"

#include <string.h>

bool dl_hdf5_recognise(const uint8_t *bytes, int64_t size) {
    static const uint8_t signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return size >= (int64_t)sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}
