/* zlib with 64-bit sizes, error messages and our allocator. Callers bound the output before they unpack. */
#include "io/formats/inflate.h"

#include "base/memory.h"

#include <limits.h>

static void *allocate(void *context, unsigned count, unsigned size) {
    (void)context;
    return dl_alloc(count, size);
}

static void release(void *context, void *memory) {
    (void)context;
    dl_free(memory);
}

dltf_status dl_inflate_open(dl_inflate *inflater, const uint8_t *bytes, int64_t size, dl_wrapper wrapper) {
    *inflater = (dl_inflate){.stream = {.zalloc = allocate, .zfree = release}, .next = bytes, .left = size};
    int bits = wrapper == DL_WRAPPER_GZIP ? 15 + 16 : -15;
    if (inflateInit2(&inflater->stream, bits) != Z_OK)
        return dl_fail(DLTF_MEMORY, "not enough memory to unpack");
    return DLTF_OK;
}

/* One call of zlib: refills its input if empty, unpacks into avail_out. */
static dltf_status step(dl_inflate *inflater) {
    z_stream *stream = &inflater->stream;
    if (stream->avail_in == 0 && inflater->left > 0) {
        int64_t chunk = inflater->left < INT_MAX ? inflater->left : INT_MAX;
        stream->next_in = (Bytef *)(uintptr_t)inflater->next;
        stream->avail_in = (uInt)chunk;
        inflater->next += chunk;
        inflater->left -= chunk;
    }
    int result = inflate(stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END)
        inflater->ended = true;
    else if (result == Z_MEM_ERROR)
        return dl_fail(DLTF_MEMORY, "not enough memory to unpack");
    else if (result == Z_BUF_ERROR)
        return dl_fail(DLTF_FORMAT, "truncated: unexpected end of compressed data");
    else if (result != Z_OK)
        return dl_fail(DLTF_FORMAT, "corrupt: cannot unpack compressed data (%s)",
                       stream->msg ? stream->msg : "unknown error");
    return DLTF_OK;
}

dltf_status dl_inflate_read(dl_inflate *inflater, void *out, int64_t count, int64_t *got) {
    int64_t done = 0;
    while (done < count && !inflater->ended) {
        int64_t chunk = count - done < INT_MAX ? count - done : INT_MAX;
        inflater->stream.next_out = (Bytef *)out + done;
        inflater->stream.avail_out = (uInt)chunk;
        dltf_status status = step(inflater);
        if (status != DLTF_OK)
            return status;
        done += chunk - inflater->stream.avail_out;
    }
    *got = done;
    return DLTF_OK;
}

dltf_status dl_inflate_finish(dl_inflate *inflater) {
    uint8_t extra;
    int64_t got = 0;
    dltf_status status = dl_inflate_read(inflater, &extra, 1, &got);
    if (status != DLTF_OK)
        return status;
    if (got > 0)
        return dl_fail(DLTF_FORMAT, "corrupt: unpacks to more bytes than the header declares");
    if (inflater->stream.avail_in > 0 || inflater->left > 0)
        return dl_fail(DLTF_FORMAT, "corrupt: trailing data after the compressed data");
    return DLTF_OK;
}

void dl_inflate_close(dl_inflate *inflater) {
    if (inflater->stream.zalloc)
        inflateEnd(&inflater->stream);
    *inflater = (dl_inflate){0};
}

bool dl_inflate_plausible(int64_t packed, int64_t size) {
    enum { MAX_GAIN = 1032 };
    return size / MAX_GAIN <= packed;
}
