/* libpng's callbacks: memory from dl_alloc, errors as a status and a message. */
#include "io/formats/png_callbacks.h"

#include "base/memory.h"

void dl_png_on_error(png_structp png, png_const_charp text) {
    dl_png_state *state = png_get_error_ptr(png);
    if (state->status == DLTF_OK)
        state->status = dl_fail(state->kind, "%s: %s", state->prefix, text);
    png_longjmp(png, 1);
}

void dl_png_on_warning(png_structp png, png_const_charp text) {
    (void)png, (void)text;
}

png_voidp dl_png_on_allocate(png_structp png, png_alloc_size_t size) {
    void *memory = dl_alloc((int64_t)size, 1);
    dl_png_state *state = png_get_mem_ptr(png);
    if (!memory && state)
        state->status = DLTF_MEMORY;
    return memory;
}

void dl_png_on_free(png_structp png, png_voidp memory) {
    (void)png;
    dl_free(memory);
}
