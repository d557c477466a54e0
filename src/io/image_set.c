/* dltf_image_set: a single image, a folder of images, or a matrix whose rows are images. */
#include "base/memory.h"
#include "data/array.h"
#include "image/image.h"
#include "io/bytes.h"
#include "io/formats.h"
#include "io/matrix_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct dltf_image_set {
    char *path; /* of the file or folder */
    int64_t count;
    char **names;      /* files of a folder */
    dl_file file;      /* or a single image */
    dltf_array *array; /* or rows */
};

static dltf_status copy_text(const char *text, char **copy) {
    *copy = dl_alloc((int64_t)strlen(text) + 1, 1);
    if (*copy)
        strcpy(*copy, text);
    return *copy ? DLTF_OK : DLTF_MEMORY;
}

/* ---- Folders ---- */

static bool is_wanted(const char *name) {
    return name[0] != '.' && dl_format_of_path(DLTF_CONTENT_IMAGE, dl_format_is_only_image, name);
}

static dltf_status add_name(dltf_image_set *set, const char *name, int64_t *capacity) {
    if (set->count == *capacity) {
        int64_t larger = *capacity > 0 ? 2 * *capacity : 64;
        char **names = set->names ? dl_grow(set->names, set->count, larger, sizeof *names)
                                  : dl_alloc(larger, sizeof *names);
        if (!names)
            return DLTF_MEMORY;
        set->names = names;
        *capacity = larger;
    }
    dltf_status status = copy_text(name, &set->names[set->count]);
    set->count += status == DLTF_OK;
    return status;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static dltf_status read_folder(dltf_image_set *set) {
    dltf_status status = DLTF_OK;
    int64_t capacity = 0;
    DIR *folder = opendir(set->path);
    if (!folder)
        return dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno));
    for (struct dirent *entry; status == DLTF_OK && (entry = readdir(folder));)
        if (is_wanted(entry->d_name))
            status = add_name(set, entry->d_name, &capacity);
    closedir(folder);
    if (status == DLTF_OK && set->count == 0)
        return dl_fail(DLTF_DATA, "is a folder without images: expected %s files",
                       dl_format_names(DLTF_CONTENT_IMAGE, dl_format_is_only_image, "or"));
    if (status == DLTF_OK)
        qsort(set->names, (size_t)set->count, sizeof *set->names, compare_names);
    return status;
}

static dltf_status load_from_folder(const dltf_image_set *set, int64_t index, dltf_image **image) {
    const char *name = set->names[index];
    size_t size = strlen(set->path) + strlen(name) + 2;
    char *path = dl_alloc((int64_t)size, 1);
    if (!path)
        return DLTF_MEMORY;
    snprintf(path, size, "%s/%s", set->path, name);
    dltf_status status = dltf_image_load(path, image);
    dl_free(path);
    return status;
}

/* ---- Files ---- */

static dltf_status read_file(dltf_image_set *set) {
    dltf_status status = dl_file_open(set->path, &set->file);
    if (status != DLTF_OK)
        return status;
    if (dl_format_of_content(DLTF_CONTENT_IMAGE, set->file.bytes, set->file.size)) {
        set->count = 1;
        return DLTF_OK;
    }
    status = dl_matrix_load(&set->file, set->path, NULL, &set->array);
    if (status == DLTF_OK && set->array->channels == 0)
        return dl_fail(DLTF_FORMAT,
                       "does not contain images: expected an image (%s), a folder of images, "
                       "CIFAR-10 (.bin), or IDX with three axes",
                       dl_format_names(DLTF_CONTENT_IMAGE, NULL, "or"));
    set->count = status == DLTF_OK ? set->array->matrix.rows : 0;
    return status;
}

static dltf_status load_from_file(const dltf_image_set *set, dltf_image **image) {
    dl_file file = dl_file_borrow(set->file.bytes, set->file.size);
    return dl_format_of_content(DLTF_CONTENT_IMAGE, file.bytes, file.size)->load_image(&file, image);
}

static dltf_status load_from_row(const dltf_array *array, int64_t index, dltf_image **image) {
    dltf_status status = dltf_image_new(array->width, array->height, array->channels, 32, image);
    if (status != DLTF_OK)
        return status;
    dltf_matrix_row(array->matrix, index, (*image)->planes);
    status = dl_image_check_finite(*image);
    if (status != DLTF_OK) {
        dltf_image_free(*image);
        *image = NULL;
    }
    return status;
}

/* ---- The interface ---- */

dltf_status dltf_image_set_open(const char *path, dltf_image_set **set) {
    dltf_status status = DLTF_OK;
    dltf_image_set *made = NULL;
    struct stat about;
    *set = NULL;
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    DL_TRY_NEW(made, 1);
    DL_TRY(copy_text(path, &made->path));
    DL_TRY(stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? read_folder(made) : read_file(made));
    *set = made;
    made = NULL;
done:
    dltf_image_set_free(made);
    return dl_file_result(status, path);
}

int64_t dltf_image_set_count(const dltf_image_set *set) {
    return set->count;
}

dltf_status dltf_image_set_load(const dltf_image_set *set, int64_t index, dltf_image **image) {
    *image = NULL;
    if (index < 0 || index >= set->count)
        return dl_fail(DLTF_ARGUMENT, "image %" PRId64 " of %" PRId64 " does not exist", index, set->count);
    if (set->names)
        return load_from_folder(set, index, image); /* already prefixed with its path */
    return dl_file_result(set->array ? load_from_row(set->array, index, image) : load_from_file(set, image),
                          set->path);
}

void dltf_image_set_free(dltf_image_set *set) {
    if (!set)
        return;
    for (int64_t i = 0; set->names && i < set->count; i++)
        dl_free(set->names[i]);
    dl_free(set->names);
    dl_file_close(&set->file);
    dltf_array_free(set->array);
    dl_free(set->path);
    dl_free(set);
}
