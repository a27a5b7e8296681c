/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna apps list` and `corunna apps run`. */
#define _GNU_SOURCE
#include "tools/apps/apps.h"

#include "base/knob.h"
#include "launch/options/run_option.h"
#include "launch/run_plan.h"
#include "tools/tools.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_LOOK_MS = 20 };
enum command_option { COMMAND_CLASS, COMMAND_RANKS, COMMAND_AS, COMMAND_WITH, COMMAND_DEVICE, COMMAND_HELP };

static const run_option command_rows[] = {
    {"class", COMMAND_CLASS, "LETTER", "size of the problem: S, W, A, B or C (one that ends in seconds)"},
    {"n|np", COMMAND_RANKS, "N", "number of ranks (`corunna apps list` shows it)"},
    {"as", COMMAND_AS, "KIND", "java, a process for each rank; threads, of one JVM; or c"},
    {"with", COMMAND_WITH, "LIBRARY", "corunna (the default), mpjexpress, openmpi or mpich"},
    {"dev", COMMAND_DEVICE, "DEVICE", "the device, as for corunna run"},
    {"help|h", COMMAND_HELP, "", "show this help"},
};

static const run_option_table command_table = {"corunna apps run", command_rows,
                                               sizeof command_rows / sizeof command_rows[0]};

static int command_unknown(const char *what, const char *word, const char *const *names, size_t count)
{
    fprintf(stderr, "corunna apps: unknown %s \"%s\"%s\n", what, word,
            cor_hint_at(cor_nearest(word, names, count)).text);
    return RUN_STATUS_USAGE;
}

/* ---- list ------------------------------------------------------------------------------------------------------- */

static int command_list(void)
{
    printf("%-11s %-9s %-6s %-6s %s\n", "name", "languages", "class", "ranks",
           "what it is; which numbers of ranks it takes");
    for (int i = 0; i < apps_app_count; i++) {
        const apps_app *app = &apps_apps[i];
        printf("%-11s %-9s %-6s %-6d %s; %s\n", app->name, app->c_program ? "java, c" : "java", app->class_letter,
               app->ranks, app->summary, apps_ranks_text(app->ranks_are));
    }
    return 0;
}

/* ---- run -------------------------------------------------------------------------------------------------------- */

typedef struct command_request {
    apps_run run;
    const apps_library *library;
    const char *as; /* NULL: the library's default */
    int wants_help;
} command_request;

static int command_take_app(command_request *request, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    for (int i = 0; i < apps_app_count; i++)
        names[i] = apps_apps[i].name;
    request->run.app = apps_app_find(name);
    return request->run.app ? 0 : command_unknown("application", name, names, (size_t)apps_app_count);
}

static int command_take_library(command_request *request, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    for (int i = 0; i < apps_library_count; i++)
        names[i] = apps_libraries[i].name;
    request->library = apps_library_find(name);
    return request->library ? 0 : command_unknown("library", name, names, (size_t)apps_library_count);
}

static int command_take_option(command_request *request, char **argv, int *at)
{
    run_option_match match;
    int found = cor_run_option_take(&command_table, argv, at, &match);
    if (found == -1)
        cor_run_option_unknown(&command_table, argv[*at]);
    if (found != 0)
        return RUN_STATUS_USAGE;
    switch (match.option->id) {
    case COMMAND_CLASS:
        request->run.class_letter = match.values[0];
        return 0;
    case COMMAND_RANKS:
        return cor_run_option_number(&command_table, &match, 1, &request->run.ranks) == 0 ? 0 : RUN_STATUS_USAGE;
    case COMMAND_AS:
        request->as = match.values[0];
        return 0;
    case COMMAND_WITH:
        return command_take_library(request, match.values[0]);
    case COMMAND_DEVICE:
        request->run.device = match.values[0];
        return 0;
    default:
        request->wants_help = 1;
        return 0;
    }
}

/* What was not asked for, and whether all of it fits. 0, or a status after a message. */
static int command_complete(command_request *request)
{
    apps_run *run = &request->run;
    const apps_library *library = request->library;
    char first[BENCH_NAME_MAX];
    const char *languages = library->languages;
    bench_list_next(&languages, first);
    int as = apps_as_find(request->as ? request->as : first);
    if (as < 0)
        return command_unknown("kind", request->as, (const char *const[]){"java", "threads", "c"}, 3);
    if (!strstr(library->languages, apps_as_name((apps_as)as))) {
        fprintf(stderr, "corunna apps: %s does not run as %s; it runs as: %s\n", library->name,
                apps_as_name((apps_as)as), library->languages);
        return RUN_STATUS_USAGE;
    }
    if (as == APPS_C && !run->app->c_program) {
        fprintf(stderr, "corunna apps: there is no %s in C; it runs as java or threads\n", run->app->name);
        return RUN_STATUS_USAGE;
    }
    if (*run->device && strcmp(library->name, "corunna") != 0) {
        fprintf(stderr, "corunna apps: --dev is a device of Corunna; %s has none of that name\n", library->name);
        return RUN_STATUS_USAGE;
    }
    run->as = (apps_as)as;
    run->ranks = run->ranks ? run->ranks : run->app->ranks;
    run->class_letter = run->class_letter ? run->class_letter : run->app->class_letter;
    return 0;
}

/* Runs a command on this terminal, in a group of its own; what interrupts us is passed on to it. Returns its status. */
static int command_start(const bench_words *words, bench_interrupts *interrupts)
{
    sigset_t none;
    int state = 0, passed_on = 0;
    sigemptyset(&none);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(words->words[0], words->words);
        fprintf(stderr, "corunna apps: cannot start %s: %s\n", words->words[0], strerror(errno));
        _exit(RUN_STATUS_NOT_FOUND);
    }
    if (pid < 0) {
        fprintf(stderr, "corunna apps: cannot start a process: %s\n", strerror(errno));
        return 1;
    }
    while (waitpid(pid, &state, WNOHANG) == 0) {
        if (bench_interrupts_look(interrupts) && !passed_on) {
            kill(-pid, interrupts->number);
            passed_on = 1;
        }
        poll(&(struct pollfd){.fd = interrupts->fd, .events = POLLIN}, 1, COMMAND_LOOK_MS);
    }
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

static int command_run(int argc, char **argv)
{
    command_request request = {.run.device = "", .library = apps_library_find("corunna")};
    char *words[BENCH_WORDS_MAX / 2], why[BENCH_WHY_MAX] = "";
    bench_interrupts interrupts;
    bench_places places;
    bench_words command = {0};
    int status = 0, has_ended = 0; /* the options, by -- */
    request.run.words = words;
    for (int at = 2; at < argc && status == 0;) {
        if (strcmp(argv[at], "--") == 0 && request.run.app && !has_ended) {
            has_ended = 1;
            at++;
        } else if (cor_run_option_is(argv[at]) && !has_ended) {
            status = command_take_option(&request, argv, &at);
        } else if (!request.run.app) {
            status = command_take_app(&request, argv[at++]);
        } else if (request.run.word_count < (int)(sizeof words / sizeof words[0])) {
            words[request.run.word_count++] = argv[at++];
        } else {
            fprintf(stderr, "corunna apps run: at most %d words go to an application\n", request.run.word_count);
            status = RUN_STATUS_USAGE;
        }
    }
    if (status != 0)
        return status;
    if (request.wants_help) {
        puts("usage: corunna apps run NAME [options] [--] [words of the application]\n\n"
             "Ends with status 0 if the result is verified.\n");
        cor_run_option_help(&command_table);
        return 0;
    }
    if (!request.run.app) {
        fputs("corunna apps run: which application? (`corunna apps list` names them)\n", stderr);
        return RUN_STATUS_USAGE;
    }
    status = command_complete(&request);
    if (status != 0)
        return status;
    if (bench_places_open(&places, &interrupts, "corunna apps") != 0)
        return 1;
    request.run.places = &places;
    if (request.library->command(&request.run, &command, why)) {
        status = command_start(&command, &interrupts);
    } else {
        fprintf(stderr, "corunna apps: %s: %s\n", request.library->name, why);
        status = 1;
    }
    bench_words_free(&command);
    bench_places_close(&places);
    return status;
}

/* ---- verbs ------------------------------------------------------------------------------------------------------ */

int cor_command_apps(int argc, char **argv)
{
    static const char *const verbs[] = {"list", "run", "matrix"};
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "list") == 0)
        return command_list();
    if (strcmp(word, "run") == 0)
        return command_run(argc, argv);
    if (strcmp(word, "matrix") == 0)
        return cor_apps_matrix(argc, argv);
    if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0 && strcmp(word, "help") != 0)
        return command_unknown("verb", word, verbs, sizeof verbs / sizeof verbs[0]);
    puts(
        "usage: corunna apps list            the applications\n"
        "       corunna apps run NAME ...    run one; `corunna apps run --help` lists the options\n"
        "       corunna apps matrix ...      run many, with several libraries and numbers of ranks, and compare them");
    return 0;
}
