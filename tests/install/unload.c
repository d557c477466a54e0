/* A program that loads the library, lets it start a thread, and unloads it: the thread outlives dlclose, so
 * its code must, too. Usage: unload LIBRARY */
#define _GNU_SOURCE /* RTLD_NOLOAD */

#include <dltf.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4096, COLUMNS = 16 };

#define CHECK(condition, reason)                                                                             \
    if (!(condition))                                                                                        \
        return fprintf(stderr, "unload: %s\n", reason), 1;

/* The function of this name in the library, with the type that dltf.h declares. */
#define FUNCTION(library, name) ((__typeof__(&name))function(library, #name))

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "unload: %s\n", dlerror());
        exit(1);
    }
    return found;
}

static int count_threads(void) {
    DIR *threads = opendir("/proc/self/task");
    int count = 0;
    while (threads && readdir(threads))
        count++;
    if (threads)
        closedir(threads);
    return count;
}

/* Encodes with two threads: every sample has the atom 1. */
static int encode(void *library) {
    static float atoms[2 * COLUMNS], x[ROWS * COLUMNS];
    atoms[0] = atoms[COLUMNS + 1] = 1;
    for (int i = 0; i < ROWS; i++)
        x[i * COLUMNS + 1] = 2;
    dltf_model_view parts = {.m = 2, .n = COLUMNS, .k = 1, .dictionary = atoms, .select = DLTF_SELECT_ABS};
    dltf_encode_options encoding = FUNCTION(library, dltf_encode_options_default)();
    encoding.threads = 2;
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    CHECK(!FUNCTION(library, dltf_model_new)(&parts, &model), "no model");
    dltf_matrix X = FUNCTION(library, dltf_matrix_f32)(x, ROWS, COLUMNS);
    CHECK(!FUNCTION(library, dltf_encode)(model, X, &encoding, NULL, NULL, &codes), "no codes");
    CHECK(FUNCTION(library, dltf_codes_csr)(codes).indices[ROWS - 1] == 1, "wrong code");
    FUNCTION(library, dltf_codes_free)(codes);
    FUNCTION(library, dltf_model_free)(model);
    return 0;
}

int main(int argc, char **argv) {
    CHECK(argc == 2, "usage: unload LIBRARY");
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library, dlerror());
    int before = count_threads();
    CHECK(!encode(library), "first use failed");
    int threads = count_threads();
    CHECK(threads > before, "the library started no thread");
    CHECK(!dlclose(library), dlerror());
    void *still = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    CHECK(still, "the library was unloaded while one of its threads exists");
    CHECK(!encode(still), "second use failed");
    CHECK(count_threads() == threads, "the second use did not find the thread of the first");
    return 0;
}
