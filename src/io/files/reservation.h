/* Disk space for a result, reserved before the computation. */
#ifndef DL_IO_FILES_RESERVATION_H
#define DL_IO_FILES_RESERVATION_H

#include "base/status.h"

/* Checks before a long computation that its result can be written: tests the name and the folder, and
 * reserves disk space until it is freed, just before the file is written. An existing file is not changed.
 * Temporary files that a killed writer of the same file left are removed.
 * The library does not handle signals: a program whose files may exceed a limit (ulimit -f) should ignore
 * SIGXFSZ, so that writing fails with a message. */
typedef struct dl_reservation dl_reservation;
dltf_status dl_reservation_new(const char *path, int64_t bytes, dl_reservation **reservation);
void dl_reservation_free(dl_reservation *reservation);

#endif
