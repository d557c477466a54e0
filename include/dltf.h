/* dltf.h: thresholded features z = max_k(W^T x), and dictionaries learned for them.
 *
 * One matrix product, keep the k largest-magnitude entries: the cheapest useful sparse code. This header is
 * the whole public interface. The notation is that of H. Xu et al., "Learning Simple Thresholded Features
 * with Sparse Support Recovery": X samples, W dictionary of unit-norm atoms, Z codes, k entries per code.
 *
 *     dltf_train_options options = dltf_train_options_default();
 *     dltf_matrix X = dltf_matrix_f32(data, N, n);              // a row is a sample
 *     dltf_model *model = NULL;
 *     if (dltf_train(X, &options, NULL, NULL, &model) != DLTF_OK)
 *         fprintf(stderr, "%s\n", dltf_message());
 *
 * Conventions
 *   A row is a sample (X: N x n) or an atom (dictionary: m x n): the paper's X^T and W^T, C order.
 *   Inputs are borrowed. Every object returned through a `**` argument has its own `_free`, which accepts
 * NULL. A function that can fail returns dltf_status; dltf_message() then says what failed, where and with
 * which value, and dltf_last_error() gives the same in parts.
 *   NULL is rejected with DLTF_ARGUMENT, except for what a header calls optional, for callbacks, and for
 * options, where it means the defaults. A function that does not return a status gives zeros or NULL for it.
 * What is returned through a `**` argument is NULL after a failure.
 *   A matrix has at least one row and one column; codes may have no rows. Sizes, counts and strides that no
 * array can have, whether negative or near 2^63, give DLTF_ARGUMENT; sizes that are only too large for this
 * machine give DLTF_MEMORY. 0 is rejected like -1, except where a header gives it a meaning.
 *   Arrays must be aligned as C requires: floats at multiples of 4 bytes, doubles and 64-bit integers of 8.
 * Matrices, models and codes that are not are rejected.
 *   Words mean the same everywhere. `train` learns an object from samples, `new` makes one from its parts,
 * `apply` maps samples to something other than codes, `get` returns a view. Codes are sparse; binary codes
 * are called hashes. `threads` is from 0 (all cores) to 1024 and does not change results; `seed` is at least
 * 0. Arguments are in this order: object or model, samples, other inputs, options, progress and its context,
 * results.
 *   Programs keep working with later versions of the library that have the same soname. Structs grow at their
 * end only, and both sides may know fewer fields than the other: options begin with their size, which their
 * `_default` function sets; other structs are passed with their size by inline functions, whose exported
 * twins end in `_sized`. What a program does not know has its default in options and is 0 elsewhere. What the
 * library does not know must be 0, else it fails with DLTF_ARGUMENT; in results it is set to 0. Structs that
 * a callback receives belong to the library and also grow at the end. dltf_matrix and dltf_csr, which are
 * passed by value, and structs inside others never change.
 *   Nothing here prints, exits, or installs a signal handler.
 *   Any number of threads may use a handle at the same time through functions that take it as const, such as
 * a model in dltf_encode or an index in dltf_search. Functions that take it as not const, such as those of an
 * encoder or a learner, and `_free`, need it for themselves. Messages are per thread. After fork() the child
 * may use everything.
 *
 * The small static library libdltf-encoder.a contains only what coding with a finished model needs, without
 * BLAS or threads; docs/embedded.md lists its functions.
 */
#ifndef DLTF_H
#define DLTF_H

#include "dltf/atoms.h"
#include "dltf/bind.h"
#include "dltf/certify.h"
#include "dltf/cluster.h"
#include "dltf/core.h"
#include "dltf/data.h"
#include "dltf/encode.h"
#include "dltf/hash.h"
#include "dltf/image.h"
#include "dltf/learn.h"
#include "dltf/measure.h"
#include "dltf/online.h"
#include "dltf/options.h"
#include "dltf/ranks.h"
#include "dltf/search.h"
#include "dltf/suggest.h"

#endif
