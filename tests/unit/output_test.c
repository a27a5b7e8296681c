/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written whole or not at all. */
#define _GNU_SOURCE
#include "base/output.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/output.XXXXXX";
static char path[64];

static int file_count(void)
{
    int count = 0;
    DIR *list = opendir(folder);
    CHECK(list);
    for (struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static void expect(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    CHECK(file);
    CHECK_EQUAL(strlen(expected), fread(text, 1, sizeof text - 1, file));
    CHECK_TEXT(expected, text);
    fclose(file);
}

static void write_text(const char *text)
{
    cor_output output;
    CHECK_OK(cor_output_open(&output, path, NULL));
    fputs(text, output.file);
    CHECK_OK(cor_output_commit(&output, NULL));
}

static void test_replaced(void)
{
    cor_output output;
    struct stat there;
    write_text("first");
    expect("first");
    CHECK_OK(chmod(path, 0640));
    CHECK_OK(cor_output_open(&output, path, NULL));
    fputs("second", output.file);
    fflush(output.file);
    expect("first"); /* until all is there */
    CHECK_OK(cor_output_commit(&output, NULL));
    expect("second");
    CHECK_OK(stat(path, &there));
    CHECK_EQUAL(0640, there.st_mode & 07777);
    CHECK_OK(cor_output_open(&output, path, NULL));
    fputs("third", output.file);
    cor_output_abandon(&output);
    expect("second");
    CHECK_EQUAL(1, file_count());
}

/* A limit of the size of files is as good as a full disk. */
static void test_full(void)
{
    struct rlimit before, limit;
    cor_output output;
    cor_fault fault = {0};
    CHECK_OK(getrlimit(RLIMIT_FSIZE, &before));
    limit = before;
    limit.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_OK(setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_OK(cor_output_open(&output, path, &fault));
    for (int i = 0; i < 100000; i++)
        fputs("too much", output.file);
    int rc = cor_output_commit(&output, &fault);
    CHECK_OK(setrlimit(RLIMIT_FSIZE, &before));
    CHECK_EQUAL(COR_ERR_SYSTEM, rc);
    CHECK(strstr(fault.text, path) && strstr(fault.text, "cannot write") && strstr(fault.text, "File too large"));
    expect("second");
    CHECK_EQUAL(1, file_count());
    CHECK_OK(cor_output_open(&output, "/dev/full", &fault));
    fputs("text", output.file);
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_output_commit(&output, &fault));
    CHECK(strstr(fault.text, "No space left"));
}

static void test_places(void)
{
    cor_output output;
    cor_fault fault = {0};
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_output_open(&output, "/nowhere/at/all", &fault));
    CHECK_TEXT("cannot write /nowhere/at/all: No such file or directory", fault.text);
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_output_open(&output, folder, &fault));
    /* What a link points to is replaced, and the link stays. */
    char link[80];
    struct stat there;
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK_OK(symlink("file", link));
    CHECK_OK(cor_output_open(&output, link, &fault));
    fputs("through a link", output.file);
    CHECK_OK(cor_output_commit(&output, &fault));
    expect("through a link");
    CHECK_OK(lstat(link, &there));
    CHECK(S_ISLNK(there.st_mode));
    CHECK_OK(unlink(link));
}

/* Whether a file could be written, without leaving anything or touching what is there. */
static void test_check(void)
{
    int ends[2];
    char other[96], byte;
    write_text("there");
    CHECK_OK(cor_output_check(path, NULL));
    CHECK_OK(cor_output_check("/dev/null", NULL));
    expect("there");
    CHECK_EQUAL(1, file_count());
    cor_fault fault = {0};
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_output_check(folder, &fault));
    CHECK(strstr(fault.text, "Is a directory"));
    snprintf(other, sizeof other, "%s/none/file", folder);
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_output_check(other, &fault));
    CHECK(strstr(fault.text, other) && strstr(fault.text, "No such file"));
    /* A pipe has no end for its reader afterwards. */
    CHECK_OK(pipe2(ends, O_NONBLOCK));
    snprintf(other, sizeof other, "/proc/self/fd/%d", ends[1]);
    CHECK_OK(cor_output_check(other, NULL));
    CHECK(read(ends[0], &byte, 1) == -1);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    test_replaced();
    test_full();
    test_places();
    test_check();
    CHECK_EQUAL(1, file_count());
    CHECK_OK(unlink(path));
    CHECK_OK(rmdir(folder));
    return 0;
}
