/* A step of the prox's search in all columns, vectorised by the compiler. */
#include "kernels/prox_search.h"
#include "kernels/level/level.h"

bool DL_LEVELLED(dl_prox_advance_columns)(dl_prox_search *s, const dl_prox_pieces *pieces, int pass) {
    return dl_prox_advance(s, DL_COLUMNS, pieces, pass);
}
