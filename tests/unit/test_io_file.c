/* Opening files, and writing them atomically. */
#include "test_io.h"

#include "io/files/writer.h"
#include "program/program.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static void reads_whole_files(void **state) {
    (void)state;
    dl_file file;
    const char *path = in_directory("five");
    write_file(path, "12345", 5);
    assert_int_equal(dl_file_open(path, &file), DLTF_OK);
    assert_int_equal(file.size, 5);
    assert_memory_equal(file.bytes, "12345", 5);
    dl_file_close(&file);
    assert_null(file.bytes);
}

static void rejects_non_files(void **state) {
    (void)state;
    dl_file file;
    assert_fails(dl_file_open(NULL, &file), DLTF_ARGUMENT, "no file name");
    assert_fails(dl_file_open("", &file), DLTF_ARGUMENT, "no file name");
    assert_fails(dl_file_open(in_directory("missing"), &file), DLTF_FILE, "No such file");
    assert_fails(dl_file_open(test_directory, &file), DLTF_FILE, "is a directory");
    assert_fails(dl_file_open("/dev/zero", &file), DLTF_FILE, "is a device");
    write_file(in_directory("empty"), "", 0);
    assert_fails(dl_file_open(in_directory("empty"), &file), DLTF_FORMAT, "is empty");
}

/* A child writes more to a pipe than the first buffer holds. */
static void reads_a_pipe_to_its_end(void **state) {
    (void)state;
    enum { SIZE = 300000 };
    const char *path = in_directory("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        FILE *out = fopen(path, "wb");
        for (int i = 0; out && i < SIZE; i++)
            fputc(i % 251, out);
        if (out)
            fclose(out);
        _exit(0);
    }
    dl_file file;
    assert_int_equal(dl_file_open(path, &file), DLTF_OK);
    assert_int_equal(file.size, SIZE);
    for (int i = 0; i < SIZE; i++)
        assert_true(file.bytes[i] == i % 251);
    dl_file_close(&file);
    waitpid(child, NULL, 0);
}

static dltf_status write_text(const char *path, const char *text, int64_t repeats, bool finish) {
    dl_writer out;
    dltf_status status = dl_writer_open(&out, path);
    for (int64_t i = 0; i < repeats && status == DLTF_OK; i++)
        status = dl_writer_write(&out, text, (int64_t)strlen(text));
    if (status == DLTF_OK && finish)
        status = dl_writer_commit(&out);
    dl_writer_abort(&out);
    return status;
}

static void assert_content(const char *path, const char *text) {
    dl_text content = read_back(path);
    assert_string_equal(content.data, text);
    dl_text_free(&content);
}

static void appears_only_when_committed(void **state) {
    (void)state;
    count_files(NULL, true);
    const char *path = in_directory("out");
    assert_int_equal(write_text(path, "old", 1, true), DLTF_OK);
    assert_content(path, "old");
    assert_int_equal(write_text(path, "new", 1, false), DLTF_OK);
    assert_content(path, "old");
    assert_int_equal(count_files("out", false), 0);
    assert_int_equal(write_text(path, "new", 1, true), DLTF_OK);
    assert_content(path, "new");
    assert_int_equal(count_files("out", false), 0);
}

/* In a child process: lowering the file size limit cannot be undone. */
static void a_full_disk_keeps_the_old_file(void **state) {
    (void)state;
    count_files(NULL, true);
    const char *path = in_directory("out");
    write_file(path, "old", 3);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bool failed = write_text(path, "0123456789", 20000, true) == DLTF_FILE;
        _exit(failed && strstr(dltf_message(), "cannot write: File too large") ? 0 : 1);
    }
    int result = 1;
    waitpid(child, &result, 0);
    assert_int_equal(result, 0);
    assert_content(path, "old");
    assert_int_equal(count_files("out", false), 0);
}

static void devices_are_written_in_place(void **state) {
    (void)state;
    assert_int_equal(write_text("/dev/null", "x", 10, true), DLTF_OK);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    if (stat("/dev/full", &about) == 0)
        assert_fails(write_text("/dev/full", "x", 10, true), DLTF_FILE, "No space left");
}

static void says_why_it_cannot_create(void **state) {
    (void)state;
    assert_fails(write_text(in_directory("missing/out"), "x", 1, true), DLTF_FILE, "No such file");
    assert_fails(write_text(test_directory, "x", 1, true), DLTF_FILE, "directory");
    assert_fails(write_text("", "x", 1, true), DLTF_ARGUMENT, "no file name");
    assert_fails(write_text(NULL, "x", 1, true), DLTF_ARGUMENT, "no file name");
}

static void keeps_permissions_and_links(void **state) {
    (void)state;
    struct stat about;
    mode_t mask = umask(027);
    const char *path = in_directory("fresh");
    assert_int_equal(write_text(path, "x", 1, true), DLTF_OK);
    umask(mask);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(symlink("fresh", in_directory("link")), 0);
    assert_int_equal(write_text(in_directory("link"), "through", 1, true), DLTF_OK);
    assert_int_equal(lstat(in_directory("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_content(path, "through");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0604);
}

/* The target of a link that leads nowhere is not where the user thinks it is. */
static void a_dangling_link_is_rejected(void **state) {
    (void)state;
    struct stat about;
    count_files(NULL, true);
    assert_int_equal(symlink("nowhere", in_directory("link")), 0);
    assert_fails(write_text(in_directory("link"), "x", 1, true), DLTF_FILE,
                 "is a symbolic link to a file that does not exist");
    assert_int_equal(lstat(in_directory("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(symlink("loop", in_directory("loop")), 0);
    assert_fails(write_text(in_directory("loop"), "x", 1, true), DLTF_FILE, "symbolic links");
    assert_int_equal(count_files(NULL, false), 2);
}

/* Names up to the limit of the file system can be written; longer ones fail before anything is written. */
static void names_of_any_length(void **state) {
    (void)state;
    count_files(NULL, true);
    char name[257];
    memset(name, 'x', sizeof name);
    name[255] = '\0';
    for (int i = 0; i < 2; i++) /* new and replaced */
        assert_int_equal(write_text(in_directory(name), "complete", 1, true), DLTF_OK);
    assert_content(in_directory(name), "complete");
    name[255] = 'x', name[256] = '\0';
    dl_writer out;
    assert_fails(dl_writer_open(&out, in_directory(name)), DLTF_FILE, "File name too long");
    assert_int_equal(count_files(NULL, false), 1);
}

/* A folder that may be written but not listed. */
static void an_unreadable_folder_can_be_written(void **state) {
    (void)state;
    count_files(NULL, true);
    assert_int_equal(mkdir(in_directory("drop"), 0300), 0);
    assert_int_equal(write_text(in_directory("drop/out"), "x", 1, true), DLTF_OK);
    assert_content(in_directory("drop/out"), "x");
    assert_int_equal(unlink(in_directory("drop/out")), 0);
    assert_int_equal(rmdir(in_directory("drop")), 0);
}

/* ---- Temporary files with names ---- */

static void write_byte(int descriptor, char byte) {
    assert_int_equal(write(descriptor, &byte, 1), 1);
}

static void a_named_temporary_becomes_the_target(void **state) {
    (void)state;
    count_files(NULL, true);
    char name[DL_TEMPORARY_NAME];
    int folder = dl_temporary_folder(test_directory);
    for (int i = 0; i < 2; i++) { /* new and replaced */
        int descriptor = dl_temporary_create_named(folder, "out", name);
        assert_true(descriptor >= 0);
        assert_int_equal(count_files(name, false), i);
        write_byte(descriptor, (char)('a' + i));
        assert_int_equal(dl_temporary_publish(folder, descriptor, "out", name), 0);
        assert_string_equal(name, "");
        close(descriptor);
        assert_content(in_directory("out"), i == 0 ? "a" : "b");
        assert_int_equal(count_files(NULL, false), 1);
    }
    close(folder);
}

/* What a killed process left is removed by the next writer of the same target; what a running process is
 * writing stays. */
static void stale_temporaries_are_removed(void **state) {
    (void)state;
    count_files(NULL, true);
    char stale[DL_TEMPORARY_NAME], busy[DL_TEMPORARY_NAME], third[DL_TEMPORARY_NAME];
    int folder = dl_temporary_folder(test_directory);
    close(dl_temporary_create_named(folder, "out", stale)); /* the lock ends with the process */
    int writing = dl_temporary_create_named(folder, "out", busy);
    assert_string_equal(busy, stale); /* removed and created again */
    int other = dl_temporary_create_named(folder, "out", third);
    assert_string_not_equal(third, busy);
    write_byte(writing, 'w');
    write_byte(other, 'o');
    assert_int_equal(dl_temporary_publish(folder, writing, "out", busy), 0);
    assert_content(in_directory("out"), "w");
    assert_int_equal(dl_temporary_publish(folder, other, "out", third), 0);
    assert_content(in_directory("out"), "o");
    close(writing);
    close(other);
    assert_int_equal(count_files(NULL, false), 1);
    /* Left by a process that was killed between link and rename. */
    close(dl_temporary_create_named(folder, "out", stale));
    assert_int_equal(count_files(NULL, false), 2);
    assert_int_equal(write_text(in_directory("out"), "new", 1, true), DLTF_OK);
    assert_content(in_directory("out"), "new");
    assert_int_equal(count_files(NULL, false), 1);
    /* The same, and then the target was deleted. */
    close(dl_temporary_create_named(folder, "out", stale));
    assert_int_equal(unlink(in_directory("out")), 0);
    assert_int_equal(write_text(in_directory("out"), "again", 1, true), DLTF_OK);
    assert_int_equal(count_files(NULL, false), 1);
    /* It is enough to open the target. */
    close(dl_temporary_create_named(folder, "out", stale));
    dl_reservation *space = NULL;
    assert_int_equal(dl_reservation_new(in_directory("out"), 0, &space), DLTF_OK);
    dl_reservation_free(space);
    assert_int_equal(count_files(NULL, false), 1);
    close(folder);
}

/* Several processes write the same file, and some are killed: it is always complete, and nothing else is
 * left after the next writer. */
static void writers_of_one_file(void **state) {
    (void)state;
    enum { PROCESSES = 6 };
    count_files(NULL, true);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        for (char digit = (char)('0' + i); children[i] == 0;) {
            char text[2] = {digit, '\0'};
            if (write_text(in_directory("out"), text, 10000, true) != DLTF_OK)
                _exit(1);
        }
    }
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    for (int i = 0; i < PROCESSES; i++) {
        int result = 0;
        assert_int_equal(waitpid(children[i], &result, WNOHANG), 0); /* none has failed */
        kill(children[i], SIGKILL);
        waitpid(children[i], &result, 0);
    }
    dl_text content = read_back(in_directory("out"));
    assert_int_equal(content.length, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(content.data[i], content.data[0]);
    dl_text_free(&content);
    assert_int_equal(write_text(in_directory("out"), "end", 1, true), DLTF_OK);
    assert_int_equal(count_files("out", false), 0);
}

/* ---- Reservations ---- */

static void a_reservation_changes_nothing(void **state) {
    (void)state;
    count_files(NULL, true);
    dl_reservation *space = NULL;
    assert_int_equal(dl_reservation_new(in_directory("new"), 100000, &space), DLTF_OK);
    dl_reservation_free(space);
    assert_int_equal(count_files(NULL, false), 0);
    write_file(in_directory("old"), "old", 3);
    assert_int_equal(dl_reservation_new(in_directory("old"), 100000, &space), DLTF_OK);
    assert_content(in_directory("old"), "old");
    dl_reservation_free(space);
    assert_content(in_directory("old"), "old");
    assert_int_equal(dl_reservation_new("/dev/null", 100000, &space), DLTF_OK);
    dl_reservation_free(space);
    dl_reservation_free(NULL);
    assert_fails(dl_reservation_new(in_directory("missing/out"), 0, &space), DLTF_FILE,
                 "missing/out: cannot create: No such file");
    assert_null(space);
    assert_int_equal(count_files(NULL, false), 1);
    assert_survives_lack_of_memory(
        (dl_reservation_free(space), dl_reservation_new(in_directory("out"), 1, &space)), space == NULL);
    dl_reservation_free(space);
}

/* A limit of file sizes stands for a full disk. In a child process: it cannot be raised again. */
static void a_reservation_finds_a_full_disk(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        dl_reservation *space = NULL;
        struct rlimit limit = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bool fits = dl_reservation_new(in_directory("out"), 100000, &space) == DLTF_OK;
        dl_reservation_free(space);
        bool exceeds = dl_reservation_new(in_directory("out"), 100001, &space) == DLTF_FILE;
        _exit(fits && exceeds && strstr(dltf_message(), "out: cannot reserve 100,001 bytes: File too large")
                  ? 0
                  : 1);
    }
    int result = 1;
    waitpid(child, &result, 0);
    assert_int_equal(result, 0);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    count_files(NULL, true);
    const char *path = in_directory("out");
    assert_survives_lack_of_memory(write_text(path, "x", 1, true), count_files(NULL, false) == 0);
}

static void numbers_read_well(void **state) {
    (void)state;
    assert_string_equal(DL_COMMAS(0), "0");
    assert_string_equal(DL_COMMAS(999), "999");
    assert_string_equal(DL_COMMAS(40960), "40,960");
    assert_string_equal(DL_COMMAS(-1234567), "-1,234,567");
    assert_string_equal(DL_COMMAS(-123), "-123");
    assert_string_equal(DL_COMMAS(INT64_MIN), "-9,223,372,036,854,775,808");
    assert_string_equal(DL_PRINTABLE("a\033\xff", 3), "a??");
    assert_int_equal(strlen(DL_PRINTABLE("0123456789012345678901234567890123456789x", 41)), 43);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_whole_files), cmocka_unit_test(rejects_non_files),
              cmocka_unit_test(reads_a_pipe_to_its_end), cmocka_unit_test(appears_only_when_committed),
              cmocka_unit_test(a_full_disk_keeps_the_old_file),
              cmocka_unit_test(devices_are_written_in_place), cmocka_unit_test(says_why_it_cannot_create),
              cmocka_unit_test(keeps_permissions_and_links), cmocka_unit_test(a_dangling_link_is_rejected),
              cmocka_unit_test(names_of_any_length), cmocka_unit_test(an_unreadable_folder_can_be_written),
              cmocka_unit_test(a_named_temporary_becomes_the_target),
              cmocka_unit_test(stale_temporaries_are_removed), cmocka_unit_test(writers_of_one_file),
              cmocka_unit_test(a_reservation_changes_nothing),
              cmocka_unit_test(a_reservation_finds_a_full_disk), cmocka_unit_test(survives_lack_of_memory),
              cmocka_unit_test(numbers_read_well))
