/* Shards of checkpoints. That of a rank is made without copies. When reading, a rank opens, one after
 * another, those that contain rows of its own. */
#include "learning/ranks/shard.h"

#include "base/integer.h"
#include "base/shown.h"
#include "comm/comm.h"
#include "data/kind.h"
#include "learning/field_rows.h"
#include "learning/ranks/atoms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of the main bundle: shard i has the rows from places[i] to places[i + 1]. Of a shard: these two. */
static const char PLACES[] = "shards.first", OF_SAMPLES[] = "shard.samples", OF_ATOMS[] = "shard.atoms";
static const char GENERATION[] = "shards.generation";

enum { DIGITS = 16 }; /* of a generation */

const char *dl_shard_generation(const dl_bundle *bundle) {
    const char *text = dl_notes_get(&bundle->notes, GENERATION);
    bool good = text && strlen(text) == DIGITS && strspn(text, "0123456789abcdef") == DIGITS;
    return good ? text : NULL;
}

bool dl_bundle_has_shards(const dl_bundle *bundle) {
    return dl_notes_get(&bundle->notes, GENERATION) != NULL;
}

/* ---- Rows ---- */

bool dl_learner_divides(const dltf_learner *l, const dl_field *fields, int count, int i) {
    if (l->by_atoms)
        return fields[i].rows == l->m;
    return dl_learner_inside(l) && i >= count - l->stages[l->stage]->divided_fields;
}

/* Rows that ranks divide: `count` of `all` from `first` on. */
typedef struct extent {
    int64_t first, count, all;
} extent;

static extent own_rows(const dltf_learner *l) {
    return l->by_atoms ? (extent){l->first_atom, l->atoms, l->m} : (extent){l->first, l->own, l->N};
}

static const char *noun(const dltf_learner *l) {
    return l->by_atoms ? "atoms" : "samples";
}

static const char *place_name(const dltf_learner *l) {
    return l->by_atoms ? OF_ATOMS : OF_SAMPLES;
}

static int64_t first_row(const dltf_learner *l, int rank) {
    return l->by_atoms ? dl_atoms_first(l->m, rank) : dl_learner_first(l, rank);
}

static int divided_fields(const dltf_learner *l, dl_field *fields) {
    dl_field all[DL_CHECKPOINT_FIELDS];
    int count = dl_checkpoint_fields(l, all), divided = 0;
    for (int i = 0; i < count; i++)
        if (dl_learner_divides(l, all, count, i))
            fields[divided++] = all[i];
    return divided;
}

/* ---- Writing ---- */

bool dl_learner_has_shards(const dltf_learner *l) {
    dl_field fields[DL_CHECKPOINT_FIELDS];
    return dl_comm_size() > 1 && divided_fields(l, fields) > 0;
}

/* That of rank 0, on all ranks. With the clock, since the same state may be saved twice: no shard is ever
 * overwritten, and those of an attempt that failed can be removed without harm. */
static void choose_generation(const dl_bundle *bundle, char generation[DIGITS + 1]) {
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    uint64_t sum = dl_checksum_add((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
    for (int i = 0; i < bundle->count; i++)
        for (int64_t at = 0; at + 8 <= dl_tensor_bytes(&bundle->tensors[i]); at += 8) {
            uint64_t word;
            memcpy(&word, (const char *)bundle->tensors[i].data + at, sizeof word);
            sum = dl_checksum_add(sum, word ^ word >> 32);
        }
    snprintf(generation, DIGITS + 1, "%016" PRIx64, sum);
    dl_comm_broadcast(generation, DIGITS + 1);
}

static dltf_status name_shards(const dltf_learner *l, const char *generation, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    void *places = NULL;
    DL_TRY(dl_bundle_add(bundle, PLACES, DL_TENSOR_I64, dl_comm_size() + 1, 0, &places));
    for (int r = 0; r <= dl_comm_size(); r++)
        ((int64_t *)places)[r] = first_row(l, r);
    status = dl_notes_set(&bundle->notes, GENERATION, generation);
done:
    return status;
}

dltf_status dl_shard_make(const dltf_learner *l, dltf_status status, dl_bundle *bundle, dl_bundle *shard) {
    dl_field fields[DL_CHECKPOINT_FIELDS];
    int count = divided_fields(l, fields);
    extent own = own_rows(l);
    int64_t place[] = {own.first, own.first + own.count};
    char generation[DIGITS + 1];
    choose_generation(bundle, generation);
    if (status != DLTF_OK)
        return status;
    DL_TRY(name_shards(l, generation, bundle));
    DL_TRY(dl_kind_mark(shard, DL_KIND_SHARD));
    DL_TRY(dl_notes_set(&shard->notes, GENERATION, generation));
    DL_TRY(dl_bundle_add_copy(shard, place_name(l), DL_TENSOR_I64, 2, 0, place));
    shard->mapped = dl_learner_scratch(l);
    for (int i = 0; i < count && own.count > 0; i++) /* a file cannot hold an empty tensor */
        DL_TRY(dl_bundle_add_view(shard, fields[i].name, fields[i].type, own.count, fields[i].cols,
                                  fields[i].memory));
done:
    return status;
}

/* ---- Reading ---- */

/* From a bundle that has the rows `first` .. end - 1. */
static dltf_status restore_rows(const dl_bundle *bundle, const dltf_learner *l, int64_t first, int64_t end) {
    dl_field fields[DL_CHECKPOINT_FIELDS];
    extent own = own_rows(l);
    int count = divided_fields(l, fields);
    int64_t from = dl_max(first, own.first), to = dl_min(end, own.first + own.count);
    dl_rows rows = {.all = end - first, .first = from - first, .count = to - from, .to = from - own.first};
    dl_scratch scratch = dl_learner_scratch(l);
    dltf_status status = DLTF_OK;
    for (int i = 0; i < count && status == DLTF_OK; i++)
        status = dl_field_copy_rows(bundle, &fields[i], rows, &scratch);
    return status;
}

dltf_status dl_divided_restore(const dl_bundle *bundle, const dltf_learner *l) {
    return restore_rows(bundle, l, 0, own_rows(l).all);
}

/* Where the shards begin, and the end of the last; NULL if rows are not divided among them. */
static const int64_t *places_of(const dl_bundle *bundle, int64_t *count) {
    const dl_tensor *tensor = dl_bundle_find(bundle, PLACES);
    if (!tensor || tensor->type != DL_TENSOR_I64 || tensor->rank != 1 || tensor->rows < 2)
        return NULL;
    const int64_t *places = tensor->data;
    *count = tensor->rows - 1;
    for (int64_t i = 0; i < *count; i++)
        if (places[i] > places[i + 1])
            return NULL;
    return places[0] == 0 ? places : NULL;
}

int64_t dl_shards_count(const dl_bundle *bundle) {
    int64_t count = 0;
    const int64_t *places = dl_bundle_has_shards(bundle) ? places_of(bundle, &count) : NULL;
    return places ? places[count] : -1;
}

static dltf_status check_shard(const dl_bundle *shard, const dltf_learner *l, const char *generation,
                               const int64_t *place) {
    dltf_status status = DLTF_OK;
    const void *content = NULL;
    const char *found = dl_shard_generation(shard);
    DL_TRY(dl_kind_check(shard, DL_KIND_SHARD));
    if (!found || strcmp(found, generation) != 0)
        return dl_fail(DLTF_FORMAT, "belongs to another checkpoint: expected generation %s but found %s",
                       generation, found ? found : "none");
    DL_TRY(dl_bundle_get(shard, place_name(l), DL_TENSOR_I64, 2, 0, &content));
    const int64_t *own = content;
    if (own[0] != place[0] || own[1] != place[1])
        return dl_fail(DLTF_FORMAT, "expected %s %s to %s but found %s to %s", noun(l), DL_COMMAS(place[0]),
                       DL_COMMAS(place[1]), DL_COMMAS(own[0]), DL_COMMAS(own[1]));
done:
    return status;
}

dltf_status dl_shards_restore(const dl_bundle *bundle, const dltf_learner *l, const dl_shard_source *source) {
    dltf_status status = DLTF_OK;
    int64_t count = 0;
    const char *generation = dl_shard_generation(bundle);
    const int64_t *places = places_of(bundle, &count);
    extent own = own_rows(l);
    if (!generation || !places || !source || places[count] != own.all)
        return dl_fail(DLTF_FORMAT, "metadata '%s' or tensor '%s' does not describe shards of %s %s",
                       GENERATION, PLACES, DL_COMMAS(own.all), noun(l));
    for (int64_t i = 0; i < count; i++) {
        const dl_bundle *shard = NULL;
        if (dl_max(places[i], own.first) >= dl_min(places[i + 1], own.first + own.count))
            continue;
        DL_TRY(source->open(source->context, generation, i, count, &shard));
        DL_TRY(check_shard(shard, l, generation, places + i));
        DL_TRY(restore_rows(shard, l, places[i], places[i + 1]));
        source->close(source->context);
    }
done:
    return status;
}
