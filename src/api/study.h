/* Everything that a page about a model and its data needs, from one pass over the data: an evaluation, the
 * samples of each atom, and what neither has. */
#ifndef DL_API_STUDY_H
#define DL_API_STUDY_H

#include "dltf/atoms.h"

/* What to collect. */
typedef struct dl_study_request {
    dltf_top_options keep;
    int64_t worst;          /* samples with the largest errors to keep */
    const int32_t *classes; /* of each sample, below class_count; NULL: none */
    int64_t labelled, class_count;
} dl_study_request;

/* Memory is that of a dltf_top and O(m class_count + worst), for any number of samples. */
typedef struct dl_study {
    dltf_evaluation evaluation;
    dltf_top *top;
    double *energy;      /* m: sum of the squared values of an atom */
    int64_t *by_class;   /* m x class_count: codes with the atom, by the class of their sample */
    dltf_example *worst; /* error of a sample relative to its energy, as preprocessed; largest first */
    int32_t worst_count;
} dl_study;

/* Codes the rows of a reader. The classes must be as many as the rows. Free the study even after a failure.
 */
dltf_status dl_study_stream(const dltf_model *model, dltf_reader *reader, const dltf_encode_options *encoding,
                            const dl_study_request *request, dltf_progress_fn progress, void *context,
                            dl_study *study);
void dl_study_free(dl_study *study);

/* The `most` other atoms that are most often in the codes that have `atom`, and the share of those codes,
 * over the codes that dltf_top_correlated uses. */
dltf_status dl_top_together(const dltf_top *top, int64_t atom, int64_t most, int32_t *atoms, double *shares,
                            int64_t *found);

#endif
