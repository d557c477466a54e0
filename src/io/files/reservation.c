/* dl_reservation: disk space held for a file that is written later. The file it is held in has the folder
 * and the permissions of the target, so that whatever prevents writing is found now. */
#define _XOPEN_SOURCE 700 /* posix_fallocate */

#include "io/files/reservation.h"
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/files/file.h"
#include "io/files/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct dl_reservation {
    dl_writer out;
};

static dltf_status reserve(dl_writer *out, int64_t bytes) {
    int error = bytes > 0 && !out->in_place ? posix_fallocate(fileno(out->file), 0, (off_t)bytes) : 0;
    /* Some file systems cannot reserve. */
    if (error == 0 || error == EINVAL || error == EOPNOTSUPP || error == ENODEV)
        return DLTF_OK;
    return dl_fail(DLTF_FILE, "cannot reserve %s bytes: %s", DL_COMMAS(bytes), strerror(error));
}

dltf_status dl_reservation_new(const char *path, int64_t bytes, dl_reservation **reservation) {
    DL_CLEAR(reservation);
    DL_REQUIRE(path, reservation);
    dltf_status status = DLTF_OK;
    dl_reservation *made = NULL;
    if (bytes < 0)
        return dl_fail(DLTF_ARGUMENT, "%lld bytes: out of range", (long long)bytes);
    DL_TRY_NEW(made, 1);
    DL_TRY(dl_writer_open(&made->out, path));
    DL_TRY(reserve(&made->out, bytes));
    *reservation = made;
    made = NULL;
done:
    dl_reservation_free(made);
    return dl_file_result(status, path);
}

void dl_reservation_free(dl_reservation *reservation) {
    if (reservation)
        dl_writer_abort(&reservation->out);
    dl_free(reservation);
}
