/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/options/mpjrun_options.h"

#include "launch/options/run_option_text.h"
#include "mp/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mpjrun_option_id {
    MPJ_SIZE,
    MPJ_DEVICE,
    MPJ_MACHINES,
    MPJ_PER_NODE,
    MPJ_PLAIN_ARGS,
    MPJ_WDIR,
    MPJ_CLASS_PATH,
    MPJ_JAR,
    MPJ_CLASS,
    MPJ_MODULE,
    MPJ_MODULE_PATH,
    MPJ_NOTICE,
    MPJ_REFUSED,
    MPJ_HELP,
    MPJ_VERSION
};

static const run_option mpjrun_rows[] = {
    {"np|n", MPJ_SIZE, "N", "number of ranks (1)"},
    {"dev", MPJ_DEVICE, "DEVICE",
     "multicore: threads of one JVM (default without -machinesfile); niodev, hybdev, native, smdev: one JVM per rank; "
     "mpidev: the same, through Open MPI or MPICH"},
    {"machinesfile|machinefile|hostfile", MPJ_MACHINES, "FILE", "file of hosts to run on, one per line"},
    {"wdir", MPJ_WDIR, "DIRECTORY", "working directory of the ranks"},
    {"cp|classpath|class-path", MPJ_CLASS_PATH, "PATH", "class path ($CLASSPATH, else .)"},
    {"jar", MPJ_JAR, "FILE", "run the main class of a jar"},
    {"class", MPJ_CLASS, "NAME", "the main class, as with fmpjrun"},
    {"m|module", MPJ_MODULE, "MODULE/CLASS", "run this class of a module, in a JVM for each rank"},
    {"p|module-path", MPJ_MODULE_PATH, "PATH",
     "module path; with -m corunna.jar is added to it, as the module corunna"},
    {"npernode", MPJ_PER_NODE, "N", "ranks per host; without -np this many on every host"},
    {"plain-args", MPJ_PLAIN_ARGS, "",
     "main gets the program's own arguments alone, without rank, number of ranks and device before them"},
    {"dport|sport|port", MPJ_NOTICE, "PORT", "changes nothing: there are no daemons that listen on a port"},
    {"mpjport", MPJ_NOTICE, "PORT",
     "changes nothing: ranks take free ports; CORUNNA_TCP_PORTS=20000-20100 names those that they may take"},
    {"psl", MPJ_NOTICE, "BYTES",
     "changes nothing: CORUNNA_SM_EAGER_MAX and CORUNNA_TCP_EAGER_MAX say up to which length messages go at once"},
    {"mxboardnum", MPJ_NOTICE, "N", "changes nothing: there is no device for Myrinet"},
    {"profile", MPJ_NOTICE, "",
     "changes nothing: corunna run --stats -n 4 java Class prints what ranks spend their time with"},
    {"src|localloader|remoteloader", MPJ_NOTICE, "",
     "changes nothing: classes come from the class path of every host"},
    {"debug", MPJ_REFUSED, "PORT", "is refused: use the JVM's -agentlib:jdwp option"},
    {"yarn|debugYarn", MPJ_REFUSED, "", "is refused: use -machinesfile"},
    {"h|help", MPJ_HELP, "", "show this help"},
    {"v|version", MPJ_VERSION, "", "show the version"},
};

/* Devices of the older libraries: whether their ranks are threads, and which of our devices replaces them. */
static const struct {
    const char *name;
    int is_multicore;
    const char *knob; /* value of the knob dev, or NULL */
} mpjrun_devices[] = {
    {"multicore", 1, NULL}, {"smpdev", 1, NULL},   {"niodev", 0, "tcpdev"}, {"hybdev", 0, "hybdev"},
    {"native", 0, NULL},    {"smdev", 0, "smdev"}, {"iodev", 0, "tcpdev"},  {"mpidev", 0, "mpidev"},
};

enum { MPJRUN_DEVICE_COUNT = sizeof mpjrun_devices / sizeof mpjrun_devices[0] };

static int mpjrun_is_ours(const char *device)
{
    for (size_t i = 0; i < cor_device_kind_count; i++)
        if (strcmp(device, cor_device_kinds[i].name) == 0)
            return 1;
    return 0;
}

static const run_option_table mpjrun_options = {"mpjrun", mpjrun_rows, sizeof mpjrun_rows / sizeof *mpjrun_rows};

const run_option_table *cor_mpjrun_options(void)
{
    return &mpjrun_options;
}

static run_option_table mpjrun_table(const mpjrun_request *request)
{
    return (run_option_table){request->command_name, mpjrun_options.rows, mpjrun_options.count};
}

static void mpjrun_usage(const mpjrun_request *request)
{
    printf("usage: %s [options] [JVM options] (Class | -jar FILE) [arguments]\n"
           "Starts a Java program as the ranks of one parallel job, on this host or on others.\n"
           "\n",
           request->command_name);
    cor_run_option_text_rows(&mpjrun_options);
    puts("  -Xmx..., -D..., -ea   and all other options with a dash go to the JVM");
}

/* The devices of the older libraries come first: theirs is the meaning of a name that we have, too. */
static int mpjrun_take_device(mpjrun_request *request, const char *name)
{
    for (size_t i = 0; i < MPJRUN_DEVICE_COUNT; i++)
        if (strcmp(name, mpjrun_devices[i].name) == 0) {
            request->device = name;
            request->is_multicore = mpjrun_devices[i].is_multicore;
            request->device_knob = mpjrun_devices[i].knob;
            return 0;
        }
    if (mpjrun_is_ours(name)) {
        request->device = request->device_knob = name;
        request->is_multicore = 0;
        return 0;
    }
    fprintf(stderr, "%s: -dev is \"%s\"; it must be one of ", request->command_name, name);
    for (size_t i = 0; i < MPJRUN_DEVICE_COUNT; i++)
        if (!mpjrun_is_ours(mpjrun_devices[i].name))
            fprintf(stderr, "%s|", mpjrun_devices[i].name);
    fputs(COR_DEVICE_NAMES "\n", stderr);
    return -1;
}

/* A class in a package, as all classes of modules are. */
static int mpjrun_take_module(mpjrun_request *request, const run_option_match *match)
{
    const char *slash = strchr(match->values[0], '/');
    if (!slash || slash == match->values[0] || !strchr(slash + 1, '.')) {
        fprintf(stderr, "%s: %s is \"%s\"; it must be MODULE/PACKAGE.CLASS\n", request->command_name, match->word,
                match->values[0]);
        return -1;
    }
    request->module = match->values[0];
    request->main_class = slash + 1;
    return 0;
}

static int mpjrun_apply(mpjrun_request *request, const run_option_match *match, int *has_machines)
{
    run_option_table table = mpjrun_table(request);
    const char *value = match->values[0];
    switch ((enum mpjrun_option_id)match->option->id) {
    case MPJ_SIZE:
        return cor_run_option_number(&table, match, 1, &request->size);
    case MPJ_DEVICE:
        return mpjrun_take_device(request, value);
    case MPJ_MACHINES:
        *has_machines = 1;
        return cor_host_list_read(&request->cluster.list, request->command_name, value);
    case MPJ_PER_NODE:
        return cor_run_option_number(&table, match, 1, &request->cluster.per_node);
    case MPJ_PLAIN_ARGS:
        request->has_plain_args = 1;
        return 0;
    case MPJ_WDIR:
        request->wdir = value;
        return 0;
    case MPJ_CLASS_PATH:
        request->class_path = value;
        return 0;
    case MPJ_JAR:
        request->jar = value;
        return 0;
    case MPJ_CLASS:
        request->main_class = value;
        return 0;
    case MPJ_MODULE:
        return mpjrun_take_module(request, match);
    case MPJ_MODULE_PATH:
        request->module_path = value;
        return 0;
    case MPJ_NOTICE:
        fprintf(stderr, "%s: notice: %s %s\n", request->command_name, match->word, match->option->help);
        return 0;
    case MPJ_REFUSED:
        fprintf(stderr, "%s: %s %s\n", request->command_name, match->word, match->option->help);
        return -1;
    case MPJ_HELP:
        request->is_answered = 1;
        mpjrun_usage(request);
        return 0;
    case MPJ_VERSION:
        request->is_answered = 1;
        return cor_run_option_version();
    }
    return 0;
}

/* JVM options that take the next word as their value. */
static int mpjrun_jvm_takes_word(const char *word)
{
    static const char *const words[] = {"--add-modules",         "--add-opens",           "--add-exports",
                                        "--add-reads",           "--limit-modules",       "--patch-module",
                                        "--upgrade-module-path", "--enable-native-access"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0)
            return 1;
    return 0;
}

/* Options end at the first other word or at -jar or -class; the rest belongs to the program. */
static int mpjrun_take_options(mpjrun_request *request, char **argv, int *at)
{
    run_option_table table = mpjrun_table(request);
    int has_machines = 0;
    while (argv[*at] && cor_run_option_is(argv[*at]) && !request->is_answered && !request->jar &&
           !request->main_class) {
        run_option_match match;
        int code = cor_run_option_take(&table, argv, at, &match);
        if (code == -2 || (code == 0 && mpjrun_apply(request, &match, &has_machines) != 0))
            return -1;
        if (code == 0)
            continue;
        /* Unknown to us: an option of the JVM. */
        cor_run_list_add(&request->jvm, "%s", argv[*at]);
        if (mpjrun_jvm_takes_word(argv[(*at)++]) && argv[*at])
            cor_run_list_add(&request->jvm, "%s", argv[(*at)++]);
    }
    if (!request->device)
        request->is_multicore = !has_machines && !request->module;
    if (request->module && request->is_multicore) {
        fprintf(stderr, "%s: -m needs a JVM for each rank; -dev %s runs ranks as threads of one\n",
                request->command_name, request->device);
        return -1;
    }
    /* Ranks per host give the number of ranks only where hosts are counted. */
    if (request->size == 0 && (request->is_multicore || request->cluster.per_node == 0))
        request->size = request->cluster.per_node > 0 ? request->cluster.per_node : 1;
    return 0;
}

int cor_mpjrun_parse(mpjrun_request *request, int argc, char **argv)
{
    memset(request, 0, sizeof *request);
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    request->command_name = slash ? slash + 1 : argc > 0 ? argv[0] : "mpjrun";
    request->cluster.may_oversubscribe = 1; /* a host list without slots does not set the number of ranks */
    int at = 1;
    if (mpjrun_take_options(request, argv, &at) != 0)
        return -1;
    if (request->is_answered)
        return 0;
    if (!request->jar && !request->main_class)
        request->main_class = argv[at] ? argv[at++] : NULL;
    if (!request->jar && !request->main_class) {
        fprintf(stderr, "%s: no class and no -jar given; see `%s -h`\n", request->command_name, request->command_name);
        return -1;
    }
    request->arguments = argv + at;
    return 0;
}

void cor_mpjrun_fini(mpjrun_request *request)
{
    cor_run_list_fini(&request->jvm);
    cor_run_cluster_fini(&request->cluster);
}
