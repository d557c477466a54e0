/* Encoding with a model whose atoms are divided among ranks. */
#ifndef DL_API_ENCODE_PARTS_H
#define DL_API_ENCODE_PARTS_H

#include "dltf/encode.h"
#include "io/formats/model.h"

/* dltf_encode_stream with a part of the model on each rank (dl_model_part_load): the same codes. The error is
 * that of the whole model up to rounding. Only for the coder `threshold`, without refit. All ranks read all
 * samples; `writer` is that of rank 0. */
dltf_status dl_encode_stream_parts(const dl_model_part *part, dltf_reader *reader,
                                   const dltf_encode_options *options, dltf_progress_fn progress,
                                   void *context, dltf_codes_writer *writer, dltf_stream_totals *totals);

#endif
