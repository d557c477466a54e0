/* Hashers, hashes and search. A hasher is a struct: what it is, and the bytes of its file. */
#include "gateway.h"

#include <string.h>

static mxArray *hasher_struct(const dltf_hasher *hasher) {
    static const char *const names[] = {"method", "bits", "n", "k", "bytes"};
    dltf_hasher_view view = dltf_hasher_get(hasher);
    mxArray *fields = mxCreateStructMatrix(1, 1, 5, (const char **)names);
    uint8_t *bytes = NULL;
    int64_t size = 0;
    gw_check(dltf_hasher_write(hasher, &bytes, &size));
    mxArray *content = mxCreateNumericMatrix((mwSize)size, 1, mxUINT8_CLASS, mxREAL);
    memcpy(mxGetData(content), bytes, (size_t)size);
    dltf_bytes_free(bytes);
    mxSetField(fields, 0, "method", mxCreateString(view.name));
    mxSetField(fields, 0, "bits", mxCreateDoubleScalar((double)view.bits));
    mxSetField(fields, 0, "n", mxCreateDoubleScalar((double)view.n));
    mxSetField(fields, 0, "k", mxCreateDoubleScalar((double)view.k));
    mxSetField(fields, 0, "bytes", content);
    return fields;
}

static dltf_hasher *hasher_of(const mxArray *fields) {
    dltf_hasher *hasher = NULL;
    const mxArray *bytes =
        mxIsStruct(fields) && mxGetNumberOfElements(fields) == 1 ? mxGetField(fields, 0, "bytes") : NULL;
    if (!bytes || !mxIsUint8(bytes))
        gw_fail("argument", "hasher: expected a struct, as dltf_hash_train returns it");
    gw_check(dltf_hasher_read(mxGetData(bytes), (int64_t)mxGetNumberOfElements(bytes), &hasher));
    gw_own(hasher, gw_free_hasher);
    return hasher;
}

/* hasher = hash_train (X, options) */
void gw_hash_train(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_hasher *hasher = NULL;
    const dltf_array *X = gw_array(in[0], "data");
    GW_RUN(dltf_bind_hasher_train(X, gw_options("hash", in[1]), gw_report, NULL, &hasher));
    gw_own(hasher, gw_free_hasher);
    out[0] = hasher_struct(hasher);
}

/* H = hash_encode (hasher, X, threads): bits/8 x N */
void gw_hash_encode(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    const dltf_hasher *hasher = hasher_of(in[0]);
    const dltf_array *X = gw_array(in[1], "data");
    out[0] = mxCreateNumericMatrix((mwSize)(dltf_hasher_get(hasher).bits / 8), mxGetN(in[1]), mxUINT8_CLASS,
                                   mxREAL);
    GW_RUN(
        dltf_bind_hasher_apply(hasher, X, (int64_t)mxGetScalar(in[2]), gw_report, NULL, mxGetData(out[0])));
}

/* A k x queries matrix of column numbers and one of distances; by radius a cell of columns each. */
static void put_found(dltf_neighbours_view found, mxArray *out[2]) {
    mwSize queries = (mwSize)found.queries;
    bool equal = found.k > 0;
    for (int o = 0; o < 2; o++)
        out[o] =
            equal ? mxCreateDoubleMatrix((mwSize)found.k, queries, mxREAL) : mxCreateCellMatrix(1, queries);
    for (mwSize q = 0; q < queries; q++) {
        int64_t first = found.indptr[q], count = found.indptr[q + 1] - first;
        double *place[2];
        for (int o = 0; o < 2; o++) {
            mxArray *column = equal ? out[o] : mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
            place[o] = mxGetPr(column) + (equal ? first : 0);
            if (!equal)
                mxSetCell(out[o], (mwIndex)q, column);
        }
        for (int64_t e = 0; e < count; e++) {
            place[0][e] = (double)(found.indices[first + e] + 1);
            place[1][e] = found.distances[first + e];
        }
    }
}

/* [columns, distances] = hash_search (database, queries, options) */
void gw_hash_search(int outputs, mxArray *out[], const mxArray *in[]) {
    dltf_index *index = NULL;
    dltf_neighbours *neighbours = NULL;
    mxArray *found[2];
    gw_check(dltf_bind_index_new(gw_bytes_array(in[0], "database"), &index));
    gw_own(index, gw_free_index);
    const dltf_array *queries = gw_bytes_array(in[1], "queries");
    GW_RUN(dltf_bind_search(index, queries, gw_options("search", in[2]), gw_report, NULL, &neighbours));
    gw_own(neighbours, gw_free_neighbours);
    put_found(dltf_neighbours_get(neighbours), found);
    out[0] = found[0];
    if (outputs > 1)
        out[1] = found[1];
}

void gw_hasher_load(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_hasher *hasher = NULL;
    gw_check(dltf_hasher_load(gw_text(in[0], "path"), &hasher));
    gw_own(hasher, gw_free_hasher);
    out[0] = hasher_struct(hasher);
}

void gw_hasher_save(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    (void)out;
    gw_check(dltf_hasher_save(hasher_of(in[0]), gw_text(in[1], "path")));
}
