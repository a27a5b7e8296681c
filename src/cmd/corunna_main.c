/* SPDX-License-Identifier: Apache-2.0 */
/* One executable: `corunna <command>`, and under the names that users' scripts call. */
#include "base/knob.h"
#include "cmd/commands.h"
#include "launch/job/run_front.h"
#include "launch/options/launcher.h"
#include "launch/options/run_option.h"
#include "launch/run_path.h"
#include "launch/run_plan.h"
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

typedef struct main_command {
    const char *name;
    const char *aliases; /* names of the executable that mean this command: "|mpirun|mpiexec|" */
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: not for users */
} main_command;

static const main_command main_commands[] = {
    {"run", "|mpirun|mpiexec|", cor_command_run,
     "start a parallel job on this host or on others (also mpirun, mpiexec)"},
    {"mpjrun", "|mpjrun|mpjrun.sh|fmpjrun|", cor_command_mpjrun, "start a Java job with the options of MPJ Express"},
    {"info", "||", cor_command_info, "version, settings, memory; --functions: which MPI functions are implemented"},
    {"ps", "||", cor_command_ps, "list this user's jobs; ps JOB: what each of its ranks is doing"},
    {"bench", "||", cor_command_bench, "measure this machine, beside other libraries if they are there"},
    {"model", "||", cor_command_model, "fit performance models to measurements, predict with them, draw them"},
    {"tune", "||", cor_command_tune, "find the fastest algorithms for this machine, and use them from then on"},
    {"apps", "||", cor_command_apps, "run applications that verify themselves, on Corunna or on another library"},
    {"sock", "||", cor_command_sock,
     "run a program with fast sockets: connections inside this host use shared memory"},
    {"java", "||", cor_command_java, "run a Java program with fast sockets"},
    {"help", "||", cor_command_help, "show this help; help COMMAND: that of a command"},
    {"version", "||", cor_command_version, "show the version (also --version)"},
    {"options", "||", cor_command_options, NULL},
    {"agent", "||", cor_command_agent, NULL},
    {"mpjboot", "|mpjboot|", cor_command_needless, NULL},
    {"mpjhalt", "|mpjhalt|", cor_command_needless, NULL},
    {"prunjava", "|prunjava|", cor_command_needless, NULL},
};

enum { MAIN_COMMAND_COUNT = sizeof main_commands / sizeof main_commands[0] };

_Static_assert((int)MAIN_COMMAND_COUNT <= (int)COMMANDS_MAX, "cor_command_names has no room for all commands");

void cor_command_names(const char *names[COMMANDS_MAX + 1])
{
    for (size_t i = 0; i < MAIN_COMMAND_COUNT; i++)
        if (main_commands[i].help)
            *names++ = main_commands[i].name;
    *names = NULL;
}

int cor_command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return cor_run_option_version();
}

static const main_command *main_find(const char *name)
{
    for (size_t i = 0; i < MAIN_COMMAND_COUNT; i++)
        if (strcmp(name, main_commands[i].name) == 0)
            return &main_commands[i];
    return NULL;
}

static int main_unknown(const char *word)
{
    const char *names[MAIN_COMMAND_COUNT];
    for (size_t i = 0; i < MAIN_COMMAND_COUNT; i++)
        names[i] = main_commands[i].name;
    fprintf(stderr, "corunna: unknown command \"%s\"%s (`corunna help` lists them)\n", word,
            cor_hint_at(cor_nearest(word, names, MAIN_COMMAND_COUNT)).text);
    return RUN_STATUS_USAGE;
}

/* `help COMMAND` is what the command says itself. */
static int main_help_of(const char *word)
{
    char name[16], option[] = "--help";
    char *argv[] = {name, option, NULL};
    const main_command *command = main_find(word);
    if (!command || !command->help)
        return main_unknown(word);
    snprintf(name, sizeof name, "%s", command->name);
    return command->run(2, argv);
}

int cor_command_help(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-')
        return main_help_of(argv[1]);
    char pages[PATH_MAX];
    puts("Corunna " COR_VERSION ": message passing for Java and C\n\nusage: corunna COMMAND [arguments]\n");
    for (size_t i = 0; i < MAIN_COMMAND_COUNT; i++)
        if (main_commands[i].help)
            printf("  %-8s %s\n", main_commands[i].name, main_commands[i].help);
    puts("\nexamples: corunna run -n 4 ./a.out\n"
         "          corunna run -n 4 java Hello\n"
         "          mpjrun.sh -np 4 Hello");
    if (cor_run_path_pages(pages))
        printf("\npages:    %s/docs/index.md\n", pages);
    return 0;
}

/* Packages name it mpirun.corunna where several libraries have an mpirun. */
static const main_command *main_find_alias(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *suffix = strstr(name, ".corunna");
    char alias[64];
    snprintf(alias, sizeof alias, "|%.*s|", suffix && !suffix[8] ? (int)(suffix - name) : 60, name);
    for (size_t i = 0; i < MAIN_COMMAND_COUNT; i++)
        if (strlen(alias) > 2 && strstr(main_commands[i].aliases, alias))
            return &main_commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const main_command *alias = main_find_alias(argc > 0 ? argv[0] : "corunna");
    if (alias)
        return alias->run(argc, argv);
    if (argc < 2) {
        fputs("corunna: no command given; `corunna help` lists them\n", stderr);
        return RUN_STATUS_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        word = "version";
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    const main_command *command = main_find(word);
    return command ? command->run(argc - 1, argv + 1) : main_unknown(argv[1]);
}
