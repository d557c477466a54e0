/* The part of the public interface to ranks that does not depend on what connects them. */
#include "dltf/ranks.h"
#include "comm/comm.h"

/* FNV-1a. */
static uint64_t checksum(const uint8_t *bytes, int64_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

bool dl_comm_same(const void *bytes, int64_t size) {
    uint64_t mine[] = {(uint64_t)size, checksum(bytes, size)}, first[] = {mine[0], mine[1]};
    dl_comm_broadcast(first, sizeof first);
    return dl_comm_status() != DLTF_OK || (mine[0] == first[0] && mine[1] == first[1]);
}

int dltf_rank(void) {
    return dl_comm_rank();
}

int dltf_ranks(void) {
    return dl_comm_size();
}

bool dltf_ranks_any(bool flag) {
    return dl_comm_any(flag);
}

dltf_status dltf_ranks_same(const void *bytes, int64_t size, bool *same) {
    DL_REQUIRE(bytes, same);
    *same = !dl_comm_any(!dl_comm_same(bytes, size));
    return dl_comm_status();
}

dltf_status dltf_ranks_broadcast(void *bytes, int64_t size) {
    DL_REQUIRE(bytes);
    dl_comm_broadcast(bytes, size);
    return dl_comm_status();
}

dltf_status dltf_ranks_agree(dltf_status status, const char *message) {
    if (status != DLTF_OK && message)
        dl_fail(status, "%s", message);
    return dl_comm_agree(status);
}
