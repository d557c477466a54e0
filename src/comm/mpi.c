/* Ranks connected by MPI. Every call begins with a small exchange of statuses, so that a failure on one rank
 * ends the call on all; only then do data follow. */
#include "comm/comm.h"
#include "dltf/ranks.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/sized.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* MPI counts in int. */
enum { CHUNK = 1 << 24 }; /* values, or bytes */

typedef struct failure {
    int status, subject, rank; /* status DLTF_OK: none */
    bool survived;             /* until the end of dl_comm_attempt only */
    char name[512], text[1024];
} failure;

static struct {
    int rank, size;
    int *counts, *places, *received, *at; /* size: arguments of MPI */
    failure failure;
    dltf_traffic traffic;
} world = {.size = 1};

int dl_comm_rank(void) {
    return world.rank;
}

int dl_comm_size(void) {
    return world.size;
}

void dltf_ranks_traffic_sized(dltf_traffic *found, size_t size) {
    DL_WRITE_STRUCT(dltf_traffic, found, size, &world.traffic);
}

/* ---- Begin and end ---- */

dltf_status dltf_ranks_begin(int *argc, char ***argv) {
    dltf_status status = DLTF_OK;
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED)
        return dl_fail(DLTF_ARGUMENT, "this MPI does not support programs with threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.size);
    DL_TRY_NEW(world.counts, world.size);
    DL_TRY_NEW(world.places, world.size);
    DL_TRY_NEW(world.received, world.size);
    DL_TRY_NEW(world.at, world.size);
done:
    return dl_comm_agree(status);
}

void dltf_ranks_end(void) {
    dl_free(world.counts);
    dl_free(world.places);
    dl_free(world.received);
    dl_free(world.at);
    MPI_Finalize();
}

/* ---- Failures ---- */

static void keep_failure(dltf_status status, bool survived) {
    dltf_error error = dltf_last_error();
    bool told = error.status == status;
    failure *f = &world.failure;
    f->status = (int)status;
    f->subject = (int)(told ? error.subject : DLTF_SUBJECT_NONE);
    f->rank = world.rank;
    f->survived = survived;
    snprintf(f->name, sizeof f->name, "%s", told ? error.name : "");
    snprintf(f->text, sizeof f->text, "%s", told ? error.text : "not enough memory");
}

dltf_status dl_comm_status(void) {
    const failure *f = &world.failure;
    dltf_status status = (dltf_status)f->status;
    char text[sizeof f->text + 32];
    if (status == DLTF_OK)
        return DLTF_OK;
    snprintf(text, sizeof text, "%s", f->text);
    if (f->rank > 0 && f->rank != world.rank)
        snprintf(text, sizeof text, "%s (rank %d)", f->text, f->rank);
    if (f->subject == DLTF_SUBJECT_OPTION)
        return dl_fail_option(status, f->name, "%s", text);
    dl_fail_about(status, f->subject == DLTF_SUBJECT_FILE ? DLTF_SUBJECT_NONE : (dltf_subject)f->subject,
                  "%s", text);
    return f->subject == DLTF_SUBJECT_FILE ? dl_fail_prefix(status, f->name) : status;
}

/* Exchanges statuses, and a flag that becomes true on all ranks if it is on one. Whether none has failed. */
static bool all_well(dltf_status mine, bool survived, bool *flag) {
    if (world.failure.status != DLTF_OK)
        return false;
    /* The smallest of all: a rank that failed, before those whose failure is survived; 0 if a flag is set. */
    int well = 2 * world.size, failed = world.rank + (survived ? world.size : 0);
    int least[2] = {mine == DLTF_OK ? well : failed, !*flag};
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    world.traffic.exchanges++;
    *flag = !least[1];
    if (least[0] == well)
        return true;
    if (least[0] % world.size == world.rank)
        keep_failure(mine, survived);
    MPI_Bcast(&world.failure, (int)sizeof world.failure, MPI_BYTE, least[0] % world.size, MPI_COMM_WORLD);
    return false;
}

static bool ready(dltf_status mine) {
    bool flag = false;
    return all_well(mine, false, &flag);
}

bool dl_comm_any(bool flag) {
    return all_well(DLTF_OK, false, &flag) && flag;
}

dltf_status dl_comm_agree(dltf_status status) {
    ready(status);
    return dl_comm_status();
}

dltf_status dl_comm_attempt(dltf_status status) {
    bool flag = false;
    all_well(status, true, &flag);
    status = dl_comm_status();
    if (world.failure.survived)
        world.failure = (failure){0};
    return status;
}

/* ---- Data ---- */

static void sent(int64_t bytes) {
    world.traffic.bytes += bytes;
}

/* Each rank adds a slice of the values, which it receives from all others, and sends the sums to them. */
static void sum_chunk(double *values, int count) {
    int64_t first = dl_comm_first(count, world.rank), own = dl_comm_first(count, world.rank + 1) - first;
    double *parts = DL_NEW(double, world.size *own);
    if (ready(parts ? DLTF_OK : DLTF_MEMORY)) {
        for (int r = 0; r < world.size; r++) {
            world.places[r] = (int)dl_comm_first(count, r);
            world.counts[r] = (int)dl_comm_first(count, r + 1) - world.places[r];
            world.received[r] = (int)own;
            world.at[r] = (int)(r * own);
        }
        MPI_Alltoallv(values, world.counts, world.places, MPI_DOUBLE, parts, world.received, world.at,
                      MPI_DOUBLE, MPI_COMM_WORLD);
        for (int step = 1; step < world.size; step *= 2)
            for (int r = 0; r + step < world.size; r += 2 * step)
                for (int64_t i = 0; i < own; i++)
                    parts[r * own + i] += parts[(r + step) * own + i];
        memcpy(values + first, parts, (size_t)own * sizeof *values);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values, world.counts, world.places, MPI_DOUBLE,
                       MPI_COMM_WORLD);
        sent((count - own + (world.size - 1) * own) * (int64_t)sizeof *values);
    }
    dl_free(parts);
}

void dl_comm_sum(double *values, int64_t count) {
    for (int64_t first = 0; world.size > 1 && first < count; first += CHUNK)
        sum_chunk(values + first, (int)dl_min(count - first, CHUNK));
}

void dl_comm_least(double *values, int64_t count) {
    if (world.size == 1 || !ready(DLTF_OK))
        return;
    for (int64_t first = 0; first < count; first += CHUNK)
        MPI_Allreduce(MPI_IN_PLACE, values + first, (int)dl_min(count - first, CHUNK), MPI_DOUBLE, MPI_MIN,
                      MPI_COMM_WORLD);
    sent(count * (world.size - 1) * (int64_t)sizeof *values);
}

void dl_comm_broadcast(void *memory, int64_t bytes) {
    if (world.size == 1 || !ready(DLTF_OK))
        return;
    for (int64_t first = 0; first < bytes; first += CHUNK)
        MPI_Bcast((char *)memory + first, (int)dl_min(bytes - first, CHUNK), MPI_BYTE, 0, MPI_COMM_WORLD);
    sent(world.rank == 0 ? bytes * (world.size - 1) : 0);
}

/* Counts and places as MPI wants them. Whether they fit. */
static bool place_records(const int64_t *counts, int *as_int, int *places) {
    int64_t place = 0;
    bool fits = true;
    for (int r = 0; r < world.size; r++) {
        fits = fits && place + counts[r] <= INT32_MAX;
        as_int[r] = (int)counts[r];
        places[r] = (int)place;
        place += counts[r];
    }
    return fits;
}

/* The type of a record; false, on all ranks or none, if counts do not fit. */
static bool make_record(bool fits, int64_t size, MPI_Datatype *record) {
    fits = fits && size <= INT32_MAX;
    if (!ready(fits ? DLTF_OK : dl_fail(DLTF_MEMORY, "more than 2^31 records to exchange between ranks")))
        return false;
    MPI_Type_contiguous((int)size, MPI_BYTE, record);
    MPI_Type_commit(record);
    return true;
}

static bool describe(const int64_t *counts, int64_t size, MPI_Datatype *record) {
    return make_record(place_records(counts, world.counts, world.places), size, record);
}

void dl_comm_gather_all(const void *mine, const int64_t *counts, int64_t size, void *all) {
    MPI_Datatype record;
    if (!describe(counts, size, &record))
        return;
    MPI_Allgatherv(mine ? mine : MPI_IN_PLACE, (int)counts[world.rank], record, all, world.counts,
                   world.places, record, MPI_COMM_WORLD);
    MPI_Type_free(&record);
    sent(counts[world.rank] * size * (world.size - 1));
}

void dl_comm_gather(const void *mine, const int64_t *counts, int64_t size, void *all) {
    MPI_Datatype record;
    if (!describe(counts, size, &record))
        return;
    MPI_Gatherv(mine, (int)counts[world.rank], record, all, world.counts, world.places, record, 0,
                MPI_COMM_WORLD);
    MPI_Type_free(&record);
    sent(world.rank > 0 ? counts[world.rank] * size : 0);
}

void dl_comm_exchange(const void *mine, const int64_t *out, int64_t size, void *all, const int64_t *in) {
    MPI_Datatype record;
    bool fits = place_records(out, world.counts, world.places);
    if (!make_record(place_records(in, world.received, world.at) && fits, size, &record))
        return;
    MPI_Alltoallv(mine, world.counts, world.places, record, all, world.received, world.at, record,
                  MPI_COMM_WORLD);
    MPI_Type_free(&record);
    for (int r = 0; r < world.size; r++)
        sent(r == world.rank ? 0 : out[r] * size);
}
