/* The clocks of the library and its programs. */
#ifndef DL_BASE_CLOCK_H
#define DL_BASE_CLOCK_H

/* Seconds of a monotonic clock. Only differences are meaningful. */
double dl_seconds(void);

/* CPU time of all threads of the process so far. */
double dl_cpu_seconds(void);

#endif
