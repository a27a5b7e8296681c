/* SPDX-License-Identifier: Apache-2.0 */
/* Two hosts on one machine: network namespaces joined by a veth pair, with nothing else on it. Names hold the number of
 * this process, so that two runs do not meet; what a run that was ended by force has left is removed by the next. */
#include "tools/bench/bench_system.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char netns_up[] = "set -e\n"
                               "for name in $(ip netns list | grep -Eo '^corunna-bench-[0-9]+-[ab]'); do\n"
                               "    owner=${name#corunna-bench-}\n"
                               "    kill -0 ${owner%-?} 2> /dev/null || ip netns del $name\n"
                               "done\n"
                               "for side in a b; do\n"
                               "    ip netns add $1-$side\n"
                               "    ip -n $1-$side link set lo up\n"
                               "done\n"
                               "ip link add veth0 netns $1-a type veth peer name veth0 netns $1-b\n"
                               "ip -n $1-a addr add " BENCH_NETNS_FIRST "/30 dev veth0\n"
                               "ip -n $1-b addr add " BENCH_NETNS_SECOND "/30 dev veth0\n"
                               "ip -n $1-a link set veth0 up\n"
                               "ip -n $1-b link set veth0 up\n";

static const char netns_down[] = "for side in a b; do [ ! -e /run/netns/$1-$side ] || ip netns del $1-$side; done";

/* Like ssh it puts the words of the command together and gives them to a shell. A host name of its own, or libraries
 * would take both for one host. */
#define NETNS_AGENT                                                                                                   \
    "#!/bin/sh\n"                                                                                                     \
    "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"                                                                \
    "space=%s-b\n"                                                                                                    \
    "[ \"$1\" != " BENCH_NETNS_FIRST " ] || space=${space%%-b}-a\n"                                                   \
    "shift\n"                                                                                                         \
    "exec ip netns exec $space unshare --uts sh -c \"hostname $space; $*\"\n"

static void netns_name(char out[BENCH_NAME_MAX])
{
    snprintf(out, BENCH_NAME_MAX, "corunna-bench-%ld", (long)getpid());
}

static int netns_run(const bench_places *places, const char *script, char why[BENCH_WHY_MAX])
{
    char name[BENCH_NAME_MAX];
    bench_words words = {0};
    netns_name(name);
    bench_words_add(&words, "sh");
    bench_words_add(&words, "-c");
    bench_words_add(&words, "%s", script);
    bench_words_add(&words, "sh");
    bench_words_add(&words, "%s", name);
    return bench_system_run(places, &words, why);
}

static int netns_write_agent(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char path[BENCH_PATH_MAX], name[BENCH_NAME_MAX];
    netns_name(name);
    snprintf(path, sizeof path, "%s/agent", places->work);
    FILE *file = fopen(path, "w");
    int is_written = file && fprintf(file, NETNS_AGENT, name) > 0;
    if (file && (fclose(file) != 0 || chmod(path, 0755) != 0))
        is_written = 0;
    if (!is_written)
        snprintf(why, BENCH_WHY_MAX, "cannot write %.300s: %s", path, strerror(errno));
    return is_written;
}

int bench_netns_up(const bench_places *places, char why[BENCH_WHY_MAX])
{
    static const char *const tools[] = {"ip", "unshare", "hostname"};
    if (geteuid() != 0) {
        snprintf(why, BENCH_WHY_MAX, "network namespaces need root");
        return 0;
    }
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (!bench_system_is_in_path(tools[i])) {
            snprintf(why, BENCH_WHY_MAX, "there is no %s", tools[i]);
            return 0;
        }
    if (netns_write_agent(places, why) && netns_run(places, netns_up, why))
        return 1;
    bench_netns_down(places);
    return 0;
}

void bench_netns_down(const bench_places *places)
{
    char why[BENCH_WHY_MAX];
    /* Also after ^C, which would end this command as any other. */
    bench_interrupts none = {.fd = -1};
    bench_places quiet = *places;
    quiet.interrupts = &none;
    netns_run(&quiet, netns_down, why);
}

void bench_netns_add_first(const bench_launch *launch, bench_words *words)
{
    char name[BENCH_NAME_MAX];
    if (!launch->is_netns)
        return;
    netns_name(name);
    bench_words_add(words, "%s/agent", launch->places->work);
    bench_words_add(words, BENCH_NETNS_FIRST);
    bench_words_add(words, "exec");
}
