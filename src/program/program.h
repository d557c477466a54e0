/* What the program and the experiments use beside the public interface: option tables, loading of any file,
 * checks of file names, reports. None of it is part of libdltf.so or installed. */
#ifndef DL_PROGRAM_PROGRAM_H
#define DL_PROGRAM_PROGRAM_H

#include "base/clock.h"
#include "dltf.h"

#include "api/checkpoint_files.h"
#include "api/encode_parts.h"
#include "api/model_parts.h"
#include "api/study.h"
#include "atoms/top_options.h"
#include "base/options.h"
#include "base/shown.h"
#include "cluster/cluster_options.h"
#include "cluster/landmark_options.h"
#include "coding/encode_options.h"
#include "data/synthetic_options.h"
#include "denoise/denoise_options.h"
#include "firmware/firmware.h"
#include "hash/hash_options.h"
#include "image/gist_options.h"
#include "io/content.h"
#include "io/files/reservation.h"
#include "io/files/text_write.h"
#include "io/formats/hdf5.h"
#include "io/formats/png_bytes.h"
#include "io/image_file.h"
#include "io/matrix_file.h"
#include "io/neighbours.h"
#include "io/streams/reader.h"
#include "kernels/check.h"
#include "learning/history_columns.h"
#include "learning/learner_facts.h"
#include "learning/train_options.h"
#include "network/classes.h"
#include "network/networks.h"
#include "pretrain/pretraining.h"
#include "retrieval/hash_evaluate_options.h"
#include "search/search_options.h"
#include "suggest/suggest_options.h"
#include "suggest/suggestion.h"
#include "theory/atom_coherence.h"
#include "theory/certify_options.h"

/* What a file contains: one of them, the others are NULL. */
typedef struct dl_loaded {
    dltf_model *model;
    dl_network *network;
    dltf_hasher *hasher;
    dltf_index *index;
} dl_loaded;

/* Loads whichever of these the file contains. If it contains none, the message is that for a model. */
dltf_status dl_load(const char *path, dl_loaded *loaded);
void dl_loaded_free(dl_loaded *loaded);

#endif
