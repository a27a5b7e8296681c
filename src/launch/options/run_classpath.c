/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/options/run_classpath.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int classpath_is_java(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strcmp(slash ? slash + 1 : program, "java") == 0;
}

static int classpath_is_one_of(const char *word, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(word, *names) == 0)
            return 1;
    return 0;
}

static const char *const classpath_options[] = {"-cp", "-classpath", "--class-path", NULL};
static const char classpath_equals[] = "--class-path=";

/* Java's other options whose value is the next word. */
static const char *const classpath_pairs[] = {"-p",
                                              "--module-path",
                                              "--upgrade-module-path",
                                              "--add-modules",
                                              "--add-reads",
                                              "--add-exports",
                                              "--add-opens",
                                              "--limit-modules",
                                              "--enable-native-access",
                                              "--patch-module",
                                              "--source",
                                              "-d",
                                              "--describe-module",
                                              NULL};

/* Does an entry of the class path name our jar? */
static int classpath_has_jar(const char *path)
{
    static const char name[] = "corunna.jar";
    while (*path) {
        size_t length = strcspn(path, ":"), tail = sizeof name - 1;
        const char *end = path + length;
        if (length >= tail && strncmp(end - tail, name, tail) == 0 &&
            (length == tail || end[-(ptrdiff_t)tail - 1] == '/'))
            return 1;
        path = *end ? end + 1 : end;
    }
    return 0;
}

/* The class path on the command line: the word that has it, or 0. *is_jar_p: the program is a jar, which brings its
 * own. */
static int classpath_find(char **argv, int *is_jar_p)
{
    int found = 0;
    *is_jar_p = 0;
    for (int i = 1; argv[i] && (argv[i][0] == '-' || argv[i][0] == '@'); i++) {
        if (strcmp(argv[i], "-jar") == 0) {
            *is_jar_p = 1;
            return 0;
        }
        if (strncmp(argv[i], classpath_equals, sizeof classpath_equals - 1) == 0)
            found = i;
        int is_path = classpath_is_one_of(argv[i], classpath_options);
        if ((is_path || classpath_is_one_of(argv[i], classpath_pairs)) && argv[i + 1]) {
            i++;
            found = is_path ? i : found;
        }
    }
    return found;
}

/* CLASSPATH as the ranks will have it, or NULL. */
static const char *classpath_inherited(const run_list *settings)
{
    static const char name[] = "CLASSPATH=";
    const char *value = getenv("CLASSPATH");
    for (size_t i = 0; i < settings->count; i++)
        if (strncmp(settings->items[i], name, sizeof name - 1) == 0)
            value = settings->items[i] + sizeof name - 1;
    return value && *value ? value : NULL;
}

char **cor_run_class_path(char **argv, const char *jar, run_list *command, run_list *settings)
{
    int is_jar;
    if (!argv[0] || !classpath_is_java(argv[0]))
        return argv;
    int at = classpath_find(argv, &is_jar);
    if (is_jar)
        return argv;
    if (at == 0) {
        const char *inherited = classpath_inherited(settings);
        if (!inherited || !classpath_has_jar(inherited))
            cor_run_list_add(settings, "CLASSPATH=%s:%s", inherited ? inherited : ".", jar);
        return argv;
    }
    const char *equals =
        strncmp(argv[at], classpath_equals, sizeof classpath_equals - 1) == 0 ? strchr(argv[at], '=') : NULL;
    if (classpath_has_jar(equals ? equals + 1 : argv[at]))
        return argv;
    for (int i = 0; argv[i]; i++) {
        if (i == at)
            cor_run_list_add(command, "%s:%s", argv[i], jar);
        else
            cor_run_list_add(command, "%s", argv[i]);
    }
    return command->items;
}
