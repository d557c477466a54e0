/* For unit tests that check that a call leaves OpenBLAS's number of threads unchanged: a number that nothing
 * else changes, where OpenBLAS is not linked. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static int number = 1;

int openblas_get_num_threads(void) {
    return number;
}

void openblas_set_num_threads(int threads) {
    number = threads;
}
