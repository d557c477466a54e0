/* The one clock of the library and its programs. */
#ifndef DL_BASE_CLOCK_H
#define DL_BASE_CLOCK_H

/* Seconds of a monotonic clock. Only differences are meaningful. */
double dl_seconds(void);

#endif
