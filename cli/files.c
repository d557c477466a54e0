/* File names and files: see the header. The checks here run before a command does any work, so that minutes
 * of training are never lost to a mistyped directory and an input is never overwritten. */
#define _XOPEN_SOURCE 700 /* realpath is X/Open's */
#include "cli/files.h"

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool files_has_ending(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

bool files_is_standard(const char *name) {
    return strcmp(name, "-") == 0;
}

int files_check_ending(const char *what, const char *name, const char *ending, const char *other) {
    if (!name || files_has_ending(name, ending) || (other && files_has_ending(name, other)))
        return EXIT_OK;
    return usage_error("%s: %s written as %s%s%s; give a name that ends so", name, what, ending,
                       other ? " or " : "", other ? other : "");
}

char *files_join(const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *joined = malloc(size);
    if (!joined)
        failure("not enough memory for a file name");
    else
        snprintf(joined, size, "%s%s", a, b);
    return joined;
}

/* The directory part of a name, "." without one. Allocated, or NULL. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- Default names ---- */

char *files_default_name(const char *data, const char *ending) {
    static const char *const known[] = {".gz",    ".npy",        ".npz",        ".csv",        ".txt",
                                        ".idx",   "-idx3-ubyte", "-idx2-ubyte", "-idx1-ubyte", ".idx3-ubyte",
                                        "-ubyte", ".codes",      ".model"};
    char *name = strdup(base_of(data)), *result = NULL;
    if (!name) {
        failure("not enough memory for a file name");
        return NULL;
    }
    char *member = strstr(name, ".npz:"); /* data.npz:train is an array in a file */
    if (member) {
        *member = '-';
        memmove(member + 1, member + 5, strlen(member + 5) + 1);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (files_has_ending(name, known[i]) && strlen(name) > strlen(known[i]))
            name[strlen(name) - strlen(known[i])] = '\0';
    result = files_join(name, ending);
    free(name);
    return result;
}

/* ---- Checks before any work ---- */

/* Absolute name without links in its directory; the file itself need not exist. Allocated, or NULL. */
static char *resolve(const char *path) {
    char *whole = realpath(path, NULL);
    if (whole)
        return whole;
    char *directory = directory_of(path), *result = NULL;
    char *parent = directory ? realpath(directory, NULL) : NULL;
    char *with_slash = parent ? files_join(parent, "/") : NULL;
    if (with_slash)
        result = files_join(with_slash, base_of(path));
    free(directory);
    free(parent);
    free(with_slash);
    return result;
}

bool files_same(const char *a, const char *b) {
    struct stat first, second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    char *one = resolve(a), *two = resolve(b);
    bool same = one && two && strcmp(one, two) == 0;
    free(one);
    free(two);
    return same;
}

/* An input may be an array in a file, data.npz:train. */
static bool is_input(const char *output, const char *input) {
    if (files_same(output, input))
        return true;
    const char *member = strstr(input, ".npz:");
    char *file = member ? strndup(input, (size_t)(member - input) + 4) : NULL;
    bool same = file && files_same(output, file);
    free(file);
    return same;
}

static int check_writable(const char *path) {
    struct stat info;
    if (!*path)
        return usage_error("the name of the output is empty");
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return failure("%s is a directory; give the name of a file to write", path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return failure("%s is not a regular file and is not replaced", path);
    char *parent = directory_of(path);
    if (!parent)
        return failure("not enough memory for a file name");
    int code = EXIT_OK;
    if (stat(parent, &info) != 0)
        code = failure("%s cannot be written: the directory %s does not exist", path, parent);
    else if (!S_ISDIR(info.st_mode))
        code = failure("%s cannot be written: %s is not a directory", path, parent);
    else if (access(parent, W_OK | X_OK) != 0)
        code = failure("%s cannot be written: the directory %s is closed to you", path, parent);
    free(parent);
    return code;
}

int files_check(int input_count, const char *const *inputs, int output_count, const char *const *outputs) {
    for (int i = 0; i < output_count; i++) {
        if (!outputs[i])
            continue;
        int code = check_writable(outputs[i]);
        if (code != EXIT_OK)
            return code;
        for (int j = 0; j < input_count; j++)
            if (inputs[j] && is_input(outputs[i], inputs[j]))
                return usage_error("%s is an input and would be overwritten; choose another output",
                                   outputs[i]);
        for (int j = 0; j < i; j++)
            if (outputs[j] && files_same(outputs[i], outputs[j]))
                return usage_error("%s is named for two outputs", outputs[i]);
    }
    return EXIT_OK;
}

int files_make_folder(const char *path) {
    struct stat info;
    if (!*path)
        return usage_error("the name of the output folder is empty");
    if (mkdir(path, 0777) == 0)
        return EXIT_OK;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return EXIT_OK;
    if (errno == EEXIST)
        return failure("%s is a file; give the name of a folder", path);
    return failure("the folder %s cannot be made: %s", path, strerror(errno));
}

/* ---- Loading and saving ---- */

int files_save_text(const char *path, const char *text) {
    if (!text)
        return failure("%s: not enough memory", path);
    dltf_status status = dltf_text_save(text, path);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static bool holds_codes(const char *path) {
    dltf_codes *codes = NULL;
    bool holds = files_has_ending(path, ".npz") && dltf_codes_load(path, &codes) == DLTF_OK;
    dltf_codes_free(codes);
    return holds;
}

/* Refuses what is known to be something else than data. */
static int check_data(const char *path) {
    if (files_has_ending(path, ".safetensors") && access(path, F_OK) == 0)
        return usage_error("%s is a model; data come here (.npy, .npz, .csv or IDX)", path);
    if (holds_codes(path))
        return usage_error("%s holds sparse codes (made by dltf encode); data come here", path);
    return EXIT_OK;
}

int files_load_data(const char *path, dltf_array **array) {
    if (files_is_standard(path))
        return usage_error("only dltf encode reads standard input as '-'; a .npy that is piped in is called "
                           "/dev/stdin here, and a file of this name ./-");
    int code = check_data(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_array_load(path, array);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

int files_open_data(const char *path, int64_t raw_columns, dltf_reader **reader) {
    if (files_is_standard(path) && isatty(STDIN_FILENO))
        return usage_error("standard input is a terminal: pipe data into it, or name a file");
    int code = check_data(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_reader_open(path, raw_columns, reader);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

int files_load_model(const char *path, dltf_model **model) {
    static const char *const data_endings[] = {".npy", ".npz", ".csv", ".gz", "-ubyte"};
    for (size_t i = 0; i < sizeof data_endings / sizeof *data_endings; i++)
        if (files_has_ending(path, data_endings[i]) && access(path, F_OK) == 0)
            return usage_error("%s holds data; a model comes here (.safetensors, made by dltf train)", path);
    dltf_status status = dltf_model_load(path, model);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

const char *files_quoted(const char *name) {
    enum { RING = 4, SIZE = 2 * PATH_MAX };
    static char ring[RING][SIZE];
    static int next;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%";
    bool is_plain = *name && strspn(name, plain) == strlen(name);
    if (is_plain && *name != '-')
        return name;
    char *out = ring[next++ % RING], *start = out;
    const char *option_like = *name == '-' ? "./" : "";
    if (is_plain) {
        snprintf(out, SIZE, "%s%s", option_like, name);
        return start;
    }
    out += sprintf(out, "'%s", option_like);
    for (; *name && out - start < SIZE - 8; name++)
        if (*name == '\'')
            out += sprintf(out, "'\\''");
        else
            *out++ = *name;
    *out++ = '\'';
    *out = '\0';
    return start;
}
