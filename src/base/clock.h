/* Wall-clock seconds since an arbitrary moment; for differences only. */
#ifndef DL_BASE_CLOCK_H
#define DL_BASE_CLOCK_H

double dl_seconds(void);

#endif
