/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened and closed: modes, names, and what may not be. */
#define _GNU_SOURCE
#include "file_suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* MPI_File_open, which returns the code. */
static int open_it(test *t, const char *name, int mode, MPI_File *file)
{
    *file = MPI_FILE_NULL;
    return MPI_File_open(t->comm, test_path(t, name), mode, MPI_INFO_NULL, file);
}

static void open_close(MPI_File *file)
{
    CHECK_OK(MPI_File_close(file));
    CHECK(*file == MPI_FILE_NULL);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* What one can do with a file follows from its mode. */
void case_open_modes(test *t)
{
    static const int modes[] = {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR};
    char bytes[8] = "12345678";
    MPI_Status status;
    MPI_File file;
    for (int i = 0; i < 3; i++) {
        int amode = -1;
        test_detail(t, "mode %d", modes[i]);
        test_disk_make(t, "modes", "abcdefgh", 8);
        file = test_open(t, "modes", modes[i]);
        CHECK_OK(MPI_File_get_amode(file, &amode));
        CHECK_EQUAL(modes[i], amode);
        memset(bytes, '1' + t->rank % 8, 8);
        if (modes[i] == MPI_MODE_RDONLY) {
            CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_write_at(file, 0, bytes, 8, MPI_BYTE, &status));
            CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_write(file, bytes, 8, MPI_BYTE, &status));
            CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_write_at_all(file, 0, bytes, 8, MPI_BYTE, &status));
        } else {
            CHECK_OK(MPI_File_write_at(file, 8 + 8 * t->rank, bytes, 8, MPI_BYTE, &status));
            CHECK_MOVED(8, &status);
        }
        if (modes[i] == MPI_MODE_WRONLY) {
            CHECK_CLASS(MPI_ERR_ACCESS, MPI_File_read_at(file, 0, bytes, 8, MPI_BYTE, &status));
            CHECK_CLASS(MPI_ERR_ACCESS, MPI_File_read_at_all(file, 0, bytes, 8, MPI_BYTE, &status));
        } else {
            CHECK_OK(MPI_File_read_at(file, 0, bytes, 8, MPI_BYTE, &status));
            CHECK_MOVED(8, &status);
            CHECK_SAME("what was there", "abcdefgh", bytes, 8);
        }
        open_close(&file);
        if (t->rank == 0)
            CHECK_EQUAL(modes[i] == MPI_MODE_RDONLY ? 8 : 8 + 8 * t->size, test_disk_size(t, "modes"));
        CHECK_OK(MPI_Barrier(t->comm));
    }
}

void case_open_wrong_modes(test *t)
{
    static const int modes[] = {0,
                                MPI_MODE_CREATE,
                                MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                                MPI_MODE_RDONLY | MPI_MODE_RDWR,
                                MPI_MODE_WRONLY | MPI_MODE_RDWR,
                                MPI_MODE_RDONLY | MPI_MODE_CREATE,
                                MPI_MODE_RDONLY | MPI_MODE_EXCL,
                                MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL};
    MPI_File file;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        test_detail(t, "mode %d", modes[i]);
        CHECK_CLASS(MPI_ERR_AMODE, open_it(t, "wrong", modes[i], &file));
        CHECK(file == MPI_FILE_NULL);
        CHECK_EQUAL(-1, test_disk_size(t, "wrong"));
        CHECK_OK(MPI_Barrier(t->comm));
    }
}

/* Modes that are right, but differ. */
void case_open_different(test *t)
{
    MPI_File file;
    test_disk_make(t, "different", NULL, 10);
    int rc = open_it(t, "different", t->rank ? MPI_MODE_RDONLY : MPI_MODE_RDWR, &file);
    CHECK(rc != MPI_SUCCESS && file == MPI_FILE_NULL);
    CHECK(test_class(rc) == MPI_ERR_NOT_SAME || test_class(rc) == MPI_ERR_AMODE);
    test_check_alike(t, "the class", test_class(rc));
}

void case_open_names(test *t)
{
    MPI_File file;
    char *name = malloc(2 * PATH_MAX);
    CHECK(name);
    CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, open_it(t, "missing", MPI_MODE_RDWR, &file));
    CHECK(file == MPI_FILE_NULL);
    CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, open_it(t, "no/such/folder", MPI_MODE_RDWR | MPI_MODE_CREATE, &file));
    memset(name, 'x', 2 * PATH_MAX);
    name[0] = '/';
    name[2 * PATH_MAX - 1] = '\0';
    CHECK_CLASS(MPI_ERR_BAD_FILE, MPI_File_open(t->comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK(MPI_File_open(t->comm, t->folder, MPI_MODE_RDWR, MPI_INFO_NULL, &file) != MPI_SUCCESS);
    CHECK(file == MPI_FILE_NULL);
    if (t->rank == 0)
        CHECK_OK(mkdir(test_path(t, "a folder"), 0700));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(open_it(t, "a folder/of files, \303\244 & $(true)", MPI_MODE_RDWR | MPI_MODE_CREATE, &file));
    open_close(&file);
    CHECK_EQUAL(0, test_disk_size(t, "a folder/of files, \303\244 & $(true)"));
    /* Nobody may, but root. */
    test_disk_make(t, "closed", NULL, 10);
    if (t->rank == 0)
        CHECK_OK(chmod(test_path(t, "closed"), 0400));
    CHECK_OK(MPI_Barrier(t->comm));
    int rc = open_it(t, "closed", MPI_MODE_RDWR, &file);
    if (rc == MPI_SUCCESS)
        open_close(&file);
    CHECK_EQUAL(geteuid() == 0 ? MPI_SUCCESS : MPI_ERR_ACCESS, rc == MPI_SUCCESS ? rc : test_class(rc));
    free(name);
}

/* CREATE keeps what is there, EXCL refuses. */
void case_open_create(test *t)
{
    MPI_File file;
    CHECK_OK(open_it(t, "new", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, &file));
    open_close(&file);
    CHECK_EQUAL(0, test_disk_size(t, "new"));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_CLASS(MPI_ERR_FILE_EXISTS, open_it(t, "new", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, &file));
    CHECK(file == MPI_FILE_NULL);
    test_disk_make(t, "new", "contents", 8);
    CHECK_OK(open_it(t, "new", MPI_MODE_WRONLY | MPI_MODE_CREATE, &file));
    open_close(&file);
    CHECK_DISK(t, "new", 0, "contents", 8, 1);
}

/* All pointers begin at the end. */
void case_open_append(test *t)
{
    MPI_Offset at = -1;
    MPI_Status status;
    char line[9];
    test_disk_make(t, "append", "0123456789", 10);
    MPI_File file = test_open(t, "append", MPI_MODE_RDWR | MPI_MODE_APPEND);
    CHECK_OK(MPI_File_get_position(file, &at));
    CHECK_EQUAL(10, at);
    CHECK_OK(MPI_File_get_position_shared(file, &at));
    CHECK_EQUAL(10, at);
    CHECK_OK(MPI_Barrier(t->comm));
    snprintf(line, sizeof line, "line %03d", t->rank);
    CHECK_OK(MPI_File_write_ordered(file, line, 8, MPI_CHAR, &status));
    open_close(&file);
    CHECK_DISK(t, "append", 0, "0123456789line 000", 18, t->size == 1);
    CHECK_EQUAL(10 + 8 * t->size, test_disk_size(t, "append"));
    CHECK_OK(MPI_Barrier(t->comm));
    file = test_open(t, "append", MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_APPEND);
    CHECK_OK(MPI_File_seek(file, 8 * t->rank, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_write(file, line, 8, MPI_CHAR, &status));
    open_close(&file);
    CHECK_DISK(t, "append", 10 + 8 * t->size + 8 * t->rank, line, 8, t->rank == t->size - 1);
}

void case_open_delete_on_close(test *t)
{
    MPI_File file = test_open(t, "gone", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Status status;
    CHECK_OK(MPI_File_write_at_all(file, t->rank, "x", 1, MPI_CHAR, &status));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK(test_disk_size(t, "gone") >= 0);
    CHECK_OK(MPI_Barrier(t->comm));
    open_close(&file);
    CHECK_EQUAL(-1, test_disk_size(t, "gone"));
}

/* The file that was opened is deleted, wherever the program is by then. */
void case_open_delete_elsewhere(test *t)
{
    MPI_File file;
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(before >= 0);
    CHECK_OK(MPI_Barrier(t->comm)); /* ranks that are threads have one working directory */
    CHECK_OK(chdir(t->folder));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_open(t->comm, "elsewhere", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(fchdir(before));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_EQUAL(0, test_disk_size(t, "elsewhere"));
    CHECK_OK(MPI_Barrier(t->comm));
    open_close(&file);
    CHECK_EQUAL(-1, test_disk_size(t, "elsewhere"));
    close(before);
}

void case_open_unique(test *t)
{
    MPI_File file = test_open(t, "unique", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_UNIQUE_OPEN);
    MPI_Status status;
    char byte = (char)t->rank, got = -1;
    int amode = 0;
    CHECK_OK(MPI_File_get_amode(file, &amode));
    CHECK_EQUAL(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_UNIQUE_OPEN, amode);
    CHECK_OK(MPI_File_write_at_all(file, t->rank, &byte, 1, MPI_CHAR, &status));
    test_sync(t, file);
    CHECK_OK(MPI_File_read_at_all(file, (t->rank + 1) % t->size, &got, 1, MPI_CHAR, &status));
    CHECK_EQUAL((t->rank + 1) % t->size, got);
    open_close(&file);
}

/* A sequential file is read and written by its shared pointer. */
void case_open_sequential(test *t)
{
    MPI_File file = test_open(t, "tape", MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL);
    MPI_Status status;
    int value = t->rank, got = -1;
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET));
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status));
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, &status));
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, &value, 1, MPI_INT, &status));
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
    CHECK_OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
    open_close(&file);
    CHECK_EQUAL(2 * t->size * (int)sizeof(int), test_disk_size(t, "tape"));
    file = test_open(t, "tape", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    CHECK_OK(MPI_File_read_ordered(file, &got, 1, MPI_INT, &status));
    CHECK_EQUAL(t->rank, got);
    CHECK_OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_ordered(file, &got, 1, MPI_INT, &status));
    CHECK_EQUAL(t->rank, got);
    CHECK_OK(MPI_File_read_shared(file, &got, 1, MPI_INT, &status));
    CHECK_MOVED(0, &status);
    open_close(&file);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

void case_open_properties(test *t)
{
    MPI_File file = test_open(t, "properties", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Group mine, all;
    MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
    MPI_Offset displacement = -1;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler handler;
    char name[MPI_MAX_DATAREP_STRING] = "";
    int relation = -1, flag = -1;
    CHECK_OK(MPI_File_get_group(file, &mine));
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_compare(mine, all, &relation));
    CHECK_EQUAL(MPI_IDENT, relation);
    CHECK_OK(MPI_Group_free(&mine));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name));
    CHECK_EQUAL(0, displacement);
    CHECK(etype == MPI_BYTE && filetype == MPI_BYTE);
    CHECK_TEXT("native", name);
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_File_get_info(file, &info));
    CHECK(info != MPI_INFO_NULL);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_get_errhandler(file, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&handler));
    MPI_Fint number = MPI_File_c2f(file);
    CHECK(MPI_File_f2c(number) == file);
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    open_close(&file);
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* Every member writes its number and reads all. */
static void communicators_use(MPI_Comm comm, const char *path)
{
    int rank, size, got = -1;
    MPI_File file;
    MPI_Status status;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &size));
    CHECK_OK(MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    test_view(file, 0, MPI_INT, MPI_INT);
    CHECK_OK(MPI_File_write_at_all(file, rank, &rank, 1, MPI_INT, &status));
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_Barrier(comm));
    CHECK_OK(MPI_File_sync(file));
    for (int i = 0; i < size; i++) {
        CHECK_OK(MPI_File_read_at(file, i, &got, 1, MPI_INT, &status));
        CHECK_EQUAL(i, got);
    }
    CHECK_OK(MPI_File_read_ordered(file, &got, 1, MPI_INT, &status));
    CHECK_EQUAL(rank, got);
    CHECK_OK(MPI_File_close(&file));
}

/* A file outlives its communicator; those of parts, of oneself, of all in another order. */
void case_open_communicators(test *t)
{
    char name[64];
    MPI_Comm part, reversed;
    MPI_File file;
    MPI_Status status;
    for (int parts = 1; parts <= 3; parts++) {
        CHECK_OK(MPI_Comm_split(t->comm, t->rank % parts, 0, &part));
        snprintf(name, sizeof name, "part %d of %d", t->rank % parts, parts);
        communicators_use(part, test_path(t, name));
        CHECK_OK(MPI_Comm_free(&part));
    }
    CHECK_OK(MPI_Comm_split(t->comm, 0, -t->rank, &reversed));
    communicators_use(reversed, test_path(t, "reversed"));
    CHECK_OK(MPI_Comm_free(&reversed));
    snprintf(name, sizeof name, "of rank %d", t->rank);
    communicators_use(MPI_COMM_SELF, test_path(t, name));
    CHECK_OK(MPI_Comm_dup(t->comm, &part));
    CHECK_OK(MPI_File_open(part, test_path(t, "outlives"), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_Comm_free(&part));
    CHECK_OK(MPI_File_write_ordered(file, "x", 1, MPI_CHAR, &status));
    open_close(&file);
    CHECK_EQUAL(t->size, test_disk_size(t, "outlives"));
}

/* Several files and several handles of one file at a time, closed in another order. */
void case_open_several(test *t)
{
    enum { SEVERAL = 6 };
    MPI_File files[SEVERAL];
    MPI_Status status;
    char name[32], got[2];
    for (int i = 0; i < SEVERAL; i++) {
        snprintf(name, sizeof name, "several %d", i / 2);
        files[i] = test_open(t, name, MPI_MODE_RDWR | MPI_MODE_CREATE);
    }
    for (int i = 0; i < SEVERAL; i++) {
        char bytes[2] = {(char)('a' + i), (char)t->rank};
        CHECK_OK(MPI_File_write_at(files[i], 1000 * i + 2 * t->rank, bytes, 2, MPI_BYTE, &status));
    }
    for (int i = 0; i < SEVERAL; i++)
        test_sync(t, files[i]);
    for (int i = 0; i < SEVERAL; i++) { /* by the other handle */
        int other = (t->rank + i) % t->size;
        CHECK_OK(MPI_File_read_at_all(files[i ^ 1], 1000 * i + 2 * other, got, 2, MPI_BYTE, &status));
        CHECK_MOVED(2, &status);
        CHECK(got[0] == 'a' + i && got[1] == other);
    }
    for (int i = 0; i < SEVERAL; i++)
        open_close(&files[(i * 5 + 2) % SEVERAL]);
}

/* ---- again and again --------------------------------------------------------------------------------------------- */

/* Pages that the process has; 0: unknown. */
static long again_pages(void)
{
    long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &here) != 2)
        here = 0;
    if (file)
        fclose(file);
    return here;
}

/* While no other rank of the process opens a file. */
static int again_descriptors(test *t)
{
    int count = 0;
    CHECK_OK(MPI_Barrier(t->comm));
    for (int fd = 0; fd < 1024; fd++)
        count += lseek(fd, 0, SEEK_CUR) >= 0; /* of files; connections come and go for reasons of their own */
    CHECK_OK(MPI_Barrier(t->comm));
    return count;
}

static void again_once(test *t, int turn)
{
    MPI_File file = test_open(t, "again", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype view;
    MPI_Status status;
    CHECK_OK(MPI_Type_vector(3, 1, 2, MPI_INT, &view));
    CHECK_OK(MPI_Type_commit(&view));
    test_view(file, 4, MPI_INT, view);
    if (turn % 4 == 0)
        CHECK_OK(MPI_File_write_ordered(file, &turn, 1, MPI_INT, &status));
    if (turn % 4 == 1)
        CHECK_OK(MPI_File_write_at_all(file, t->rank, &turn, 1, MPI_INT, &status));
    if (turn % 4 == 2)
        CHECK_OK(MPI_File_write_at(file, t->rank, &turn, 1, MPI_INT, &status));
    CHECK_OK(MPI_Type_free(&view));
    open_close(&file);
    MPI_File none;
    if (turn % 8 == 0)
        CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, open_it(t, "nothing", MPI_MODE_RDONLY, &none));
}

/* No descriptor stays open and no memory is kept. */
void case_open_again_and_again(test *t)
{
    int rounds = test_volume(t, 800), warm = rounds / 4;
    int descriptors = 0;
    long pages = 0;
    for (int i = 0; i < rounds; i++) {
        if (i == warm) {
            descriptors = again_descriptors(t);
            pages = again_pages();
            CHECK_OK(MPI_Barrier(t->comm));
        }
        again_once(t, i);
    }
    CHECK_EQUAL(descriptors, again_descriptors(t));
    /* A page for each file would be leaked by hundreds; an allocator has moods. Ranks that are threads share one. */
    long files = (long)(rounds - warm) * (t->ranks_are_threads ? t->size : 1);
    if (!TEST_IS_SANITIZED && again_pages() > pages + files / 2 + 512)
        CHECK_FAIL("%ld files more took %ld pages", files, again_pages() - pages);
    CHECK_OK(MPI_Barrier(t->comm));
}

void case_open_remove(test *t)
{
    test_disk_make(t, "remove", NULL, 10);
    CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(test_path(t, "was never"), MPI_INFO_NULL));
    if (t->rank == 0) {
        CHECK_OK(MPI_File_delete(test_path(t, "remove"), MPI_INFO_NULL));
        CHECK_EQUAL(-1, test_disk_size(t, "remove"));
        CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(test_path(t, "remove"), MPI_INFO_NULL));
    }
}
