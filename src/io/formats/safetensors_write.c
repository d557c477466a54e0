/* Writing safetensors: notes sorted by name, tensors in the bundle's order, the header padded with blanks so
 * that the data begins at a multiple of 8. The same bundle gives the same bytes. */
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/files/file.h"
#include "io/files/writer.h"
#include "io/formats/safetensors.h"
#include "io/formats/safetensors_header.h"

#include <jansson.h>

static dltf_status no_json(void) {
    return dl_fail(DLTF_MEMORY, "not enough memory for the header");
}

static dltf_status add_notes(json_t *header, const dl_notes *notes) {
    if (notes->count == 0)
        return DLTF_OK;
    json_t *metadata = json_object();
    if (json_object_set_new(header, "__metadata__", metadata) != 0)
        return no_json();
    for (int i = 0; i < notes->count; i++) {
        const dl_note *note = &notes->list[i];
        if (!dl_is_utf8(note->name) || !dl_is_utf8(note->value))
            return dl_fail(DLTF_ARGUMENT, "note '%s' is not UTF-8 text",
                           DL_PRINTABLE(note->name, (int64_t)strlen(note->name)));
        if (json_object_set_new(metadata, note->name, json_string(note->value)) != 0)
            return no_json();
    }
    return DLTF_OK;
}

static dltf_status add_tensor(json_t *header, const dl_tensor *tensor, int64_t begin) {
    json_int_t end = begin + dl_tensor_bytes(tensor);
    const char *type = dl_safetensors_type(tensor->type);
    json_t *entry =
        tensor->rank == 2
            ? json_pack("{s:s, s:[I,I], s:[I,I]}", "dtype", type, "shape", (json_int_t)tensor->rows,
                        (json_int_t)tensor->cols, "data_offsets", (json_int_t)begin, end)
            : json_pack("{s:s, s:[I], s:[I,I]}", "dtype", type, "shape", (json_int_t)tensor->rows,
                        "data_offsets", (json_int_t)begin, end);
    return json_object_set_new(header, tensor->name, entry) == 0 ? DLTF_OK : no_json();
}

/* Not json_dumps, which may return incomplete text when it is out of memory. */
static dltf_status format(const json_t *header, char **text) {
    size_t size = json_dumpb(header, NULL, 0, JSON_COMPACT);
    if (size == 0)
        return no_json();
    if (size > DL_SAFETENSORS_MAX_HEADER - 8) /* 8: padding */
        return dl_fail(DLTF_ARGUMENT, "notes and names of tensors take %zu bytes: too many for a header",
                       size);
    *text = dl_alloc((int64_t)size + 1, 1);
    if (!*text)
        return DLTF_MEMORY;
    return json_dumpb(header, *text, size, JSON_COMPACT) == size ? DLTF_OK : no_json();
}

/* The header as text, to be released with dl_free. */
static dltf_status make_header(const dl_bundle *bundle, char **text) {
    dltf_status status = DLTF_OK;
    json_t *header = json_object();
    if (!header)
        return no_json();
    DL_TRY(add_notes(header, &bundle->notes));
    int64_t at = 0;
    for (int i = 0; i < bundle->count; i++) {
        DL_TRY(add_tensor(header, &bundle->tensors[i], at));
        at += dl_tensor_bytes(&bundle->tensors[i]);
    }
    status = format(header, text);
done:
    json_decref(header);
    return status;
}

/* In pieces, so that data which are in a file are not in memory as a whole. */
static dltf_status write_tensor(dl_writer *out, const dl_bundle *bundle, const dl_tensor *tensor) {
    const int64_t piece = 1 << 22;
    int64_t bytes = dl_tensor_bytes(tensor);
    dltf_status status = DLTF_OK;
    for (int64_t at = 0; at < bytes && status == DLTF_OK; at += piece) {
        const char *part = (const char *)tensor->data + at;
        int64_t count = bytes - at < piece ? bytes - at : piece;
        status = dl_writer_write(out, part, count);
        dl_scratch_rest(&bundle->mapped, part, count);
    }
    return status;
}

static dltf_status write_header(dl_writer *out, const char *header) {
    dltf_status status = DLTF_OK;
    int64_t length = (int64_t)strlen(header), padding = (8 - length % 8) % 8;
    uint8_t prefix[8];
    dl_put_little(prefix, (uint64_t)(length + padding), 8);
    DL_TRY(dl_writer_write(out, prefix, sizeof prefix));
    DL_TRY(dl_writer_write(out, header, length));
    DL_TRY(dl_writer_write(out, "       ", padding));
done:
    return status;
}

static dltf_status write_all(dl_writer *out, const dl_bundle *bundle, const char *header) {
    dltf_status status = write_header(out, header);
    for (int i = 0; i < bundle->count && status == DLTF_OK; i++)
        status = write_tensor(out, bundle, &bundle->tensors[i]);
    return status;
}

dltf_status dl_safetensors_start(dl_writer *out, const dl_bundle *bundle, int64_t *data) {
    char *header = NULL;
    dltf_status status = make_header(bundle, &header);
    if (status == DLTF_OK)
        status = write_header(out, header);
    *data = out->written;
    dl_free(header);
    return status;
}

dltf_status dl_safetensors_save(const dl_bundle *bundle, const char *path) {
    dltf_status status = DLTF_OK;
    char *header = NULL;
    dl_writer out = {0};
    DL_TRY(make_header(bundle, &header));
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(write_all(&out, bundle, header));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    dl_free(header);
    return dl_file_result(status, path);
}

dltf_status dl_safetensors_write(const dl_bundle *bundle, uint8_t **bytes, int64_t *size) {
    dltf_status status = DLTF_OK;
    char *header = NULL;
    dl_writer out;
    dl_writer_open_memory(&out);
    DL_TRY(make_header(bundle, &header));
    DL_TRY(write_all(&out, bundle, header));
    dl_writer_take(&out, bytes, size);
done:
    dl_writer_abort(&out);
    dl_free(header);
    return status;
}
