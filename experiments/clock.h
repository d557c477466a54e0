/* The clock of everything that is timed: experiments, the progress bar, reports. */
#ifndef EXPERIMENTS_CLOCK_H
#define EXPERIMENTS_CLOCK_H

/* Seconds that only go forward. */
double clock_seconds(void);

#endif
