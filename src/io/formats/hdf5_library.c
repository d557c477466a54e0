/* Loading libhdf5, and the lock around its calls. */
#include "io/formats/hdf5_library.h"

#include "io/formats/hdf5.h"

#include <dlfcn.h>
#include <string.h>
#include <threads.h>

static struct {
    once_flag once;
    mtx_t lock;
    dl_hdf5 library;
    bool tried, loaded;
    H5E_auto2_t print; /* what the program had set */
    void *print_context;
} state = {.once = ONCE_FLAG_INIT};

static void make_lock(void) {
    mtx_init(&state.lock, mtx_plain);
}

/* ISO C has no conversion of an object pointer to that of a function: its bytes are copied. */
static bool find(void *handle, const char *name, void *pointer) {
    void *found = dlsym(handle, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

static bool load(dl_hdf5 *h) {
    void *handle = dlopen(DL_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    bool all = true;
#define NAME_OF(name) #name
#define EXPANDED(name) NAME_OF(name) /* some names are macros for a version */
#define FIND(name) all = find(handle, EXPANDED(name), &h->name) && all;
    DL_HDF5_FUNCTIONS(FIND)
    all = find(handle, "H5T_NATIVE_FLOAT_g", &h->floats) &&
          find(handle, "H5T_NATIVE_DOUBLE_g", &h->doubles) && find(handle, "H5T_NATIVE_UINT8_g", &h->bytes) &&
          find(handle, "H5P_CLS_DATASET_ACCESS_ID_g", &h->dataset_access) && all;
    return all && h->H5open() >= 0;
}

dltf_status dl_hdf5_enter(const dl_hdf5 **library) {
    call_once(&state.once, make_lock);
    mtx_lock(&state.lock);
    if (!state.tried)
        state.loaded = load(&state.library);
    state.tried = true;
    if (!state.loaded) {
        mtx_unlock(&state.lock);
        return dl_fail(DLTF_FILE, "is an HDF5 file, which needs the library %s: it is not installed",
                       DL_HDF5_LIBRARY);
    }
    *library = &state.library;
    state.library.H5Eget_auto2(H5E_DEFAULT, &state.print, &state.print_context);
    state.library.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return DLTF_OK;
}

void dl_hdf5_leave(void) {
    state.library.H5Eset_auto2(H5E_DEFAULT, state.print, state.print_context);
    mtx_unlock(&state.lock);
}

const char *dl_hdf5_library(void) {
    return DL_HDF5_LIBRARY;
}
