/* SPDX-License-Identifier: Apache-2.0 */
/* What programs seldom do and once will: views of no bytes, ranges without end, pipes and devices, and much memory. */
#define _GNU_SOURCE
#include "file_call.h"
#include "file_suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two-phase, or each member by itself; or as it comes. */
static const char *const hostile_choices[] = {"enable", "disable", "automatic"};
enum { CHOICES = 3 };

static MPI_File hostile_open(test *t, const char *path, int mode, const char *choice, const char *buffer)
{
    MPI_Info info;
    MPI_File file;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", choice));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", choice));
    if (buffer)
        CHECK_OK(MPI_Info_set(info, "cb_buffer_size", buffer));
    CHECK_OK(MPI_File_open(t->comm, path, mode, info, &file));
    CHECK_OK(MPI_Info_free(&info));
    return file;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

/* A filetype without bytes shows nothing: what is written through it is not written, and everybody is told. */
void case_hostile_empty_views(test *t)
{
    MPI_Datatype nothing;
    int values[8], got[8] = {0}, is_blind = t->rank == t->size - 1;
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    CHECK_OK(MPI_Type_commit(&nothing));
    for (int i = 0; i < 8; i++)
        values[i] = 100 * t->rank + i;
    for (int i = 0; i < file_way_count * CHOICES; i++) {
        const file_way *way = &file_ways[i / CHOICES];
        MPI_File file = hostile_open(t, test_path(t, "empty"), MPI_MODE_RDWR | MPI_MODE_CREATE,
                                     hostile_choices[i % CHOICES], NULL);
        file_call call = {.file = file, .way = way, .is_write = 1, .memory = values, .count = 8, .type = MPI_INT};
        test_detail(t, "write%s, form %d, %s", way->name, way->form, hostile_choices[i % CHOICES]);
        test_view(file, 64 * t->rank, MPI_INT, is_blind ? nothing : MPI_INT);
        int rc = file_call_run(&call), is_told = is_blind || way->is_collective;
        CHECK_EQUAL(is_told ? MPI_ERR_IO : MPI_SUCCESS, rc == MPI_SUCCESS ? rc : test_class(rc));
        if (is_blind && way->form == FILE_PLAIN)
            CHECK_MOVED(0, &call.status);
        CHECK_OK(MPI_Barrier(t->comm));
        /* There is nothing to be read, either; that is no error. */
        call.is_write = 0;
        call.memory = got;
        CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
        CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
        CHECK_OK(file_call_run(&call));
        if (is_blind)
            CHECK_MOVED(0, &call.status);
        CHECK_OK(MPI_File_close(&file));
    }
    CHECK_OK(MPI_Type_free(&nothing));
}

/* A few bytes of each member, terabytes apart, whatever the hints say. */
void case_hostile_far_apart(test *t)
{
    enum { PIECE = 8 };
    const MPI_Offset far = (MPI_Offset)1 << 42;
    MPI_Datatype type;
    char mine[2 * PIECE], got[2 * PIECE];
    memset(mine, 'a' + t->rank % 20, sizeof mine);
    for (int i = 0; i < CHOICES; i++) {
        MPI_File file =
            hostile_open(t, test_path(t, "far"), MPI_MODE_RDWR | MPI_MODE_CREATE, hostile_choices[i], "1048576");
        test_detail(t, "two-phase: %s", hostile_choices[i]);
        CHECK_OK(MPI_Type_create_hvector(2, PIECE, far, MPI_BYTE, &type));
        CHECK_OK(MPI_Type_commit(&type));
        test_view(file, t->rank * PIECE, MPI_BYTE, type);
        CHECK_OK(MPI_Type_free(&type));
        CHECK_OK(MPI_File_write_at_all(file, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
        memset(got, 0, sizeof got);
        CHECK_OK(MPI_File_read_at_all(file, 0, got, sizeof got, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_SAME("what was written", mine, got, sizeof got);
        CHECK_EQUAL(far + t->size * PIECE, test_disk_size(t, "far"));
        CHECK_OK(MPI_File_close(&file));
    }
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* "All there is": members that ask for more bytes than 64 bits can count together get what the file has. Their memory
 * is not on the stack: the kernel refuses a read of 1 GiB that would reach the end of the addresses. */
void case_hostile_endless(test *t)
{
#if MPI_VERSION >= 4
    const MPI_Count many = (MPI_Count)1 << 62;
    unsigned char bytes[1000], *got = test_alloc(sizeof bytes);
    test_fill(bytes, sizeof bytes, test_key(t, 1, 0, 0, 0));
    test_disk_make(t, "endless", bytes, sizeof bytes);
    MPI_File file = test_open(t, "endless", MPI_MODE_RDWR);
    for (int i = 0; i < file_way_count; i++) {
        file_call call = {.file = file, .way = &file_ways[i], .is_large = 1, .memory = got, .type = MPI_BYTE};
        if (call.way->pointer == FILE_SHARED)
            continue;
        test_detail(t, "read%s, form %d", call.way->name, call.way->form);
        call.count = many;
        memset(got, 0, sizeof bytes);
        CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(1000, &call.status);
        CHECK_SAME("the file", bytes, got, sizeof bytes);
        /* What lies beyond the end of any file is an error, and nothing else. */
        call.type = MPI_DOUBLE;
        CHECK(file_call_run(&call) != MPI_SUCCESS);
        call.type = MPI_BYTE;
        call.offset = INT64_MAX - 5;
        CHECK_OK(MPI_File_seek(file, INT64_MAX - 5, MPI_SEEK_SET));
        CHECK_CLASS(MPI_ERR_ARG, file_call_run(&call));
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&file));
    test_free(got);
#else
    (void)t;
#endif
}

enum { WINDOW = 2 << 20 };

/* A long area of memory, all of which is the same few pages. */
static char *hostile_repeated(size_t bytes)
{
    int fd = memfd_create("pages", MFD_CLOEXEC);
    char *area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(fd >= 0 && area != MAP_FAILED && ftruncate(fd, WINDOW) == 0);
    for (size_t at = 0; at < bytes; at += WINDOW)
        CHECK(mmap(area + at, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
    close(fd);
    return area;
}

/* More than the system moves in one call: into a device that takes all, and from a sparse file. */
void case_hostile_two_gigabytes(test *t)
{
#if MPI_VERSION >= 4
    const MPI_Count bytes = ((MPI_Count)1 << 31) + 3 * (MPI_Count)WINDOW;
    MPI_File sink, file;
    int is_mine = t->rank == 0 && !test_is_slow();
    char *area = is_mine ? hostile_repeated((size_t)bytes) : NULL;
    CHECK_OK(MPI_File_open(t->comm, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &sink));
    file = test_open(t, "large", MPI_MODE_RDWR | MPI_MODE_CREATE);
    if (is_mine)
        CHECK_OK(MPI_File_write_at(file, bytes - 3, "end", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < file_way_count; i++) {
        file_call call = {.file = sink, .way = &file_ways[i], .is_write = 1, .is_large = 1, .memory = area};
        call.type = MPI_BYTE;
        call.count = is_mine ? bytes : 0;
        test_detail(t, "write%s, form %d", call.way->name, call.way->form);
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(call.count, &call.status);
    }
    for (int form = FILE_PLAIN; form <= FILE_REQUEST; form++) {
        file_call call = {.file = file, .is_large = 1, .memory = area, .type = MPI_BYTE};
        call.way = file_way_of(FILE_EXPLICIT, form, (file_form)form);
        call.count = is_mine ? bytes : 0;
        test_detail(t, "read%s, form %d", call.way->name, form);
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(call.count, &call.status);
        if (is_mine)
            CHECK_SAME("the end", "end", area + bytes - 3, 3);
    }
    CHECK_OK(MPI_File_close(&sink));
    CHECK_OK(MPI_File_close(&file));
    if (area)
        munmap(area, (size_t)bytes);
#else
    (void)t;
#endif
}

/* ---- what is no file --------------------------------------------------------------------------------------------- */

/* A pipe has no places: a sentence, and nobody waits for its other end. */
void case_hostile_pipe(test *t)
{
    static const int modes[] = {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY | MPI_MODE_CREATE,
                                MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL};
    MPI_File file = MPI_FILE_NULL;
    if (t->rank == 0)
        CHECK_OK(mkfifo(test_path(t, "pipe"), 0600));
    CHECK_OK(MPI_Barrier(t->comm));
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        test_detail(t, "mode %d", modes[i]);
        CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION,
                    MPI_File_open(t->comm, test_path(t, "pipe"), modes[i], MPI_INFO_NULL, &file));
        CHECK(file == MPI_FILE_NULL);
    }
}

void case_hostile_devices(test *t)
{
    char bytes[5000];
    MPI_Offset size = -1;
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < file_way_count * CHOICES; i++) {
        const file_way *way = &file_ways[i / CHOICES];
        MPI_File full = hostile_open(t, "/dev/full", MPI_MODE_RDWR, hostile_choices[i % CHOICES], NULL);
        MPI_File none = hostile_open(t, "/dev/null", MPI_MODE_RDWR, hostile_choices[i % CHOICES], NULL);
        file_call call = {.file = full, .way = way, .is_write = 1, .offset = 5000 * t->rank, .memory = bytes};
        call.count = sizeof bytes;
        call.type = MPI_BYTE;
        test_detail(t, "write%s, form %d, %s", way->name, way->form, hostile_choices[i % CHOICES]);
        CHECK_OK(MPI_File_seek(full, 5000 * t->rank, MPI_SEEK_SET));
        CHECK_CLASS(MPI_ERR_NO_SPACE, file_call_run(&call));
        CHECK_MOVED(0, &call.status);
        call.file = none;
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(5000, &call.status);
        call.is_write = 0;
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(0, &call.status);
        CHECK_OK(MPI_File_get_size(none, &size));
        CHECK_EQUAL(0, size);
        CHECK(MPI_File_set_size(none, 10) != MPI_SUCCESS);
        CHECK_OK(MPI_File_close(&full));
        CHECK_OK(MPI_File_close(&none));
    }
}

/* Names as ROMIO's users write them, and none. */
void case_hostile_names(test *t)
{
    static const char *const prefixes[] = {"ufs:", "nfs:", "file:", "lustre:"};
    char name[PATH_MAX + 16];
    MPI_File file = MPI_FILE_NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        test_detail(t, "%s", prefixes[i]);
        snprintf(name, sizeof name, "%s%s", prefixes[i], test_path(t, "prefixed"));
        CHECK_OK(MPI_File_open(t->comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
        CHECK_OK(MPI_File_write_at_all(file, t->rank, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_close(&file));
        CHECK_EQUAL(t->size, test_disk_size(t, "prefixed"));
        CHECK_OK(MPI_Barrier(t->comm));
        if (t->rank == 0)
            CHECK_OK(MPI_File_delete(name, MPI_INFO_NULL));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_EQUAL(-1, test_disk_size(t, "prefixed"));
        CHECK_CLASS(MPI_ERR_NO_SUCH_FILE,
                    MPI_File_open(t->comm, prefixes[i], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    }
    CHECK_CLASS(MPI_ERR_NO_SUCH_FILE,
                MPI_File_open(t->comm, "", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("", MPI_INFO_NULL));
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A line of /proc/self/status in KiB; the highest so far begins anew. */
static long hostile_memory(const char *line)
{
    char text[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "re");
    CHECK(status);
    while (kib < 0 && fgets(text, sizeof text, status))
        if (strncmp(text, line, strlen(line)) == 0)
            kib = strtol(text + strlen(line) + 1, NULL, 10);
    fclose(status);
    return kib;
}

static int hostile_memory_begin(void)
{
    FILE *refs = fopen("/proc/self/clear_refs", "we");
    return refs && fputs("5", refs) >= 0 && fclose(refs) == 0;
}

/* Beside the buffers of the program two-phase needs two windows of cb_buffer_size at an aggregator, and no more. */
void case_hostile_memory(test *t)
{
    enum { PIECE = 1024, BUFFER_KIB = 1024, SLACK_KIB = 4096 };
    const int pieces = test_is_slow() ? 1000 : 32 << 10;
    const size_t bytes = (size_t)pieces * PIECE;
    char *mine = malloc(bytes);
    MPI_Datatype type;
    MPI_File file = hostile_open(t, test_path(t, "memory"), MPI_MODE_RDWR | MPI_MODE_CREATE, "enable", "1048576");
    CHECK(mine);
    memset(mine, 'a' + t->rank % 20, bytes);
    CHECK_OK(MPI_Type_vector(pieces, PIECE, PIECE * t->size, MPI_BYTE, &type));
    CHECK_OK(MPI_Type_commit(&type));
    test_view(file, t->rank * PIECE, MPI_BYTE, type);
    CHECK_OK(MPI_Type_free(&type));
    for (int is_write = 1; is_write >= 0; is_write--) {
        MPI_Status status;
        CHECK_OK(MPI_Barrier(t->comm));
        int is_measured = hostile_memory_begin();
        long before = hostile_memory("VmRSS:");
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(is_write ? MPI_File_write_at_all(file, 0, mine, (int)bytes, MPI_BYTE, &status)
                          : MPI_File_read_at_all(file, 0, mine, (int)bytes, MPI_BYTE, &status));
        CHECK_MOVED((long long)bytes, &status);
        CHECK_OK(MPI_Barrier(t->comm));
        long most = hostile_memory("VmHWM:") - before;
        long allowed = (t->ranks_are_threads ? t->size : 1) * (long)(2 * BUFFER_KIB * 9 / 8 + SLACK_KIB);
        test_detail(t, "%s: %ld KiB more than before, %ld are allowed", is_write ? "write" : "read", most, allowed);
        if (is_measured && !TEST_IS_SANITIZED)
            CHECK(most <= allowed);
    }
    CHECK_OK(MPI_File_close(&file));
    free(mine);
}
