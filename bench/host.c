/* Description of machine and build for reports, without host name or paths. */
#include "bench.h"

#include "kernels/kernels.h"
#include "linalg/blas.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LENGTH = 256 };

/* The text after the first `mark` in the line of a file that begins with `name`, without quotes and line end;
 * "unknown" if not found. */
static void find_line(const char *path, const char *name, char mark, char value[LENGTH]) {
    char line[LENGTH];
    FILE *file = fopen(path, "r");
    snprintf(value, LENGTH, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *start = strchr(line, mark);
        if (strncmp(line, name, strlen(name)) != 0 || !start)
            continue;
        start += 1 + strspn(start + 1, " \"");
        snprintf(value, LENGTH, "%.*s", (int)strcspn(start, "\"\n"), start);
        break;
    }
    if (file)
        fclose(file);
}

json_t *bench_host(void) {
    char cpu[LENGTH], system[LENGTH];
    struct utsname about;
    const char *build = strstr(dltf_build(), "build: ");
    find_line("/proc/cpuinfo", "model name", ':', cpu);
    find_line("/etc/os-release", "PRETTY_NAME", '=', system);
    bool known = uname(&about) == 0;
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s}", "cpu", cpu, "cores",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "architecture", known ? about.machine : "unknown",
                     "os", system, "kernels", dl_kernels_now()->level, "blas", dl_blas_name(), "build",
                     build ? build + strlen("build: ") : "unknown");
}
