/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna java`: Java with fast sockets, by the agent in corunna.jar. */
#include "launch/run_java.h"
#include "launch/run_list.h"
#include "launch/run_path.h"
#include "launch/run_plan.h"
#include "tools/tools.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int java_help(void)
{
    puts(
        "usage: corunna java [OPTIONS OF JAVA] CLASS|-jar FILE [ARGUMENTS]\n\n"
        "Runs java (that of JAVA_HOME, if it is set) with an agent that makes all blocking sockets fast: connections\n"
        "between processes of this host that both have fast sockets go through shared memory; all others stay as they "
        "are.\n"
        "The same without this command: java -javaagent:corunna.jar, also in JAVA_TOOL_OPTIONS.");
    return 0;
}

static void java_line(run_list *command, const char *jar, char **arguments)
{
    const char *home = getenv("JAVA_HOME");
    cor_run_list_add(command, "%s%s", home && *home ? home : "", home && *home ? "/bin/java" : "java");
    if (cor_run_java_version(command->items[0]) >= RUN_JAVA_WARNS_OF_LIBRARIES)
        cor_run_list_add(command, "--enable-native-access=ALL-UNNAMED");
    cor_run_list_add(command, "-javaagent:%s", jar);
    for (; *arguments; arguments++)
        cor_run_list_add(command, "%s", *arguments);
}

int cor_command_java(int argc, char **argv)
{
    char jar[PATH_MAX];
    if (argc < 2) {
        fprintf(stderr, "corunna java: no class; `corunna java --help` tells more\n");
        return RUN_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return java_help();
    if (!cor_run_path_jar(jar, sizeof jar)) {
        fprintf(stderr, "corunna java: there is no %s; CORUNNA_JAR can tell where it is\n", jar);
        return 1;
    }
    run_list command = {0};
    java_line(&command, jar, argv + 1);
    execvp(command.items[0], command.items);
    int status = errno == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE;
    fprintf(stderr, "corunna java: cannot run %s: %s\n", command.items[0], strerror(errno));
    cor_run_list_fini(&command);
    return status;
}
