/* File names and files. Output paths are checked before any work starts, so that training is not lost to a
 * mistyped directory and inputs are never overwritten. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/files.h"

#include "cli/output.h"
#include "cli/ranks.h"

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

static int check_extension(dl_content content, const char *what, const char *name) {
    if (!name || dl_format_extension(content, DL_WRITE, name))
        return EXIT_OK;
    return usage_error("%s: unsupported extension: %s can be written as %s", name, what,
                       dl_format_list(content, DL_WRITE, "or"));
}

int files_check_matrix(const char *what, const char *name) {
    return check_extension(DL_CONTENT_MATRIX, what, name);
}

int files_check_integers(const char *what, const char *name) {
    return check_extension(DL_CONTENT_INTEGERS, what, name);
}

int files_check_picture(const char *name) {
    if (!name || files_has_ending(name, ".png"))
        return EXIT_OK;
    return usage_error("%s: unsupported extension: pictures can be written as .png", name);
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

/* The directory part of a path, or "." if it has none. Allocated; NULL if out of memory. */
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

char *files_container(const char *data) {
    const char *member = dl_array_member(data);
    return member ? strndup(data, (size_t)(member - data) - 1) : strdup(data);
}

/* Strips all data extensions (train-images-idx3-ubyte.gz has two) and the suffixes of our default names. */
static void strip_extensions(char *name) {
    static const char *const ours[] = {".codes", ".model"};
    const char *extension = NULL;
    while ((extension = dl_format_extension(DL_CONTENT_MATRIX, DL_READ, name)))
        name[extension - name] = '\0';
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (files_has_ending(name, ours[i]) && strlen(name) > strlen(ours[i]))
            name[strlen(name) - strlen(ours[i])] = '\0';
}

char *files_default_name(const char *data, const char *ending) {
    const char *member = dl_array_member(data);
    char *file = files_container(data), *tail = files_join(member ? base_of(member) : "", ending),
         *result = NULL;
    char *stem = file ? strdup(base_of(file)) : NULL;
    if (stem) {
        strip_extensions(stem);
        char *start = files_join(stem, member ? "-" : "");
        result = start && tail ? files_join(start, tail) : NULL;
        free(start);
    } else
        failure("not enough memory for a file name");
    free(file);
    free(tail);
    free(stem);
    return result;
}

/* ---- Checks before any work ---- */

/* Absolute path with links resolved; the file itself need not exist. */
static bool resolve(const char *path, char resolved[PATH_MAX]) {
    char folder[PATH_MAX];
    const char *name = base_of(path);
    if (realpath(path, resolved))
        return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), name > path ? path : "");
    if (!realpath(*folder ? folder : ".", resolved))
        return false;
    size_t used = strlen(resolved);
    return snprintf(resolved + used, PATH_MAX - used, "/%s", name) < (int)(PATH_MAX - used);
}

bool files_same(const char *a, const char *b) {
    struct stat first, second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    char one[PATH_MAX], two[PATH_MAX];
    return resolve(a, one) && resolve(b, two) && strcmp(one, two) == 0;
}

/* An input may be FILE.npz:NAME. */
static bool is_input(const char *output, const char *input) {
    char file[PATH_MAX];
    const char *member = dl_array_member(input);
    int length = (int)(member ? (size_t)(member - input) - 1 : strlen(input));
    return snprintf(file, sizeof file, "%.*s", length, input) < (int)sizeof file && files_same(output, file);
}

/* Tries to create a file in the place of the path. */
static int check_creation(const char *path) {
    dl_reservation *trial = NULL;
    dltf_status status = dl_reservation_new(path, 0, &trial);
    dl_reservation_free(trial);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int check_writable(const char *path) {
    struct stat info;
    if (!*path)
        return usage_error("output file name is empty");
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return failure("%s: is a directory; expected a file name", path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return failure("%s: not a regular file; will not replace it", path);
    char *parent = directory_of(path);
    if (!parent)
        return failure("not enough memory for a file name");
    int code = EXIT_OK;
    if (stat(parent, &info) != 0)
        code = failure("%s: cannot create: directory %s does not exist", path, parent);
    else if (!S_ISDIR(info.st_mode))
        code = failure("%s: cannot create: %s is not a directory", path, parent);
    else if (access(parent, W_OK | X_OK) != 0)
        code = failure("%s: cannot create in directory %s: %s", path, parent, strerror(errno));
    free(parent);
    return code == EXIT_OK ? check_creation(path) : code;
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
                return usage_error("%s: would overwrite an input; choose another output name", outputs[i]);
        for (int j = 0; j < i; j++)
            if (outputs[j] && files_same(outputs[i], outputs[j]))
                return usage_error("%s: given for two outputs", outputs[i]);
    }
    return ranks_check_files(input_count, inputs);
}

int files_make_folder(const char *path) {
    struct stat info;
    if (!*path)
        return usage_error("output folder name is empty");
    if (mkdir(path, 0777) == 0)
        return EXIT_OK;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return EXIT_OK;
    if (errno == EEXIST)
        return failure("%s: is a file; expected a folder", path);
    return failure("%s: cannot create folder: %s", path, strerror(errno));
}

/* ---- Loading and saving ---- */

int files_save_text(const char *path, const char *text) {
    if (!text)
        return failure("%s: not enough memory", path);
    dltf_status status = dl_text_save(text, path);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

int files_reserve(const char *path, int64_t floats, dl_reservation **space) {
    enum { HEADER = 1 << 16 };
    dltf_status status = dl_reservation_new(path, floats * (int64_t)sizeof(float) + HEADER, space);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* Returns the path it could be saved under; NULL if there is none. */
static const char *save_elsewhere(files_saver save, const void *object, const char *path) {
    static char rescued[PATH_MAX];
    char *own = directory_of(path);
    const char *folders[] = {own, ".", getenv("TMPDIR"), "/var/tmp", "/tmp", getenv("HOME")};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        if (!folders[i] || !*folders[i])
            continue;
        int length = snprintf(rescued, sizeof rescued, "%s/dltf-rescued-%ld%s", folders[i], (long)getpid(),
                              ".safetensors");
        if (length < (int)sizeof rescued && access(rescued, F_OK) != 0 && save(object, rescued) == DLTF_OK)
            found = rescued;
    }
    free(own);
    return found;
}

const char *files_save_anywhere(files_saver save, const void *object, const char *path) {
    if (save(object, path) == DLTF_OK)
        return path;
    char *reason = strdup(dltf_message());
    const char *elsewhere = save_elsewhere(save, object, path);
    failure("%s%s%s%s", reason ? reason : path, elsewhere ? "; saved as " : "", elsewhere ? elsewhere : "",
            elsewhere ? " instead" : "");
    free(reason);
    return elsewhere;
}

static const dl_reading *data_reading;

void files_configure(const dl_reading *reading) {
    data_reading = reading;
}

/* Says how a file was read, if that may surprise. */
static void remark_on(const char *path, const char *text) {
    if (*text && dltf_rank() == 0)
        remark("%s: %s", path, text);
}

int files_load_data(const char *path, dltf_array **array) {
    return files_load_data_or_codes(path, array, NULL);
}

int files_check_data(const char *path) {
    if (files_is_standard(path))
        return usage_error(
            "-: only dltf train and dltf encode read standard input this way; to pipe in a .npy, use "
            "/dev/stdin; for a file of this name, use ./-");
    return EXIT_OK;
}

int files_load_data_or_codes(const char *path, dltf_array **array, dltf_codes **codes) {
    int code = files_check_data(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = codes ? dl_array_or_codes_load(path, data_reading, array, codes)
                               : dl_array_load(path, data_reading, array);
    if (status != DLTF_OK)
        return library_failure(status);
    remark_on(path, dl_array_remark(*array));
    return EXIT_OK;
}

int files_open_rows(const char *path, int64_t raw_columns, dltf_array **array) {
    int code = files_check_data(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dl_array_open(path, raw_columns, data_reading, array);
    if (status != DLTF_OK)
        return library_failure(status);
    remark_on(path, dl_array_remark(*array));
    return EXIT_OK;
}

int files_open_data(const char *path, int64_t raw_columns, dltf_reader **reader) {
    if (files_is_standard(path) && isatty(STDIN_FILENO))
        return usage_error("standard input is a terminal: pipe data in, or give a file name");
    dltf_status status = dl_reader_open(path, raw_columns, data_reading, reader);
    if (status != DLTF_OK)
        return library_failure(status);
    remark_on(files_is_standard(path) ? "standard input" : path, dl_reader_remark(*reader));
    return EXIT_OK;
}

int files_check_model(const char *path) {
    if (dl_format_extension(DL_CONTENT_MATRIX, DL_READ, path) &&
        !dl_format_extension(DL_CONTENT_MODEL, DL_READ, path) && access(path, F_OK) == 0)
        return usage_error("%s: is a data file; expected a model (%s, written by dltf train)", path,
                           dl_format_list(DL_CONTENT_MODEL, DL_READ, "or"));
    return EXIT_OK;
}

int files_load_model(const char *path, dltf_model **model) {
    int code = files_check_model(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_model_load(path, model);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

void files_print_reading(FILE *out) {
    dl_option_table table = dl_reading_option_table();
    char value[PATH_MAX] = "="; /* --name=value: a list of columns may begin with a dash */
    for (int i = 0; data_reading && i < table.count; i++) {
        const dl_option *option = &table.options[i];
        dl_option_format(option, data_reading, value + 1, sizeof value - 1);
        if (strcmp(value + 1, option->default_text ? option->default_text : "") == 0)
            continue;
        fprintf(out, " --%s%s", option->name, files_quoted(value));
    }
}

const char *files_quoted(const char *name) {
    enum { RING = 4, SIZE = 4 * PATH_MAX + 16 }; /* a byte becomes up to four */
    static char ring[RING][SIZE];
    static int next;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%";
    bool is_plain = *name && strspn(name, plain) == strlen(name);
    if (is_plain && *name != '-')
        return name;
    char *out = ring[next++ % RING], *start = out, shown[SIZE];
    const char *option_like = *name == '-' ? "./" : "";
    if (is_plain) {
        snprintf(out, SIZE, "%s%s", option_like, name);
        return start;
    }
    /* A name with control characters is not what dl_printable returns: $'...' of bash, in octal. */
    bool is_printable = strcmp(dl_printable(name, shown, SIZE), name) == 0;
    out += sprintf(out, "%s'%s", is_printable ? "" : "$", option_like);
    for (; *name && out - start < SIZE - 8; name++)
        if (is_printable && *name == '\'')
            out += sprintf(out, "'\\''");
        else if (is_printable || strchr(plain, *name))
            *out++ = *name;
        else
            out += sprintf(out, "\\%03o", (unsigned char)*name);
    *out++ = '\'';
    *out = '\0';
    return start;
}
