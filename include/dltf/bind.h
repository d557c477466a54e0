/* dltf/bind.h: for bindings to other languages. Only handles, numbers, text and pointers, so that a binding
 * need not know the layout of any struct; examples/binding.py is one.
 *
 * dltf_bind_NAME does what dltf_NAME does, with the same arguments in the same order, except that
 *   a matrix is a dltf_array: dltf_array_borrow for memory, dltf_array_load and dltf_array_open for files,
 *   options are a dltf_options of the task named below (NULL: the defaults),
 *   a progress callback is a dltf_report_fn (NULL: none),
 *   a struct with results is a dltf_values.
 * The other headers describe these functions. Functions without structs, such as dltf_decode, dltf_model_save
 * or dltf_online_model, have no second form.
 */
#ifndef DLTF_BIND_H
#define DLTF_BIND_H

#include "dltf/atoms.h"
#include "dltf/cluster.h"
#include "dltf/data.h"
#include "dltf/encode.h"
#include "dltf/hash.h"
#include "dltf/image.h"
#include "dltf/measure.h"
#include "dltf/online.h"
#include "dltf/options.h"
#include "dltf/search.h"
#include "dltf/suggest.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors and progress ----------------------------------------------------------------------- */

/* dltf_last_error without its struct: returns the status. `subject` is "option", "file", "argument" or "" for
 * none, and `name` that of the option, the path of the file, or what the argument is, such as "data". Each
 * may be NULL: not needed. The texts stay valid until the thread's next error. */
DLTF_API dltf_status dltf_bind_last_error(const char **subject, const char **name, const char **text);

/* The fields of dltf_progress. stage, index and error are those of a learner's newest history record (its
 * relative_error): "", -1 and NaN before the first and for other tasks. A non-zero return value cancels. */
typedef int (*dltf_report_fn)(void *context, const char *task, int64_t done, int64_t total, const char *stage,
                              int64_t index, double error, const struct dltf_state *state);

/* Until dltf_bind_watch(NULL, NULL), long calls of this thread without a callback of their own call `report`
 * some times a second, with the task "" and no numbers. If it returns non-zero they give up and return
 * DLTF_CANCELLED, as do all later ones until the next dltf_bind_watch. */
DLTF_API void dltf_bind_watch(dltf_report_fn report, void *context);

/* ---- Values ------------------------------------------------------------------------------------ */

/* Numbers, texts and arrays, by name: the fields of a struct under the names that they have there, such as
 * "explained_variance" or "twice.delta". Flags are 0 or 1; pointers that are NULL are left out. Types of
 * arrays are named as in NumPy: "float32", "float64", "uint8", "int32", "int64". */
typedef struct dltf_values dltf_values;

/* The names in order; NULL past the end. Sets `kind` to "number", "text" or "array"; NULL: not needed. */
DLTF_API const char *dltf_values_name(const dltf_values *values, int index, const char **kind);
/* A number or a text of this name. */
DLTF_API dltf_status dltf_values_number(const dltf_values *values, const char *name, double *number);
DLTF_API dltf_status dltf_values_text(const dltf_values *values, const char *name, const char **text);
/* An array in C order; cols is 0 for a vector of `rows` elements. The array belongs to the object that the
 * values describe (dltf_bind_get); that of a learner or of its quality belongs to the values. */
DLTF_API dltf_status dltf_values_array(const dltf_values *values, const char *name, const char **type,
                                       int64_t *rows, int64_t *cols, const void **data);
DLTF_API void dltf_values_free(dltf_values *values);

/* An option of a task: `kind` ("integer", "real", "flag", "choice", "text", "bytes" or "switch"), `default`
 * (missing: the library chooses), `min` and `max` of numbers, `choices` separated by '|', `scope` (what it
 * applies to, such as "encoder tied"; missing: everything), `argument` (a placeholder for help) and `help`.
 */
DLTF_API dltf_status dltf_options_describe(const dltf_options *options, const char *name,
                                           dltf_values **values);

/* Values for dltf_bind_new. A value replaces an earlier one of the same name. Arrays are borrowed until
 * dltf_bind_new returns. */
DLTF_API dltf_status dltf_values_new(dltf_values **values);
DLTF_API dltf_status dltf_values_set_number(dltf_values *values, const char *name, double number);
DLTF_API dltf_status dltf_values_set_text(dltf_values *values, const char *name, const char *text);
DLTF_API dltf_status dltf_values_set_array(dltf_values *values, const char *name, const char *type,
                                           int64_t rows, int64_t cols, const void *data);

/* ---- Objects ----------------------------------------------------------------------------------- */

/* The content of an object of a kind. An object of another kind gives DLTF_ARGUMENT.
 *   "array"       rows, cols, type ("rows" and "sparse" if not an element type); channels, height, width
 *                 (0 if rows are not images); `data` if they are in memory in C order
 *   "codes"       rows, cols, and the arrays of dltf_codes_csr
 *   "learner"     the history: records, an array for each field of dltf_iteration, and `stage`, a text with
 *                 a line for each record
 *   "online"      dltf_online_view, and `first` (dltf_online_first)
 *   "hasher"      dltf_hasher_view with method as text, and the arrays of the method
 *   "landmarks"   dltf_landmarks_view with the dictionary of the model in place of the model
 *   "synthetic"   dictionary; samples, indptr, indices, values; the same of the test set as "test.samples"
 *   "top"         samples, m, and for each atom uses, mean and largest; its top samples are entries
 *                 top_indptr[j] .. top_indptr[j+1]-1 of top_rows and top_values; random ones likewise
 *   "suggestion"  samples (of all trials), held_out, complete (0: the budget was too small), used_seconds,
 *                 expected_samples and expected_seconds (what training as suggested sees and takes at most;
 *                 -1 if unknown), chosen (a trial; -1: none ended), and for each trial m, k, center,
 *                 remove_mean, positive, best (1, or 0: the others), trained_samples, explained_variance
 *                 (after refit), raw_explained_variance, l0, unused_share, score (smaller is better),
 *                 code_seconds (of a sample) and train_seconds
 *   "model" "clusters" "pca" "index" "neighbours" "image"  the view of that name; select and method as text
 * Arrays are valid as long as the object is neither freed nor changed. */
DLTF_API dltf_status dltf_bind_get(const char *kind, const void *object, dltf_values **values);

/* An object from the values that dltf_bind_get gives for its kind: "model" (dltf_model_new), "pca" or
 * "landmarks". Sizes come from the arrays; those given as numbers must agree. Unknown names are rejected. */
DLTF_API dltf_status dltf_bind_new(const char *kind, const dltf_values *values, void **object);

/* ---- Data -------------------------------------------------------------------------------------- */

/* A view of the caller's memory, which must outlive it: "float32", "float64" or "uint8". Strides count
 * elements: (cols, 1) in C order, (1, rows) in Fortran order; negative ones run backwards from `data`. */
DLTF_API dltf_status dltf_array_borrow(const void *data, const char *type, int64_t rows, int64_t cols,
                                       int64_t row_stride, int64_t col_stride, dltf_array **array);
/* The same for the entries of a sparse matrix (dltf_csr), `entries` of them. indptr and indices have the same
 * type, as in SciPy and Octave: of "int32" indptr is copied, of "int64" the indices. Values are "float32" or
 * "float64" and never copied. */
DLTF_API dltf_status dltf_array_borrow_csr(int64_t rows, int64_t cols, int64_t entries, const void *indptr,
                                           const void *indices, const char *index_type, const void *values,
                                           const char *type, dltf_array **array);
/* Rows that `read` computes or fetches; any thread may call it. */
DLTF_API dltf_status dltf_bind_source_new(int64_t rows, int64_t cols, dltf_row_reader read, void *context,
                                          dltf_array **array);
/* Copies rows first .. first + count - 1, of any type, to count x cols floats. */
DLTF_API dltf_status dltf_array_rows(const dltf_array *array, int64_t first, int64_t count, float *out);
DLTF_API dltf_status dltf_bind_matrix_save(const dltf_array *array, const char *path);
/* From a sparse array of either type. */
DLTF_API dltf_status dltf_bind_codes_new(const dltf_array *csr, dltf_codes **codes);
/* All values, zeros included: rows x cols floats. */
DLTF_API dltf_status dltf_codes_dense(const dltf_codes *codes, float *out);

/* ---- Streams ----------------------------------------------------------------------------------- */

/* The next rows, to be freed before the next call; NULL at the end of input. dltf_bind_online_add and
 * dltf_bind_encode accept them. */
DLTF_API dltf_status dltf_bind_reader_next(dltf_reader *reader, int64_t most, dltf_array **rows);
/* layout: "sparse", "dense" or "raw". */
DLTF_API dltf_status dltf_bind_codes_writer_open(const char *path, const char *layout, int64_t rows,
                                                 int64_t cols, dltf_codes_writer **writer);
DLTF_API dltf_status dltf_bind_codes_writer_add(dltf_codes_writer *writer, const dltf_codes *codes);
/* Task "encode". */
DLTF_API dltf_status dltf_bind_encode_stream(const dltf_model *model, dltf_reader *reader,
                                             const dltf_options *options, dltf_report_fn report,
                                             void *context, dltf_codes_writer *writer, dltf_values **totals);
/* layout: "dense" or "raw". */
DLTF_API dltf_status dltf_bind_hasher_apply_stream(const dltf_hasher *hasher, dltf_reader *reader,
                                                   int64_t threads, dltf_report_fn report, void *context,
                                                   const char *path, const char *layout, int64_t *samples);

/* ---- Learning ---------------------------------------------------------------------------------- */

/* Task "train". `start` as in dltf_learner_new. X must outlive a learner. */
DLTF_API dltf_status dltf_bind_train(const dltf_array *X, const dltf_model *start,
                                     const dltf_options *options, dltf_report_fn report, void *context,
                                     dltf_model **model);
DLTF_API dltf_status dltf_bind_learner_new(const dltf_array *X, const dltf_model *start,
                                           const dltf_options *options, dltf_learner **learner);
/* outcome: "converged", "iteration-limit", "interrupted", "time-limit" or "error-grew". */
DLTF_API dltf_status dltf_bind_learner_run(dltf_learner *learner, dltf_report_fn report, void *context,
                                           const char **outcome);
/* Also `rows`, an array with the row of X of each sample that was measured. */
DLTF_API dltf_status dltf_bind_learner_quality(const dltf_learner *learner, const dltf_model *model,
                                               dltf_values **quality);
DLTF_API dltf_status dltf_bind_learner_resume(const char *path, const dltf_array *X, int64_t threads,
                                              dltf_learner **learner);
/* The options in use, as those of task "train". */
DLTF_API dltf_status dltf_bind_learner_options(const dltf_learner *learner, dltf_options **options);
DLTF_API dltf_status dltf_bind_online_options(const dltf_online *online, dltf_options **options);
DLTF_API dltf_status dltf_bind_online_new(int64_t n, const dltf_model *start, const dltf_options *options,
                                          dltf_online **online);
DLTF_API dltf_status dltf_bind_online_add(dltf_online *online, const dltf_array *X);
DLTF_API dltf_status dltf_bind_online_quality(const dltf_online *online, const dltf_model *model,
                                              dltf_values **quality);

/* Task "suggest". */
DLTF_API dltf_status dltf_bind_suggest(const dltf_array *X, const dltf_options *options,
                                       dltf_report_fn report, void *context, dltf_suggestion **suggestion);
/* Options of task "train". */
DLTF_API dltf_status dltf_bind_suggestion_options(const dltf_suggestion *suggestion, dltf_options **options);

/* ---- Coding ------------------------------------------------------------------------------------ */

/* Task "encode". */
DLTF_API dltf_status dltf_bind_encode(const dltf_model *model, const dltf_array *X,
                                      const dltf_options *options, dltf_report_fn report, void *context,
                                      dltf_codes **codes);
DLTF_API dltf_status dltf_bind_encoder_new(const dltf_model *model, const dltf_options *options,
                                           dltf_encoder **encoder);
/* X: rows x cols floats in C order. */
DLTF_API dltf_status dltf_bind_encoder_run(dltf_encoder *encoder, const float *X, int64_t rows, int64_t cols,
                                           int32_t *count, int32_t *index, float *value);
DLTF_API dltf_status dltf_bind_refit(const dltf_model *model, const dltf_array *X, const dltf_codes *supports,
                                     int64_t threads, dltf_codes **codes);
DLTF_API dltf_status dltf_bind_reconstruction_measure(const dltf_model *model, const dltf_array *X,
                                                      const dltf_codes *codes, int64_t threads,
                                                      dltf_values **found);

/* Task "encode". The fields of dltf_evaluation, and `uses`, an array with the number of codes of each atom.
 */
DLTF_API dltf_status dltf_bind_evaluate(const dltf_model *model, const dltf_array *X,
                                        const dltf_options *options, dltf_report_fn report, void *context,
                                        dltf_values **found);
/* `encoding`: task "encode"; `options`: task "top". */
DLTF_API dltf_status dltf_bind_top_find(const dltf_model *model, const dltf_array *X,
                                        const dltf_options *encoding, const dltf_options *options,
                                        dltf_report_fn report, void *context, dltf_top **top);

/* ---- Measures and certificates ----------------------------------------------------------------- */

DLTF_API dltf_status dltf_bind_coherence(const dltf_array *dictionary, double *coherence);
DLTF_API dltf_status dltf_bind_babel(const dltf_array *dictionary, int64_t order, double *babel);
DLTF_API dltf_status dltf_bind_frame_potential(const dltf_array *dictionary, double *potential);
/* Task "synthetic". */
DLTF_API dltf_status dltf_bind_synthetic_new(const dltf_options *options, dltf_report_fn report,
                                             void *context, dltf_synthetic **problem);

DLTF_API dltf_status dltf_bind_match(const dltf_array *dictionary, const dltf_array *truth, int32_t *match,
                                     float *cosine);
DLTF_API dltf_status dltf_bind_supports_score(const dltf_codes *codes, const dltf_codes *truth,
                                              const int32_t *match, dltf_values **score);
/* Task "certify". flags: X.rows rows of `size` bytes, one for each name of dltf_flag_name. */
DLTF_API dltf_status dltf_bind_model_certify(const dltf_model *model, const dltf_options *options,
                                             dltf_values **certificate);
DLTF_API dltf_status dltf_bind_samples_certify(const dltf_model *model, const dltf_array *X,
                                               const dltf_codes *known, const dltf_codes *candidates,
                                               const dltf_options *options, dltf_report_fn report,
                                               void *context, uint8_t *flags, size_t size);

/* ---- Clusters ---------------------------------------------------------------------------------- */

/* k-means: task "cluster". */
DLTF_API dltf_status dltf_bind_clusters_train(const dltf_array *X, const dltf_options *options,
                                              dltf_report_fn report, void *context, dltf_clusters **clusters);
DLTF_API dltf_status dltf_bind_clusters_train_codes(const dltf_codes *codes, const dltf_options *options,
                                                    dltf_report_fn report, void *context,
                                                    dltf_clusters **clusters);
DLTF_API dltf_status dltf_bind_clusters_train_from(const dltf_array *X, const dltf_array *centers,
                                                   const dltf_options *options, dltf_report_fn report,
                                                   void *context, dltf_clusters **clusters);
DLTF_API dltf_status dltf_bind_clusters_resume(const char *path, const dltf_array *X, int64_t threads,
                                               dltf_report_fn report, void *context,
                                               dltf_clusters **clusters);
DLTF_API dltf_status dltf_bind_clusters_resume_codes(const char *path, const dltf_codes *codes,
                                                     int64_t threads, dltf_report_fn report, void *context,
                                                     dltf_clusters **clusters);
DLTF_API dltf_status dltf_bind_centers_assign(const dltf_array *centers, const dltf_array *X, int spherical,
                                              int64_t threads, dltf_report_fn report, void *context,
                                              int32_t *assignment, double *distance);
DLTF_API dltf_status dltf_bind_partitions_compare(const int32_t *assignment, const int64_t *labels,
                                                  int64_t count, dltf_values **agreement);
/* Task "landmark". */
DLTF_API dltf_status dltf_bind_landmarks_train(const dltf_array *X, const dltf_options *options,
                                               dltf_report_fn report, void *context,
                                               dltf_landmarks **landmarks);
DLTF_API dltf_status dltf_bind_landmarks_apply(const dltf_landmarks *landmarks, const dltf_array *X,
                                               int64_t threads, float *out);
DLTF_API dltf_status dltf_bind_pca_train(const dltf_array *X, int64_t d, int64_t threads, dltf_pca **pca);
DLTF_API dltf_status dltf_bind_pca_apply(const dltf_pca *pca, const dltf_array *X, int64_t threads,
                                         float *out);

/* ---- Hashes and search ------------------------------------------------------------------------- */

/* Task "hash". */
DLTF_API dltf_status dltf_bind_hasher_train(const dltf_array *X, const dltf_options *options,
                                            dltf_report_fn report, void *context, dltf_hasher **hasher);
DLTF_API dltf_status dltf_bind_hasher_resume(const char *path, const dltf_array *X, int64_t threads,
                                             dltf_report_fn report, void *context, dltf_hasher **hasher);
/* hashes: X.rows x bits/8 bytes. */
DLTF_API dltf_status dltf_bind_hasher_apply(const dltf_hasher *hasher, const dltf_array *X, int64_t threads,
                                            dltf_report_fn report, void *context, uint8_t *hashes);
DLTF_API dltf_status dltf_bind_relevance_by_nearest(const dltf_array *database, const dltf_array *queries,
                                                    int64_t count, int64_t threads, dltf_report_fn report,
                                                    void *context, dltf_relevance **relevance);
DLTF_API dltf_status dltf_bind_relevance_by_radius(const dltf_array *database, const dltf_array *queries,
                                                   int64_t count, int64_t threads, dltf_report_fn report,
                                                   void *context, dltf_relevance **relevance);
/* Task "hash_evaluate". */
DLTF_API dltf_status dltf_bind_hashes_evaluate(const dltf_array *database, const dltf_array *queries,
                                               const dltf_relevance *relevance, const dltf_options *options,
                                               dltf_report_fn report, void *context, dltf_values **found);
/* The memory behind `hashes` must outlive the index; the array itself need not. */
DLTF_API dltf_status dltf_bind_index_new(const dltf_array *hashes, dltf_index **index);
DLTF_API dltf_status dltf_bind_index_add_tables(dltf_index *index, int64_t threads, dltf_report_fn report,
                                                void *context);
/* Task "search". */
DLTF_API dltf_status dltf_bind_search(const dltf_index *index, const dltf_array *queries,
                                      const dltf_options *options, dltf_report_fn report, void *context,
                                      dltf_neighbours **neighbours);

/* ---- Images ------------------------------------------------------------------------------------ */

/* Task "denoise". dltf_image_new and dltf_image_pixels make an image of what is in memory. `model` and `info`
 * may be NULL. */
DLTF_API dltf_status dltf_bind_denoise(const dltf_image *noisy, const dltf_model *model,
                                       const dltf_options *options, dltf_report_fn report, void *context,
                                       dltf_image **clean, dltf_values **info);
/* Task "gist". `out` has a row of 512 values per image. */
DLTF_API dltf_status dltf_bind_gist(const dltf_array *images, int64_t width, int64_t height,
                                    const dltf_options *options, dltf_report_fn report, void *context,
                                    float *out);
DLTF_API dltf_status dltf_bind_image_set_gist(const dltf_image_set *set, const dltf_options *options,
                                              dltf_report_fn report, void *context, float *out);
/* gray: "own", "symmetric" or "unit". */
DLTF_API dltf_status dltf_bind_picture_save(const dltf_array *tiles, int64_t width, int64_t height,
                                            int64_t columns, const char *gray, const char *path);

#ifdef __cplusplus
}
#endif

#endif
