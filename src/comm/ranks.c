/* The part of the public interface to ranks that does not depend on what connects them. */
#include "comm/comm.h"

int dltf_rank(void) {
    return dl_comm_rank();
}

int dltf_ranks(void) {
    return dl_comm_size();
}

bool dltf_ranks_any(bool flag) {
    return dl_comm_any(flag);
}

dltf_status dltf_ranks_agree(dltf_status status, const char *message) {
    if (status != DLTF_OK && message)
        dl_fail(status, "%s", message);
    return dl_comm_agree(status);
}
