/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna mpjrun`, also as mpjrun, mpjrun.sh and fmpjrun: a Java program as threads of one JVM or as one JVM per
 * rank. */
#define _GNU_SOURCE
#include "launch/job/run_front.h"
#include "launch/job/run_other.h"
#include "launch/job/run_watch.h"
#include "launch/options/launcher.h"
#include "launch/options/mpjrun_options.h"
#include "launch/options/run_tuned.h"
#include "launch/run_java.h"
#include "launch/run_path.h"
#include "launch/run_plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A class path without any existing entry is a typing mistake; a missing entry is not, Java ignores it too. */
static int mpjrun_check_path(const mpjrun_request *request, const char *path)
{
    char part[PATH_MAX];
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        size_t kept = strlen(part);
        /* "lib/" and "lib/ *" mean the folder. */
        if (kept > 1 && part[kept - 1] == '*')
            part[kept - 1] = '\0';
        if (length == 0 || access(part, F_OK) == 0)
            return 0;
        at += length + (at[length] == ':');
    }
    fprintf(stderr, "%s: no entry of the class path \"%s\" exists\n", request->command_name, path);
    return -1;
}

static const char *mpjrun_class_path(const mpjrun_request *request)
{
    const char *inherited = getenv("CLASSPATH");
    return request->class_path ? request->class_path : inherited && *inherited ? inherited : ".";
}

/* Mistakes that a JVM would report late, many times or not at all. */
static int mpjrun_check(const mpjrun_request *request, char *jar, size_t room)
{
    if (!cor_run_path_jar(jar, room)) {
        fprintf(stderr, "%s: cannot read %s; CORUNNA_JAR can name another jar\n", request->command_name, jar);
        return -1;
    }
    if (request->wdir && chdir(request->wdir) != 0) {
        fprintf(stderr, "%s: cannot change to the directory %s: %s\n", request->command_name, request->wdir,
                strerror(errno));
        return -1;
    }
    if (request->jar && access(request->jar, R_OK) != 0) {
        fprintf(stderr, "%s: cannot read %s: %s\n", request->command_name, request->jar, strerror(errno));
        return -1;
    }
    return request->class_path ? mpjrun_check_path(request, request->class_path) : 0;
}

/* The program and its arguments, which end the command line in both modes. */
static void mpjrun_add_program(run_list *command, const mpjrun_request *request)
{
    if (request->jar) {
        cor_run_list_add(command, "-jar");
        cor_run_list_add(command, "%s", request->jar);
    } else {
        cor_run_list_add(command, "%s", request->main_class);
    }
    for (char **argument = request->arguments; *argument; argument++)
        cor_run_list_add(command, "%s", *argument);
}

/* The module of -m, and our jar as the module that it requires; our code may call its main. */
static void mpjrun_add_module(run_list *command, const mpjrun_request *request, const char *jar)
{
    const char *path = request->module_path;
    if (path || request->module)
        cor_run_list_add(command, "-p");
    if (!request->module) {
        if (path)
            cor_run_list_add(command, "%s", path);
        return;
    }
    int module = (int)strcspn(request->module, "/");
    int package = (int)(strrchr(request->main_class, '.') - request->main_class);
    cor_run_list_add(command, "%s%s%s", path ? path : "", path ? ":" : "", jar);
    cor_run_list_add(command, "--add-modules");
    cor_run_list_add(command, "%.*s", module, request->module);
    cor_run_list_add(command, "--add-exports");
    cor_run_list_add(command, "%.*s/%.*s=ALL-UNNAMED,corunna", module, request->module, package, request->main_class);
}

/* is_here: all ranks run on this host; other hosts may have another Java. */
static void mpjrun_command(run_list *command, const mpjrun_request *request, const char *jar, int is_here)
{
    const char *home = getenv("JAVA_HOME");
    if (home && *home)
        cor_run_list_add(command, "%s/bin/java", home);
    else
        cor_run_list_add(command, "java");
    if (is_here && !request->is_multicore && cor_run_java_version(command->items[0]) >= RUN_JAVA_WARNS_OF_LIBRARIES)
        cor_run_list_add(command, "--enable-native-access=ALL-UNNAMED%s", request->module ? ",corunna" : "");
    for (size_t i = 0; i < request->jvm.count; i++)
        cor_run_list_add(command, "%s", request->jvm.items[i]);
    mpjrun_add_module(command, request, jar);
    if (request->is_multicore) {
        /* Each rank's class loader loads its own copy of the user's classes; the JVM's class path has only ours. */
        cor_run_list_add(command, "-jar");
        cor_run_list_add(command, "%s", jar);
        cor_run_list_add(command, "-np");
        cor_run_list_add(command, "%d", request->size);
        cor_run_list_add(command, "-cp");
        cor_run_list_add(command, "%s", mpjrun_class_path(request));
    } else {
        cor_run_list_add(command, "-cp");
        cor_run_list_add(command, "%s:%s", jar, request->jar ? request->jar : mpjrun_class_path(request));
        cor_run_list_add(command, "-Dcorunna.mpjrun=true");
        cor_run_list_add(command, "corunna.run.RankJob");
    }
    if (request->device) {
        cor_run_list_add(command, "-dev");
        cor_run_list_add(command, "%s", request->device);
    }
    if (request->has_plain_args)
        cor_run_list_add(command, "-plain-args");
    mpjrun_add_program(command, request);
}

/* All ranks in one JVM. */
static int mpjrun_exec(const mpjrun_request *request, const char *jar, run_list *list)
{
    mpjrun_command(list, request, jar, 1);
    cor_run_use_tuned(request->command_name, NULL);
    char **command = list->items;
    execvp(command[0], command);
    fprintf(stderr, "%s: cannot run %s: %s\n", request->command_name, command[0], strerror(errno));
    return errno == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE;
}

/* One JVM per rank. */
static int mpjrun_start(mpjrun_request *request, const char *jar, run_list *command)
{
    run_list settings = {0}, overrides = {0};
    int status = RUN_STATUS_USAGE;
    cor_run_list_add(&settings, "CORUNNA_JAR=%s", jar);
    if (request->device_knob) {
        cor_run_list_add(&settings, "CORUNNA_DEV=%s", request->device_knob);
        cor_run_list_add(&overrides, "dev=%s", request->device_knob);
    }
    const char *const *chosen = (const char *const *)overrides.items;
    run_program program = {.count = request->size};
    run_plan plan = {.command_name = request->command_name,
                     .size = request->size,
                     .programs = &program,
                     .program_count = 1,
                     .settings = settings.items};
    int is_other = cor_run_needs_other(chosen);
    if (is_other ||
        (cor_run_cluster_plan(&request->cluster, NULL, &plan) == 0 && cor_run_watch_load(&plan, NULL) == 0)) {
        mpjrun_command(command, request, jar, is_other ? request->cluster.list.count == 0 : plan.host_count <= 1);
        program.argv = command->items;
        if (!is_other && plan.host_count <= 1)
            cor_run_use_tuned(request->command_name, settings.items);
        status = is_other ? cor_run_exec_other(&plan, &request->cluster, chosen) : cor_run_plan(&plan);
    }
    cor_run_list_fini(&settings);
    cor_run_list_fini(&overrides);
    return status;
}

int cor_command_mpjrun(int argc, char **argv)
{
    mpjrun_request request;
    run_list command = {0};
    char jar[PATH_MAX];
    int status = RUN_STATUS_USAGE;
    if (cor_mpjrun_parse(&request, argc, argv) == 0) {
        if (request.is_answered) {
            status = 0;
        } else if (mpjrun_check(&request, jar, sizeof jar) == 0) {
            status =
                request.is_multicore ? mpjrun_exec(&request, jar, &command) : mpjrun_start(&request, jar, &command);
        }
    }
    cor_run_list_fini(&command);
    cor_mpjrun_fini(&request);
    return status;
}
