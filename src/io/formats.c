/* The tables of formats. A new format is a file with its parser and a row here. */
#include "io/formats.h"

#include "io/formats/bin.h"
#include "io/formats/cifar.h"
#include "io/formats/csv.h"
#include "io/formats/hdf5.h"
#include "io/formats/idx.h"
#include "io/formats/jpeg.h"
#include "io/formats/npy.h"
#include "io/formats/npy_image.h"
#include "io/formats/npz.h"
#include "io/formats/png.h"
#include "io/formats/pnm.h"
#include "io/formats/safetensors_data.h"
#include "io/formats/safetensors_header.h"
#include "io/formats/safetensors_index.h"
#include "io/formats/vecs.h"
#include "io/neighbours.h"

#include <stdio.h>
#include <string.h>

static const dl_format matrix_formats[] = {
    {".npy",
     {".npy"},
     dl_npy_recognise,
     .load = dl_npy_load,
     .describe = dl_npy_describe,
     .write = dl_npy_write},
    {".npz", {".npz"}, dl_zip_recognise, .load_member = dl_npz_load},
    {".safetensors",
     {".safetensors"},
     dl_safetensors_recognise,
     .load_member = dl_safetensors_load_data,
     .describe = dl_safetensors_describe},
    {DL_SAFETENSORS_INDEX, {DL_SAFETENSORS_INDEX}, NULL, .load_member = dl_safetensors_index_load},
    {".h5", {".h5", ".hdf5"}, dl_hdf5_recognise, .load_member = dl_hdf5_load, .describe = dl_hdf5_describe},
    {".csv", {".csv"}, NULL, .text = true, .load = dl_csv_load, .write = dl_csv_write},
    {".txt", {".txt", ".tsv"}, NULL, .text = true, .load = dl_csv_load},
    {"IDX",
     {"-ubyte", "-idx1-ubyte", "-idx2-ubyte", "-idx3-ubyte", ".idx1-ubyte", ".idx2-ubyte", ".idx3-ubyte",
      ".idx"},
     dl_idx_recognise,
     .load = dl_idx_load,
     .describe = dl_idx_describe},
    {"IDX.gz", {".gz"}, dl_gzip_recognise, .load = dl_idx_gzip_load},
    {"CIFAR-10",
     {".bin"},
     NULL,
     .load = dl_cifar_load,
     .describe = dl_cifar_describe,
     .load_labels = dl_cifar_load_labels},
    {".fvecs",
     {".fvecs"},
     NULL,
     .load = dl_fvecs_load,
     .describe = dl_fvecs_describe,
     .write = dl_fvecs_write},
    {".bvecs",
     {".bvecs"},
     NULL,
     .load = dl_bvecs_load,
     .describe = dl_bvecs_describe,
     .write = dl_bvecs_write,
     .bytes_only = true},
    {".ivecs", {".ivecs"}, NULL, .load = dl_ivecs_load, .describe = dl_ivecs_describe},
    {".fbin", {".fbin"}, NULL, .load = dl_fbin_load, .describe = dl_fbin_describe},
    {".u8bin", {".u8bin"}, NULL, .load = dl_u8bin_load, .describe = dl_u8bin_describe},
    {".i8bin", {".i8bin"}, NULL, .load = dl_i8bin_load, .describe = dl_i8bin_describe},
    {".f16bin", {".f16bin"}, NULL, .load = dl_f16bin_load, .describe = dl_f16bin_describe},
};

/* Read as matrices. */
static const dl_format integers_formats[] = {
    {".npy", {".npy"}, NULL, .write_integers = dl_npy_write_integers},
    {".csv", {".csv"}, NULL, .write_integers = dl_csv_write_integers},
    {".ivecs", {".ivecs"}, NULL, .write_integers = dl_ivecs_write},
};

static const dl_format image_formats[] = {
    {".png", {".png"}, dl_png_recognise, .load_image = dl_png_load, .write_image = dl_png_write_image},
    {".pgm",
     {".pgm", ".pnm"},
     dl_pnm_recognise,
     .channels = 1,
     .load_image = dl_pnm_load,
     .write_image = dl_pnm_write},
    {".ppm",
     {".ppm", ".pnm"},
     dl_pnm_recognise,
     .channels = 3,
     .load_image = dl_pnm_load,
     .write_image = dl_pnm_write},
    {".jpg", {".jpg", ".jpeg"}, dl_jpeg_recognise, .load_image = dl_jpeg_load},
    {".npy", {".npy"}, dl_npy_recognise, .load_image = dl_npy_load_image, .write_image = dl_npy_write_image},
};

/* Content with a single format has dedicated functions: codes.h, model.h. */
static const dl_format codes_formats[] = {{.name = ".npz", .extensions = {".npz"}}};
static const dl_format model_formats[] = {{.name = ".safetensors", .extensions = {".safetensors"}}};

static const dl_format neighbours_formats[] = {
    {.name = ".npy", .extensions = {".npy"}, .write_neighbours = dl_neighbours_write_npy},
    {.name = ".npz", .extensions = {".npz"}, .write_neighbours = dl_neighbours_write_npz},
    {.name = ".ivecs", .extensions = {".ivecs"}, .write_neighbours = dl_neighbours_write_ivecs},
};

typedef struct table {
    const dl_format *rows, *end;
} table;

#define TABLE(rows)                                                                                          \
    { rows, rows + sizeof rows / sizeof *rows }
static const table tables[] = {
    [DL_CONTENT_MATRIX] = TABLE(matrix_formats),     [DL_CONTENT_IMAGE] = TABLE(image_formats),
    [DL_CONTENT_CODES] = TABLE(codes_formats),       [DL_CONTENT_MODEL] = TABLE(model_formats),
    [DL_CONTENT_INTEGERS] = TABLE(integers_formats), [DL_CONTENT_NEIGHBOURS] = TABLE(neighbours_formats),
};

bool dl_format_recognises(const dl_format *format) {
    return format->recognise != NULL;
}

/* A format without a loader has dedicated functions, or is only written. */
bool dl_format_writes_bytes(const dl_format *format) {
    bool loads = format->load || format->load_member || format->load_image;
    return format->write || format->write_image || !loads;
}

bool dl_format_writes(const dl_format *format) {
    return dl_format_writes_bytes(format) && !format->bytes_only;
}

bool dl_format_writes_gray(const dl_format *format) {
    return format->channels != 3 && format->write_image;
}

bool dl_format_writes_colour(const dl_format *format) {
    return format->channels != 1 && format->write_image;
}

bool dl_format_is_only_image(const dl_format *format) {
    const table *matrices = &tables[DL_CONTENT_MATRIX];
    for (const dl_format *f = matrices->rows; f < matrices->end; f++)
        if (strcmp(f->name, format->name) == 0)
            return false;
    return true;
}

const dl_format *dl_format_of_content(dl_content content, const uint8_t *bytes, int64_t size) {
    const table *t = &tables[content];
    for (const dl_format *f = t->rows; f < t->end; f++)
        if (f->recognise && f->recognise(bytes, size))
            return f;
    return NULL;
}

/* The length of the format's longest extension that the path ends in; 0 if none. */
static size_t extension_length(const dl_format *format, const char *path) {
    size_t longest = 0;
    for (int e = 0; e < DL_MAX_EXTENSIONS && format->extensions[e]; e++) {
        size_t length = strlen(format->extensions[e]);
        if (length > longest && dl_path_ends(path, format->extensions[e]))
            longest = length;
    }
    return longest;
}

const dl_format *dl_format_of_path(dl_content content, dl_format_filter filter, const char *path) {
    const table *t = &tables[content];
    const dl_format *best = NULL;
    size_t longest = 0;
    for (const dl_format *f = t->rows; f < t->end; f++) {
        size_t length = filter && !filter(f) ? 0 : extension_length(f, path);
        if (length > longest) {
            longest = length;
            best = f;
        }
    }
    return best;
}

const char *dl_format_member(const char *path) {
    const table *t = &tables[DL_CONTENT_MATRIX];
    const char *last = NULL;
    for (const dl_format *f = t->rows; f < t->end; f++)
        for (int e = 0; f->load_member && e < DL_MAX_EXTENSIONS && f->extensions[e]; e++) {
            size_t length = strlen(f->extensions[e]);
            for (const char *at = path; (at = strstr(at, f->extensions[e])); at++)
                if (at[length] == ':' && (!last || at + length + 1 > last))
                    last = at + length + 1;
        }
    return last;
}

const char *dl_format_names(dl_content content, dl_format_filter filter, const char *conjunction) {
    static _Thread_local char text[256];
    const table *t = &tables[content];
    int left = 0, used = 0;
    for (const dl_format *f = t->rows; f < t->end; f++)
        left += !filter || filter(f);
    text[0] = '\0';
    for (const dl_format *f = t->rows; f < t->end && used < (int)sizeof text; f++) {
        if (filter && !filter(f))
            continue;
        const char *separator = left > 2 ? ", " : left == 2 ? " " : "";
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s%s%s", f->name, separator,
                         left == 2 ? conjunction : "", left == 2 ? " " : "");
        left--;
    }
    return text;
}

static dl_format_filter filter_of(dl_access access) {
    return access == DL_WRITE ? dl_format_writes : access == DL_WRITE_BYTES ? dl_format_writes_bytes : NULL;
}

const char *dl_format_list(dl_content content, dl_access access, const char *conjunction) {
    return dl_format_names(content, filter_of(access), conjunction ? conjunction : "");
}

const char *dl_format_extension(dl_content content, dl_access access, const char *path) {
    const dl_format *format = path ? dl_format_of_path(content, filter_of(access), path) : NULL;
    return format ? path + strlen(path) - extension_length(format, path) : NULL;
}
