/* .npz archives: finds an array by name and unpacks it, bounded by its own header. */
#include "io/formats/npz.h"

#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/csr.h"
#include "io/formats/npy.h"

enum { SUFFIX = 4 }; /* ".npy" */

static bool is_array(const dl_zip_member *member) {
    return member->name_length > SUFFIX &&
           memcmp(member->name + member->name_length - SUFFIX, ".npy", SUFFIX) == 0;
}

/* "'a', 'b', 'c'" for a message, shortened with "..." if there are too many. */
static const char *list_arrays(const dl_zip *zip, char *list, size_t size) {
    enum { MAX_NAME = DL_SHOWN + 4 };
    size_t used = 0;
    list[0] = '\0';
    for (int64_t i = 0; i < zip->count; i++) {
        const dl_zip_member *member = &zip->members[i];
        if (!is_array(member))
            continue;
        if (used + MAX_NAME + 6 > size) {
            strcpy(list + used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, size - used, "%s'%s'", used ? ", " : "",
                                 DL_PRINTABLE(member->name, member->name_length - SUFFIX));
    }
    return list;
}

/* What all sparse formats of SciPy have in common. */
static bool holds_sparse(const dl_zip *zip) {
    return dl_zip_find(zip, "format.npy") && dl_zip_find(zip, "shape.npy") && dl_zip_find(zip, "data.npy");
}

bool dl_npz_holds_codes(const dl_zip *zip) {
    static const char *const names[] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy"};
    bool all = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        all = all && dl_zip_find(zip, names[i]);
    return all;
}

/* The member `name`.npy; without a name, the only array of the archive. */
static dltf_status choose(const dl_zip *zip, const char *name, const dl_zip_member **chosen) {
    char list[300];
    *chosen = NULL;
    int64_t arrays = 0;
    for (int64_t i = 0; i < zip->count; i++) {
        const dl_zip_member *member = &zip->members[i];
        if (!is_array(member))
            continue;
        arrays++;
        size_t length = (size_t)(member->name_length - SUFFIX);
        if (!name || (strlen(name) == length && memcmp(member->name, name, length) == 0))
            *chosen = member;
    }
    if (arrays == 0)
        return dl_fail(DLTF_FORMAT, "contains no arrays");
    if (!name && arrays > 1)
        return dl_fail(DLTF_FORMAT, "contains several arrays (%s): choose one with FILE.npz:NAME",
                       list_arrays(zip, list, sizeof list));
    if (!*chosen)
        return dl_fail(DLTF_FORMAT, "array '%s' not found; the archive contains %s",
                       DL_PRINTABLE(name, (int64_t)strlen(name)), list_arrays(zip, list, sizeof list));
    return DLTF_OK;
}

static dltf_status read_array(const dl_zip_member *member, dl_elements *elements, dl_file *content) {
    dl_file beginning = {0};
    *content = (dl_file){0};
    dltf_status status = dl_zip_peek(member, DL_NPY_PREFIX + DL_NPY_MAX_HEADER, &beginning);
    if (status == DLTF_OK)
        status = dl_npy_parse(beginning.bytes, beginning.size, member->size, elements);
    dl_file_close(&beginning);
    if (status == DLTF_OK)
        status = dl_zip_read(member, content);
    if (status == DLTF_OK) {
        status = dl_npy_parse(content->bytes, content->size, content->size, elements);
        if (status != DLTF_OK)
            dl_file_close(content);
    }
    return status;
}

static dltf_status about_array(dltf_status status, const dl_zip_member *member) {
    if (status == DLTF_OK)
        return status;
    char prefix[DL_SHOWN + 16];
    snprintf(prefix, sizeof prefix, "array '%s'", DL_PRINTABLE(member->name, member->name_length - SUFFIX));
    return dl_fail_prefix(status, prefix);
}

dltf_status dl_npz_get(const dl_zip *zip, const char *name, dl_elements *elements, dl_file *content) {
    const dl_zip_member *member;
    dltf_status status = choose(zip, name, &member);
    return status == DLTF_OK ? about_array(read_array(member, elements, content), member) : status;
}

static dltf_status load_array(const dl_zip *zip, const char *name, dl_file *file, dltf_array **array) {
    dl_file content = {0};
    dl_elements elements;
    const dl_zip_member *member = NULL;
    dltf_status status = choose(zip, name, &member);
    if (status != DLTF_OK)
        return status;
    status = read_array(member, &elements, &content);
    elements.columns_axis = dl_file_axis(file);
    if (status == DLTF_OK) /* a stored array is used in place, in the mapped archive */
        status = dl_elements_array(&elements, member->deflated ? &content : file, array);
    dl_file_close(&content);
    return about_array(status, member);
}

dltf_status dl_npz_load(dl_file *file, const char *name, dltf_array **array) {
    dl_zip zip = {0};
    dltf_status status = dl_zip_open(file->bytes, file->size, &zip);
    if (status == DLTF_OK)
        status = !name && holds_sparse(&zip) ? dl_csr_load(&zip, array) : load_array(&zip, name, file, array);
    dl_zip_close(&zip);
    return status;
}
