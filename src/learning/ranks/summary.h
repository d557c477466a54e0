/* The first pass over the data, divided among ranks. */
#ifndef DL_LEARNING_RANKS_SUMMARY_H
#define DL_LEARNING_RANKS_SUMMARY_H

#include "data/samples.h"

/* dl_samples_mean, dl_samples_deviation and dl_samples_summarise without its check, with the same result, in
 * which every rank reads its own part only. */
dltf_status dl_ranks_mean(const dl_samples *samples, float *mean);
dltf_status dl_ranks_deviation(const dl_samples *samples, float *deviation);
dltf_status dl_ranks_summarise(const dl_samples *samples, dl_summary *summary);

#endif
