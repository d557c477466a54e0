/* The kind of an object of the public interface. It is the first field of every struct that dltf_bind_get
 * describes: a handle of another kind is rejected there and not misread. */
#ifndef DL_BASE_HANDLE_H
#define DL_BASE_HANDLE_H

#include "base/memory.h"

/* Numbers that other structs are unlikely to begin with. */
typedef enum dl_handle {
    DL_HANDLE_ARRAY = 0x71dca301,
    DL_HANDLE_CODES,
    DL_HANDLE_MODEL,
    DL_HANDLE_LEARNER,
    DL_HANDLE_ONLINE,
    DL_HANDLE_CLUSTERS,
    DL_HANDLE_PCA,
    DL_HANDLE_LANDMARKS,
    DL_HANDLE_HASHER,
    DL_HANDLE_INDEX,
    DL_HANDLE_NEIGHBOURS,
    DL_HANDLE_IMAGE,
    DL_HANDLE_SYNTHETIC,
    DL_HANDLE_TOP,
    DL_HANDLE_SUGGESTION
} dl_handle;

/* DL_TRY_NEW of one object of this kind. */
#define DL_TRY_HANDLE(pointer, KIND)                                                                         \
    do {                                                                                                     \
        DL_TRY_NEW(pointer, 1);                                                                              \
        (pointer)->handle = DL_HANDLE_##KIND;                                                                \
    } while (0)

#endif
