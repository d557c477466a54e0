/* Reading whole files. Mapping keeps a large matrix out of memory until it is used. Pipes cannot be mapped
 * and are read to the end, so that `dltf ... <(zcat x.npy.gz)` works. */
#include "io/files/file.h"

#include "base/memory.h"
#include "data/array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the rest of a file whose first `used` bytes are in `start`. */
static dltf_status read_to_end(int descriptor, const uint8_t *start, int64_t used, int64_t expected,
                               dl_file *file) {
    int64_t capacity = used + expected + 1; /* one more to see the end without growing */
    uint8_t *memory = dl_alloc(capacity, 1);
    if (!memory)
        return DLTF_MEMORY;
    if (used > 0)
        memcpy(memory, start, (size_t)used);
    for (;;) {
        if (used == capacity) {
            uint8_t *larger = dl_grow(memory, used, 2 * capacity, 1);
            if (!larger) {
                dl_free(memory);
                return DLTF_MEMORY;
            }
            memory = larger;
            capacity *= 2;
        }
        ssize_t got = read(descriptor, memory + used, (size_t)(capacity - used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            dl_free(memory);
            return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
        }
        if (got == 0)
            break;
        used += got;
    }
    *file = (dl_file){.bytes = memory, .size = used, .memory = memory};
    return DLTF_OK;
}

dltf_status dl_file_read(int descriptor, const uint8_t *start, int64_t count, dl_file *file) {
    return read_to_end(descriptor, start, count, 1 << 16, file);
}

static dltf_status take_content(int descriptor, dl_file *file) {
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return dl_fail(DLTF_FILE, "is a directory, not a file");
    if (S_ISFIFO(about.st_mode))
        return dl_file_read(descriptor, NULL, 0, file);
    if (!S_ISREG(about.st_mode))
        return dl_fail(DLTF_FILE, "is a device, not a file");
    if (about.st_size == 0)
        return DLTF_OK;
    void *mapping = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) /* unsupported by some file systems */
        return read_to_end(descriptor, NULL, 0, about.st_size, file);
    *file = (dl_file){.bytes = mapping, .size = about.st_size, .mapping = mapping};
    return DLTF_OK;
}

static bool is_regular(int descriptor) {
    struct stat about;
    return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

dltf_status dl_file_open(const char *path, dl_file *file) {
    *file = (dl_file){0};
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno));
    dltf_status status = take_content(descriptor, file);
    file->path = is_regular(descriptor) ? path : NULL;
    close(descriptor);
    if (status == DLTF_OK && file->size == 0) {
        dl_file_close(file);
        status = dl_fail(DLTF_FORMAT, "is empty");
    }
    return status;
}

void dl_file_close(dl_file *file) {
    if (file->mapping)
        munmap(file->mapping, (size_t)file->size);
    dl_free(file->memory);
    *file = (dl_file){0};
}

dl_file dl_file_borrow(const void *bytes, int64_t size) {
    return (dl_file){.bytes = bytes, .size = size};
}

bool dl_file_give(dl_file *file, dltf_array *array) {
    if (!file->mapping && !file->memory)
        return false;
    array->memory = file->memory;
    array->mapping = file->mapping;
    array->map_size = file->mapping ? (size_t)file->size : 0;
    *file = (dl_file){.reading = file->reading};
    return true;
}

dltf_status dl_file_result(dltf_status status, const char *path) {
    if (status == DLTF_OK || !path || !*path)
        return status;
    return dl_fail_prefix(status, path);
}

bool dl_path_ends(const char *path, const char *extension) {
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcasecmp(path + length - tail, extension) == 0;
}
