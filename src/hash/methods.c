/* The hashing methods of the library. */
#include "hash/method.h"

#include <string.h>

#define ROW(NAME, name, help) &dl_hash_##name,
static const dl_hash_method *const methods[] = {DLTF_HASH_METHODS(ROW)};

enum { METHODS = sizeof methods / sizeof *methods };

const dl_hash_method *dl_hash_method_find(dltf_hash_method method) {
    return (int)method >= 0 && (int)method < METHODS ? methods[method] : NULL;
}

const dl_hash_method *dl_hash_method_named(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}
