/* gateway.h: between MEX arrays and libdltf. A sample is a column here and a row in the library: column-major
 * n x N and row-major N x n are the same memory, as are CSC m x N and CSR N x m, so nothing is transposed. */
#ifndef DLTF_GATEWAY_H
#define DLTF_GATEWAY_H

#include <dltf.h>
#include <mex.h>

/* ---- Errors, Ctrl-C, progress ------------------------------------------------------------------ */

/* Frees what the call owns and raises the Octave error dltf:NAME. Does not return. */
void gw_fail(const char *name, const char *format, ...);
/* Raises the library's error unless the status is DLTF_OK. */
void gw_check(dltf_status status);

/* GW_RUN(call): a call that may take long. Until it returns, Ctrl-C cancels it; then Octave handles the
 * interrupt. gw_report is the callback to pass. */
#define GW_RUN(call) (gw_begin(), gw_end(call))
void gw_begin(void);
void gw_end(dltf_status status);
bool gw_interrupted(void); /* since gw_begin */
int gw_report(void *context, const char *task, int64_t done, int64_t total, const char *stage, int64_t index,
              double error, const struct dltf_state *state);
/* Whether gw_report prints. */
void gw_show_progress(bool show);

/* ---- Objects ----------------------------------------------------------------------------------- */

/* Objects of the library that belong to the current call: errors and the end of the call free them. */
void gw_own(void *object, void (*release)(void *));
/* Frees them, and gives Ctrl-C back to Octave. */
void gw_release(void);

/* The functions that gw_own takes. */
void gw_free_array(void *object);
void gw_free_clusters(void *object);
void gw_free_codes(void *object);
void gw_free_hasher(void *object);
void gw_free_image(void *object);
void gw_free_index(void *object);
void gw_free_learner(void *object);
void gw_free_model(void *object);
void gw_free_neighbours(void *object);
void gw_free_options(void *object);
void gw_free_synthetic(void *object);
void gw_free_values(void *object);

/* ---- From Octave ------------------------------------------------------------------------------- */

/* A view of a matrix whose columns are samples. single, double and uint8 are borrowed, sparse double too;
 * other numeric types are converted to single first. `what` names the argument in messages. */
dltf_array *gw_array(const mxArray *matrix, const char *what);
/* A matrix of bytes, such as hashes. */
dltf_array *gw_bytes_array(const mxArray *matrix, const char *what);
/* Codes: a sparse matrix, m x N. NULL for []. */
dltf_codes *gw_codes(const mxArray *matrix, const char *what);
/* Codes that must be there. */
dltf_codes *gw_codes_required(const mxArray *matrix, const char *what);
/* A struct with the fields of a model. NULL for []. */
dltf_model *gw_model(const mxArray *fields);
dltf_model *gw_model_required(const mxArray *fields);
/* Options of a task from the fields of a struct; `_` stands for `-`. The field `progress` is for gw_report.
 */
dltf_options *gw_options(const char *task, const mxArray *fields);
/* Text; raises an error if it is none. */
char *gw_text(const mxArray *value, const char *what);

/* ---- To Octave --------------------------------------------------------------------------------- */

mxArray *gw_single_matrix(int64_t rows, int64_t cols);
mxArray *gw_codes_matrix(const dltf_codes *codes);
mxArray *gw_model_struct(const dltf_model *model);
/* All values as fields of a struct, "." as "_". Arrays are copied; integers become doubles. */
mxArray *gw_values_struct(const dltf_values *values);
/* The content of an object (dltf_bind_get). */
mxArray *gw_object_struct(const char *kind, const void *object);

/* ---- Commands ---------------------------------------------------------------------------------- */

/* What dltf_mex ("NAME", in...) calls. Arguments are checked for their number only. */
typedef void gw_command(int outputs, mxArray *out[], const mxArray *in[]);

gw_command gw_train, gw_encode, gw_decode, gw_measure, gw_dictionary, gw_certify, gw_synthetic, gw_match;
gw_command gw_kmeans, gw_denoise, gw_hash_train, gw_hash_encode, gw_hash_search, gw_batch_omp;
gw_command gw_model_load, gw_model_save, gw_hasher_load, gw_hasher_save, gw_codes_load, gw_codes_save;
gw_command gw_matrix_load, gw_matrix_save, gw_describe_options, gw_version;

#endif
