/* Loads a module that uses the library, lets it start a thread, and unloads it. The thread outlives dlclose,
 * so its code must, too. Usage: unload MODULE LIBRARY, both as names for dlopen. */
#define _GNU_SOURCE /* RTLD_NOLOAD */

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

#define CHECK(condition, reason)                                                                             \
    if (!(condition))                                                                                        \
        return fprintf(stderr, "unload: %s\n", reason), 1;

static int count_threads(void) {
    DIR *threads = opendir("/proc/self/task");
    int count = 0;
    while (threads && readdir(threads))
        count++;
    if (threads)
        closedir(threads);
    return count;
}

/* Loads, runs and unloads the module; `threads`: how many there are then; `started`: during the run. */
static int use(const char *path, int *threads, int *started) {
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(module, dlerror());
    int before = count_threads();
    int (*run)(void) = (int (*)(void))dlsym(module, "plugin_run");
    CHECK(run, dlerror());
    CHECK(!run(), "encoding failed");
    *threads = count_threads();
    *started = *threads - before;
    CHECK(!dlclose(module), dlerror());
    return 0;
}

int main(int argc, char **argv) {
    CHECK(argc == 3, "usage: unload MODULE LIBRARY");
    int first = 0, second = 0, started = 0;
    if (use(argv[1], &first, &started))
        return 1;
    CHECK(started > 0, "the library started no thread");
    CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD),
          "the library was unloaded while one of its threads exists");
    if (use(argv[1], &second, &started))
        return 1;
    CHECK(second == first, "the second use did not find the thread of the first");
    return 0;
}
