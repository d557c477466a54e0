/* Rows from CSV: what is read is written and read again. */
#include "fuzz.h"

#include "report/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char error[ROWS_ERROR_SIZE];
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)bytes, size, "r") : NULL;
    if (!in)
        return 0;
    json_t *rows = rows_read_csv(in, error);
    fclose(in);
    fuzz_require(rows != NULL || *error != '\0');
    char *text = rows ? rows_csv(rows) : NULL;
    fuzz_require(!rows || text);
    free(text);
    json_decref(rows);
    return 0;
}
