/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/run_hint.h"

#include "launch/run_abi.h"
#include "launch/run_limit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- what a rank says ------------------------------------------------------------------------------------------- */

/* The words before the name, as the loader of glibc, the JVM, the C library and Corunna write them. Of two in one line
 * the first here counts. */
static const struct {
    const char *words;
    run_hint_kind kind;
} hint_words[] = {
    {"the jar holds no library for this machine", RUN_HINT_SILENT},
    {"Corunna's native library corunna.jar!", RUN_HINT_NATIVE},
    {"failed to map segment from shared object", RUN_HINT_MAPPING},
    {"error while loading shared libraries: ", RUN_HINT_LIBRARY},
    {"Could not find or load main class ", RUN_HINT_MAIN_CLASS},
    {"java.lang.NoClassDefFoundError: ", RUN_HINT_CLASS},
    {"java.lang.ClassNotFoundException: ", RUN_HINT_CLASS},
    {"Could not reserve enough space ", RUN_HINT_MEMORY},
    {"Could not allocate ", RUN_HINT_MEMORY},
    {"Failed to reserve memory for ", RUN_HINT_MEMORY},
    {"Failed to allocate initial ", RUN_HINT_MEMORY},
    {"Unable to allocate ", RUN_HINT_MEMORY},
    {"unable to allocate file descriptor table", RUN_HINT_MEMORY},
    {"There is insufficient memory for the Java Runtime", RUN_HINT_MEMORY},
    {"Cannot allocate memory", RUN_HINT_MEMORY},
    {"no memory for ", RUN_HINT_MEMORY},
    {"unable to create native thread", RUN_HINT_THREADS},
    {"pthread_create failed (EAGAIN)", RUN_HINT_THREADS},
    {"Resource temporarily unavailable", RUN_HINT_THREADS},
    {"Too many open files", RUN_HINT_FILES},
};

void cor_run_hint_take(run_hint *hint, const char *lines, size_t length)
{
    for (size_t i = 0; hint->kind == RUN_HINT_NONE && i < sizeof hint_words / sizeof *hint_words; i++) {
        size_t words = strlen(hint_words[i].words), at = 0;
        const char *found = memmem(lines, length, hint_words[i].words, words);
        const char *name = found ? found + words : NULL, *end = lines + length;
        if (!name)
            continue;
        while (name + at < end && !strchr(": \t\r\n", name[at]) && at + 1 < sizeof hint->name)
            at++;
        memcpy(hint->name, name, at);
        hint->name[at] = '\0';
        hint->kind = hint_words[i].kind;
    }
    if (hint->kind == RUN_HINT_CLASS)
        for (char *slash = hint->name; (slash = strchr(slash, '/')) != NULL;)
            *slash = '.';
}

/* The limit of memory, if there is one. */
static void hint_memory(char out[RUN_HINT_MAX])
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: a process may have %llu kB of memory here; ulimit -v unlimited lifts that)",
                 (unsigned long long)space.rlim_cur >> 10);
}

static void hint_library(const char *name, char out[RUN_HINT_MAX])
{
    const char *why = cor_run_abi_why_not(name);
    if (*why)
        snprintf(
            out, RUN_HINT_MAX,
            " (hint: the loader there does not find %.40s: it is %s; compile the program with Corunna's mpicc, or "
            "with the mpicc_abi of its own library)",
            name, why);
    else if (cor_run_abi_has(name))
        snprintf(out, RUN_HINT_MAX, " (hint: the loader there does not find %.40s; the option --abi provides it)",
                 name);
    else
        snprintf(out, RUN_HINT_MAX,
                 " (hint: the loader there does not find %s; -x LD_LIBRARY_PATH=FOLDER names its folder)", name);
}

void cor_run_hint_write(const run_hint *hint, char out[RUN_HINT_MAX])
{
    out[0] = '\0';
    if (hint->kind == RUN_HINT_LIBRARY)
        hint_library(hint->name, out);
    else if (hint->kind == RUN_HINT_MAIN_CLASS)
        snprintf(out, RUN_HINT_MAX, " (hint: the class path has no %s; java -cp FOLDER_OR_JAR names where it is)",
                 hint->name);
    else if (hint->kind == RUN_HINT_CLASS && strncmp(hint->name, "mpi.", 4) == 0)
        snprintf(out, RUN_HINT_MAX, " (hint: %s is in corunna.jar, which is not on the class path)", hint->name);
    else if (hint->kind == RUN_HINT_CLASS)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: the class %s is not on the class path; java -cp A.jar:B.jar names its jar)", hint->name);
    else if (hint->kind == RUN_HINT_NATIVE)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: it goes through the folder for temporary files, which must be there, writable and not "
                 "noexec; java "
                 "-Djava.io.tmpdir=FOLDER names another)");
    else if (hint->kind == RUN_HINT_MAPPING)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: ulimit -v is too small there, or the file system of the library is mounted noexec)");
    else if (hint->kind == RUN_HINT_MEMORY)
        hint_memory(out);
    else if (hint->kind == RUN_HINT_THREADS)
        cor_run_limit_hint(EAGAIN, out);
    else if (hint->kind == RUN_HINT_FILES)
        snprintf(out, RUN_HINT_MAX, " (hint: a larger ulimit -n lets each rank open more files)");
}

/* ---- what cannot be run ----------------------------------------------------------------------------------------- */

/* The path of a file as seen from the folder. */
static const char *hint_path(const char *folder, const char *name, const char *suffix, char path[2 * PATH_MAX])
{
    snprintf(path, 2 * PATH_MAX, "%s%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name, suffix);
    return path;
}

/* Is there such a file? */
static int hint_has_file(const char *folder, const char *name, const char *suffix, int mode)
{
    char path[2 * PATH_MAX];
    struct stat what;
    hint_path(folder, name, suffix, path);
    return stat(path, &what) == 0 && S_ISREG(what.st_mode) && access(path, mode) == 0;
}

static int hint_is_folder(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    struct stat what;
    return stat(hint_path(folder, name, "", path), &what) == 0 && S_ISDIR(what.st_mode);
}

static int hint_is_on_noexec(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    struct statvfs system;
    return statvfs(hint_path(folder, name, "", path), &system) == 0 && (system.f_flag & ST_NOEXEC);
}

/* Files that are no programs, by the end of their names. "%s" is the name without its end, the name, or both. */
static const struct {
    const char *end, *format;
    int has_base, has_name;
} hint_files[] = {
    {".jar", " (hint: it is a jar; run: java -jar %s)", 0, 1},
    {".java", " (hint: it is Java source; run: java %s)", 0, 1},
    {".class", " (hint: it is a Java class; run: java %s)", 1, 0},
    {".c", " (hint: it is C source; compile it: mpicc -o %s)", 1, 1},
    {".cc", " (hint: it is C++ source; compile it: mpicxx -o %s)", 1, 1},
    {".cpp", " (hint: it is C++ source; compile it: mpicxx -o %s)", 1, 1},
    {".cxx", " (hint: it is C++ source; compile it: mpicxx -o %s)", 1, 1},
    {".f90", " (hint: it is Fortran source; a compiler must make %s of it)", 1, 0},
    {".py", " (hint: it is a Python program; run: python3 %s)", 0, 1},
};

/* A file of another kind that is given as the program itself. */
static int hint_other_file(const char *argv0, const char *folder, char *out)
{
    char names[RUN_HINT_MAX - 80];
    size_t length = strlen(argv0);
    if (!hint_has_file(folder, argv0, "", R_OK))
        return 0;
    for (size_t i = 0; i < sizeof hint_files / sizeof *hint_files; i++) {
        size_t tail = strlen(hint_files[i].end), base = length > tail ? length - tail : 0;
        if (base == 0 || strcmp(argv0 + base, hint_files[i].end) != 0)
            continue;
        snprintf(names, sizeof names, "%.*s%s%s", hint_files[i].has_base ? (int)base : 0, argv0,
                 hint_files[i].has_base && hint_files[i].has_name ? " " : "", hint_files[i].has_name ? argv0 : "");
        snprintf(out, RUN_HINT_MAX, hint_files[i].format, names);
    }
    return out[0] != '\0';
}

/* The file is there, and must not be executed. */
static void hint_denied(const char *argv0, const char *folder, char out[RUN_HINT_MAX])
{
    if (!hint_has_file(folder, argv0, "", F_OK))
        return;
    if (hint_is_on_noexec(folder, argv0))
        snprintf(out, RUN_HINT_MAX, " (hint: its file system is mounted noexec; programs must be on another)");
    else if (!hint_has_file(folder, argv0, "", X_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: it is not executable; if it is a program: chmod +x %.200s)", argv0);
}

void cor_run_hint_program(const char *argv0, const char *folder, int error, char out[RUN_HINT_MAX])
{
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
    out[0] = '\0';
    if (hint_other_file(argv0, folder, out))
        return;
    if ((error == EACCES || error == ENOENT) && hint_is_folder(folder, argv0))
        snprintf(out, RUN_HINT_MAX, " (hint: it is a folder; name a program in it)");
    else if (error == EACCES)
        hint_denied(argv0, folder, out);
    else if (error == ENOMEM)
        hint_memory(out);
    if (error == ENOEXEC)
        snprintf(out, RUN_HINT_MAX, " (hint: it has no #! line, or is a program for another kind of machine)");
    if (error != ENOENT || out[0])
        return;
    if (!slash && hint_has_file(folder, argv0, "", X_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: ./%s is in the working directory; run: ./%s)", argv0, argv0);
    else if (slash && hint_has_file(folder, argv0, "", F_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: the file is there, but not the interpreter or loader that it names)");
    else if (slash && argv0[0] != '/' && hint_has_file(".", argv0, "", X_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: it is where mpirun was called, and --wdir is %.150s)", folder);
    else if (hint_has_file(folder, argv0, ".class", R_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: %s.class is a Java class; run: java %s)", name, name);
    else if (hint_has_file(folder, argv0, ".java", R_OK))
        snprintf(out, RUN_HINT_MAX, " (hint: %s.java is Java source; run: java %s.java)", name, argv0);
}
