/* Converts the state of an unfinished training of a network to a bundle of tensors and back. Random numbers
 * are counter-based and have no state; the number of steps follows from the position. */
#include "base/finite.h"
#include "base/integer.h"
#include "base/parallel.h"
#include "data/kind.h"
#include "data/option_notes.h"
#include "data/samples.h"
#include "network/network_bundle.h"
#include "network/training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4 }; /* of the history */

/* ---- Checksums ---- */

static dltf_status checksum_of(dltf_matrix X, dl_targets targets, bool labels, char text[32]) {
    uint64_t samples = 0, wanted = 0;
    dltf_status status = dl_matrix_checksum(X, &samples);
    if (status == DLTF_OK && !labels)
        status = dl_matrix_checksum(targets.values, &wanted);
    for (int64_t i = 0; labels && i < X.rows; i++)
        wanted = dl_checksum_add(wanted, (uint64_t)(uint32_t)targets.labels[i] + 1);
    snprintf(text, 32, "%016llx", (unsigned long long)dl_checksum_add(samples, wanted));
    return status;
}

/* ---- Writing ---- */

static dltf_status add_history(const dl_training *t, dl_bundle *bundle) {
    void *rows = NULL;
    if (t->epoch == 0) /* a file cannot hold an empty tensor */
        return DLTF_OK;
    dltf_status status = dl_bundle_add(bundle, "history", DL_TENSOR_F64, t->epoch, COLUMNS, &rows);
    for (int64_t e = 0; status == DLTF_OK && e < t->epoch; e++) {
        const dl_epoch *h = &t->history[e];
        memcpy((double *)rows + e * COLUMNS, (double[COLUMNS]){h->rate, h->loss, h->error, h->seconds},
               COLUMNS * sizeof(double));
    }
    return status;
}

static dltf_status add_notes(const dl_training *t, dl_notes *notes) {
    char checksum[32], shape[64];
    dltf_status status = DLTF_OK;
    DL_TRY(dl_option_notes_set(notes, dl_network_option_table(), &t->trainer.options));
    DL_TRY(checksum_of(t->X, t->targets, t->loss->labels, checksum));
    DL_TRY(dl_notes_set(notes, "data.checksum", checksum));
    snprintf(shape, sizeof shape, "%lld x %lld", (long long)t->X.rows, (long long)t->X.cols);
    DL_TRY(dl_notes_set(notes, "data.shape", shape));
    DL_TRY(dl_notes_set(notes, "made-by", "dltf " DLTF_VERSION));
done:
    return status;
}

static void name_moment(char name[48], int number) {
    snprintf(name, 48, "moment.%d", number);
}

dltf_status dl_training_to_bundle(const dl_training *t, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    char name[48];
    int64_t size = t->network->size, position[2] = {t->epoch, t->first};
    DL_TRY(dl_kind_mark(bundle, DL_KIND_TRAINING));
    DL_TRY(dl_network_pack(t->network, bundle));
    for (int a = 0; a < t->trainer.optimiser->moments; a++) {
        name_moment(name, a);
        DL_TRY(dl_bundle_add_copy(bundle, name, DL_TENSOR_F32, size, 0, t->trainer.moments[a]));
    }
    if (t->trainer.average)
        DL_TRY(dl_bundle_add_copy(bundle, "average", DL_TENSOR_F32, size, 0, t->trainer.average));
    DL_TRY(dl_bundle_add_copy(bundle, "position", DL_TENSOR_I64, 2, 0, position));
    DL_TRY(dl_bundle_add_copy(bundle, "loss", DL_TENSOR_F64, 1, 0, &t->sum));
    DL_TRY(add_history(t, bundle));
    DL_TRY(add_notes(t, &bundle->notes));
done:
    return status;
}

/* ---- Reading ---- */

/* Resuming on different data would silently change the result. */
static dltf_status check_data(const dl_bundle *bundle, const dl_training *t) {
    const char *checksum = NULL;
    char here[32];
    dltf_status status = dl_notes_need(&bundle->notes, "data.checksum", &checksum);
    if (status == DLTF_OK)
        status = checksum_of(t->X, t->targets, t->loss->labels, here);
    if (status == DLTF_OK && strcmp(checksum, here) != 0)
        status = dl_fail(DLTF_DATA,
                         "the checkpoint was made from different samples or labels: expected checksum %.20s "
                         "but found %s",
                         checksum, here);
    return status;
}

static dltf_status read_floats(const dl_bundle *bundle, const char *name, int64_t size, float *to) {
    const void *content = NULL;
    dltf_status status = dl_bundle_get(bundle, name, DL_TENSOR_F32, size, 0, &content);
    if (status != DLTF_OK)
        return status;
    memcpy(to, content, (size_t)size * sizeof *to);
    return dl_all_finite(to, size) ? DLTF_OK
                                   : dl_fail(DLTF_FORMAT, "tensor '%s' has a non-finite value", name);
}

static dltf_status read_position(const dl_bundle *bundle, dl_training *t) {
    const dl_network_options *o = &t->trainer.options;
    const void *position = NULL, *sum = NULL;
    dltf_status status = dl_bundle_get(bundle, "position", DL_TENSOR_I64, 2, 0, &position);
    if (status == DLTF_OK)
        status = dl_bundle_get(bundle, "loss", DL_TENSOR_F64, 1, 0, &sum);
    if (status != DLTF_OK)
        return status;
    int64_t epoch = ((const int64_t *)position)[0], first = ((const int64_t *)position)[1];
    bool at_batch = first == t->samples || first % o->batch == 0;
    if (epoch < 0 || epoch > o->epochs || first < 0 || first > t->samples || !at_batch ||
        (epoch == o->epochs && first > 0))
        return dl_fail(DLTF_FORMAT, "the checkpoint's position is out of range: epoch %lld, sample %lld",
                       (long long)epoch, (long long)first);
    t->epoch = epoch;
    t->first = first;
    t->sum = *(const double *)sum;
    t->trainer.steps = epoch * dl_tiles(t->samples, o->batch) + dl_tiles(first, o->batch);
    return isfinite(t->sum) ? DLTF_OK : dl_fail(DLTF_FORMAT, "tensor 'loss' has a non-finite value");
}

static dltf_status read_history(const dl_bundle *bundle, dl_training *t) {
    int64_t count = t->epoch;
    const void *content = NULL;
    dltf_status status =
        count > 0 ? dl_bundle_get(bundle, "history", DL_TENSOR_F64, count, COLUMNS, &content) : DLTF_OK;
    for (t->epoch = 0; t->epoch < count && status == DLTF_OK; t->epoch++) {
        const double *row = (const double *)content + t->epoch * COLUMNS;
        status = dl_training_reserve(t);
        if (status == DLTF_OK)
            t->history[t->epoch] = (dl_epoch){row[0], row[1], row[2], row[3]};
    }
    return status;
}

static dltf_status restore(const dl_bundle *bundle, dl_training *t) {
    dltf_status status = DLTF_OK;
    char name[48];
    DL_TRY(check_data(bundle, t));
    DL_TRY(read_position(bundle, t));
    DL_TRY(read_history(bundle, t));
    for (int a = 0; a < t->trainer.optimiser->moments; a++) {
        name_moment(name, a);
        DL_TRY(read_floats(bundle, name, t->network->size, t->trainer.moments[a]));
    }
    if (t->trainer.average)
        DL_TRY(read_floats(bundle, "average", t->network->size, t->trainer.average));
done:
    return status;
}

dltf_status dl_training_from_bundle(const dl_bundle *bundle, dltf_matrix X, dl_targets targets,
                                    int64_t threads, dl_training **training) {
    dl_network_options options = dl_network_options_default();
    dl_network *network = NULL;
    dl_training *t = NULL;
    int64_t used = 0;
    dltf_status status = DLTF_OK;
    *training = NULL;
    DL_TRY(dl_kind_check(bundle, DL_KIND_TRAINING));
    DL_TRY(dl_option_notes_get(&bundle->notes, dl_network_option_table(), &options));
    options.threads = threads;
    DL_TRY(dl_network_unpack(bundle, &network, &used));
    DL_TRY(dl_training_new(network, X, targets, &options, &t));
    DL_TRY(restore(bundle, t));
    *training = t;
    t = NULL;
done:
    dl_network_free(network);
    dl_training_free(t);
    return status;
}
