/* dltf_image_set: images in files, as a list of parts. A part is one image, loaded from its file when it is
 * needed, or a matrix whose rows are images. */
#include "base/memory.h"
#include "data/array.h"
#include "image/image.h"
#include "io/files/bytes.h"
#include "io/formats.h"
#include "io/matrix_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct part {
    char *path;
    int64_t first; /* index of its first image in the set */
    dltf_array *array;
    dl_file pipe; /* an image that cannot be read again */
} part;

struct dltf_image_set {
    int64_t count; /* of images */
    part *parts;
    int64_t part_count, capacity;
};

/* ---- Opening ---- */

/* Takes ownership of what the part holds, also after a failure. */
static dltf_status add_part(dltf_image_set *set, part added, int64_t images) {
    dltf_status status = DLTF_OK;
    added.first = set->count;
    if (set->part_count == set->capacity) {
        int64_t larger = set->capacity > 0 ? 2 * set->capacity : 16;
        part *parts = NULL;
        DL_TRY_NEW(parts, larger);
        if (set->parts)
            memcpy(parts, set->parts, (size_t)set->part_count * sizeof *parts);
        dl_free(set->parts);
        set->parts = parts;
        set->capacity = larger;
    }
    set->parts[set->part_count++] = added;
    set->count += images;
    return DLTF_OK;
done:
    dl_free(added.path);
    dltf_array_free(added.array);
    dl_file_close(&added.pipe);
    return status;
}

/* "folder/name", or a copy of the name if there is no folder. Allocated; NULL if out of memory. */
static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder ? folder : "") + strlen(name) + 2;
    char *path = dl_alloc((int64_t)size, 1);
    if (path)
        snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    return path;
}

static dltf_status add_image(dltf_image_set *set, char *path, dl_file pipe) {
    if (path)
        return add_part(set, (part){.path = path, .pipe = pipe}, 1);
    dl_file_close(&pipe);
    return DLTF_MEMORY;
}

static bool is_wanted(const char *name) {
    return name[0] != '.' && dl_format_of_path(DL_CONTENT_IMAGE, dl_format_is_only_image, name);
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const part *)a)->path, ((const part *)b)->path);
}

static dltf_status add_folder(dltf_image_set *set, const char *path) {
    dltf_status status = DLTF_OK;
    int64_t begin = set->part_count;
    DIR *folder = opendir(path);
    if (!folder)
        return dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno));
    for (struct dirent *entry; status == DLTF_OK && (entry = readdir(folder));)
        if (is_wanted(entry->d_name))
            status = add_image(set, join(path, entry->d_name), (dl_file){0});
    closedir(folder);
    if (status == DLTF_OK && set->part_count == begin)
        return dl_fail(DLTF_DATA, "is a folder without images: expected %s files",
                       dl_format_names(DL_CONTENT_IMAGE, dl_format_is_only_image, "or"));
    if (status != DLTF_OK)
        return status;
    int64_t first = set->parts[begin].first;
    qsort(set->parts + begin, (size_t)(set->part_count - begin), sizeof *set->parts, compare_paths);
    for (int64_t i = begin; i < set->part_count; i++)
        set->parts[i].first = first + i - begin;
    return DLTF_OK;
}

static dltf_status add_matrix(dltf_image_set *set, dl_file *file, const char *path) {
    dltf_array *array = NULL;
    dltf_status status = dl_matrix_load(file, path, NULL, &array);
    char *copy = status == DLTF_OK ? join(NULL, path) : NULL;
    if (status == DLTF_OK && array->channels == 0)
        status = dl_fail(DLTF_FORMAT,
                         "does not contain images: expected an image (%s), a folder of images, CIFAR-10 "
                         "(.bin), or IDX with three axes",
                         dl_format_names(DL_CONTENT_IMAGE, NULL, "or"));
    else if (status == DLTF_OK && !copy)
        status = DLTF_MEMORY;
    if (status == DLTF_OK)
        return add_part(set, (part){.path = copy, .array = array}, array->matrix.rows);
    dl_free(copy);
    dltf_array_free(array);
    return status;
}

static dltf_status add_file(dltf_image_set *set, const char *path) {
    dl_file file;
    dltf_status status = dl_file_open(path, &file);
    if (status != DLTF_OK)
        return status;
    bool image = dl_format_of_content(DL_CONTENT_IMAGE, file.bytes, file.size);
    if (image && file.memory)
        return add_image(set, join(NULL, path), file);
    status = image ? add_image(set, join(NULL, path), (dl_file){0}) : add_matrix(set, &file, path);
    dl_file_close(&file);
    return status;
}

static dltf_status add_path(dltf_image_set *set, const char *path) {
    struct stat about;
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return dl_file_result(folder ? add_folder(set, path) : add_file(set, path), path);
}

dltf_status dltf_image_set_open(const char *const *paths, int64_t count, dltf_image_set **set) {
    DL_CLEAR(set);
    DL_REQUIRE(paths, set);
    dltf_status status = DLTF_OK;
    dltf_image_set *made = NULL;
    if (count < 1)
        return dl_fail(DLTF_ARGUMENT, "no files given");
    DL_TRY_NEW(made, 1);
    for (int64_t i = 0; i < count; i++)
        DL_TRY(add_path(made, paths[i]));
    *set = made;
    made = NULL;
done:
    dltf_image_set_free(made);
    return status;
}

void dltf_image_set_free(dltf_image_set *set) {
    if (!set)
        return;
    for (int64_t i = 0; i < set->part_count; i++) {
        dl_free(set->parts[i].path);
        dltf_array_free(set->parts[i].array);
        dl_file_close(&set->parts[i].pipe);
    }
    dl_free(set->parts);
    dl_free(set);
}

/* ---- Images ---- */

int64_t dltf_image_set_count(const dltf_image_set *set) {
    return set ? set->count : 0;
}

/* The last part that begins at or before an image. */
static const part *part_of(const dltf_image_set *set, int64_t index) {
    int64_t low = 0, high = set->part_count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (set->parts[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &set->parts[low];
}

static dltf_status load_from_row(const dltf_array *array, int64_t row, dltf_image **image) {
    dltf_status status = dltf_image_new(array->width, array->height, array->channels, 32, image);
    if (status != DLTF_OK)
        return status;
    dltf_matrix_row(array->matrix, row, (*image)->planes);
    status = dl_image_check_finite(*image);
    if (status != DLTF_OK) {
        dltf_image_free(*image);
        *image = NULL;
    }
    return status;
}

static dltf_status load_from_pipe(const dl_file *pipe, dltf_image **image) {
    dl_file file = dl_file_borrow(pipe->bytes, pipe->size);
    return dl_format_of_content(DL_CONTENT_IMAGE, file.bytes, file.size)->load_image(&file, image);
}

dltf_status dltf_image_set_load(const dltf_image_set *set, int64_t index, dltf_image **image) {
    DL_CLEAR(image);
    DL_REQUIRE(set, image);
    if (index < 0 || index >= set->count)
        return dl_fail(DLTF_ARGUMENT, "image %" PRId64 " of %" PRId64 " does not exist", index, set->count);
    const part *p = part_of(set, index);
    if (p->array)
        return dl_file_result(load_from_row(p->array, index - p->first, image), p->path);
    if (p->pipe.bytes)
        return dl_file_result(load_from_pipe(&p->pipe, image), p->path);
    return dltf_image_load(p->path, image); /* already prefixed with the path */
}

/* ---- Labels ---- */

static dltf_status copy_labels(const part *p, int64_t *to) {
    const dl_format *format = dl_format_of_path(DL_CONTENT_MATRIX, NULL, p->path);
    dltf_labels *labels = NULL;
    struct stat about;
    int64_t count = 0;
    if (stat(p->path, &about) == 0 && !S_ISREG(about.st_mode))
        return dl_file_result(dl_fail(DLTF_FILE, "is not a regular file: its labels cannot be read"),
                              p->path);
    if (!p->array || !format || !format->load_labels)
        return dl_file_result(dl_fail(DLTF_DATA, "has no labels: only CIFAR-10 files have them"), p->path);
    dltf_status status = dltf_labels_load(p->path, &labels);
    const int64_t *values = status == DLTF_OK ? dltf_labels_get(labels, &count) : NULL;
    if (status == DLTF_OK && count != p->array->matrix.rows)
        status = dl_file_result(dl_fail(DLTF_FILE, "changed while it was in use"), p->path);
    if (status == DLTF_OK)
        memcpy(to, values, (size_t)count * sizeof *to);
    dltf_labels_free(labels);
    return status;
}

dltf_status dltf_image_set_labels(const dltf_image_set *set, int64_t *labels) {
    DL_REQUIRE(set, labels);
    dltf_status status = DLTF_OK;
    for (int64_t i = 0; i < set->part_count && status == DLTF_OK; i++)
        status = copy_labels(&set->parts[i], labels + set->parts[i].first);
    return status;
}
