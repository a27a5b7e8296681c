/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run/run_hint.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what a rank says ------------------------------------------------------------------------------------------- */

/* The words before the name, as the loader of glibc and the JVM write them. */
static const struct {
    const char *words;
    run_hint_kind kind;
} hint_words[] = {
    {"error while loading shared libraries: ", RUN_HINT_LIBRARY},
    {"Could not find or load main class ", RUN_HINT_MAIN_CLASS},
    {"java.lang.NoClassDefFoundError: ", RUN_HINT_CLASS},
    {"java.lang.ClassNotFoundException: ", RUN_HINT_CLASS},
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

void cor_run_hint_write(const run_hint *hint, char out[RUN_HINT_MAX])
{
    out[0] = '\0';
    if (hint->kind == RUN_HINT_LIBRARY)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: the loader there does not find %s; -x LD_LIBRARY_PATH=FOLDER names its folder)", hint->name);
    else if (hint->kind == RUN_HINT_MAIN_CLASS)
        snprintf(out, RUN_HINT_MAX, " (hint: the class path has no %s; java -cp FOLDER_OR_JAR names where it is)",
                 hint->name);
    else if (hint->kind == RUN_HINT_CLASS && strncmp(hint->name, "mpi.", 4) == 0)
        snprintf(out, RUN_HINT_MAX, " (hint: %s is in corunna.jar, which is not on the class path)", hint->name);
    else if (hint->kind == RUN_HINT_CLASS)
        snprintf(out, RUN_HINT_MAX,
                 " (hint: the class %s is not on the class path; java -cp A.jar:B.jar names its jar)", hint->name);
}

/* ---- what cannot be run ----------------------------------------------------------------------------------------- */

/* Is there such a file, as seen from the folder? */
static int hint_has_file(const char *folder, const char *name, const char *suffix, int mode)
{
    char path[2 * PATH_MAX];
    struct stat what;
    snprintf(path, sizeof path, "%s%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name, suffix);
    return stat(path, &what) == 0 && S_ISREG(what.st_mode) && access(path, mode) == 0;
}

static int hint_ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

/* A file of Java's that is given as the program itself. */
static int hint_java_file(const char *argv0, const char *folder, char *out)
{
    if (!hint_has_file(folder, argv0, "", R_OK))
        return 0;
    if (hint_ends_with(argv0, ".jar"))
        snprintf(out, RUN_HINT_MAX, " (hint: it is a jar; run: java -jar %s)", argv0);
    else if (hint_ends_with(argv0, ".java"))
        snprintf(out, RUN_HINT_MAX, " (hint: it is Java source; run: java %s)", argv0);
    else if (hint_ends_with(argv0, ".class"))
        snprintf(out, RUN_HINT_MAX, " (hint: it is a Java class; run: java %.*s)", (int)strlen(argv0) - 6, argv0);
    return out[0] != '\0';
}

void cor_run_hint_program(const char *argv0, const char *folder, int error, char out[RUN_HINT_MAX])
{
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
    out[0] = '\0';
    if (hint_java_file(argv0, folder, out))
        return;
    if (error == ENOEXEC)
        snprintf(out, RUN_HINT_MAX, " (hint: it has no #! line, or is a program for another kind of machine)");
    if (error != ENOENT)
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
