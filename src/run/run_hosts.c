#define _GNU_SOURCE
#include "run/run_hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Is it this machine, by any of the names it goes by? A domain after either name does not matter. */
static int hosts_is_here(const char *name, size_t length)
{
    static const char *const local[] = {
        "localhost", "localhost.localdomain", "ip6-localhost", "127.0.0.1", "127.0.1.1", "::1"};
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
        if (strlen(local[i]) == length && strncasecmp(local[i], name, length) == 0)
            return 1;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (strlen(host) == length && strncasecmp(host, name, length) == 0)
        return 1;
    size_t shortest = strcspn(host, ".");
    const char *dot = memchr(name, '.', length);
    size_t name_shortest = dot ? (size_t)(dot - name) : length;
    /* Both with different domains are different machines. */
    int same_domain = !dot || !host[shortest];
    return same_domain && shortest == name_shortest && strncasecmp(host, name, shortest) == 0;
}

static int hosts_check(const char *speaker, const char *name, size_t length)
{
    /* "node:4" and "node slots=4" are a name and a count; "::1" is a name. */
    const char *colon = memchr(name, ':', length);
    if (colon && colon != name && !memchr(colon + 1, ':', length - (size_t)(colon + 1 - name)))
        length = (size_t)(colon - name);
    if (length == 0 || hosts_is_here(name, length))
        return 0;
    fprintf(stderr, "%s: %.*s is another machine; this release starts ranks on one machine only, its own\n", speaker,
            (int)length, name);
    return -1;
}

int cor_run_hosts_check_list(const char *speaker, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        if (hosts_check(speaker, list, length) != 0)
            return -1;
        list += length + (list[length] == ',');
    }
    return 0;
}

int cor_run_hosts_check_file(const char *speaker, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "%s: cannot read the list of machines %s: %s\n", speaker, path, strerror(errno));
        return -1;
    }
    char *line = NULL;
    size_t room = 0;
    int code = 0;
    while (code == 0 && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "#\r\n")] = '\0';
        const char *name = line + strspn(line, " \t");
        code = hosts_check(speaker, name, strcspn(name, " \t"));
    }
    free(line);
    fclose(file);
    return code;
}
