/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's compact lists of nodes. */
#define _GNU_SOURCE
#include "launch/hosts/host_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLURM_NAME_MAX = 255, SLURM_HOSTS_MAX = 1 << 18, SLURM_DIGITS_MAX = 9 };

/* State of an expansion. */
typedef struct slurm_walk {
    host_list *list;
    const char *where;
    const char *tasks; /* the rest of the tasks, NULL when they were not given */
    int repeat;        /* how many more hosts have the current number of tasks */
    int current;
    int given; /* hosts so far */
} slurm_walk;

static int slurm_refuse(const slurm_walk *walk, const char *what, const char *text)
{
    fprintf(stderr, "%s: cannot parse Slurm's %s \"%.100s\"\n", walk->where, what, text);
    return -1;
}

/* The number at *at, which is moved behind it; -1 if there is none or it is too long. */
static int slurm_number(const char **at, int *digits_p)
{
    int value = 0, digits = 0;
    for (; **at >= '0' && **at <= '9'; ++*at, digits++) {
        if (digits == SLURM_DIGITS_MAX)
            return -1;
        value = 10 * value + (**at - '0');
    }
    *digits_p = digits;
    return digits ? value : -1;
}

/* The tasks of the next host: "4(x2),3". */
static int slurm_next_tasks(slurm_walk *walk)
{
    if (!walk->tasks)
        return 0;
    if (walk->repeat == 0) {
        const char *at = walk->tasks;
        int digits;
        walk->current = slurm_number(&at, &digits);
        walk->repeat = 1;
        if (walk->current > 0 && at[0] == '(' && at[1] == 'x') {
            at += 2;
            walk->repeat = slurm_number(&at, &digits);
            at = walk->repeat > 0 && *at == ')' ? at + 1 : "?";
        }
        if (walk->current < 1 || (*at && *at != ','))
            return slurm_refuse(walk, "SLURM_TASKS_PER_NODE", walk->tasks);
        walk->tasks = at + (*at == ',');
    }
    walk->repeat--;
    return walk->current;
}

static int slurm_put(slurm_walk *walk, const char *name, int length)
{
    int tasks = slurm_next_tasks(walk);
    if (tasks < 0)
        return -1;
    if (++walk->given > SLURM_HOSTS_MAX)
        return slurm_refuse(walk, "node list", "with more than 262144 nodes");
    return cor_host_list_put(walk->list, walk->where, &(host_spec){.name = name, .length = length, .slots = tasks});
}

static int slurm_expand(slurm_walk *walk, const char *prefix, int prefix_length, const char *rest, int rest_length);

/* The numbers of one bracket, each followed by the text after the bracket. */
static int slurm_bracket(slurm_walk *walk, const char *prefix, int prefix_length, const char *inside, const char *rest,
                         int rest_length)
{
    for (const char *at = inside; *at != ']';) {
        int digits, ignored;
        int first = slurm_number(&at, &digits), last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = slurm_number(&at, &ignored);
        }
        if (first < 0 || last < first || (*at != ',' && *at != ']'))
            return slurm_refuse(walk, "node list", inside);
        at += *at == ',';
        for (int number = first; number <= last; number++) {
            char name[SLURM_NAME_MAX + 16];
            int length = snprintf(name, sizeof name, "%.*s%0*d", prefix_length, prefix, digits, number);
            if (length > SLURM_NAME_MAX || slurm_expand(walk, name, length, rest, rest_length) != 0)
                return length > SLURM_NAME_MAX ? slurm_refuse(walk, "node list", prefix) : -1;
        }
    }
    return 0;
}

/* One element of the list; `prefix` is the expanded part of it. */
static int slurm_expand(slurm_walk *walk, const char *prefix, int prefix_length, const char *rest, int rest_length)
{
    char name[SLURM_NAME_MAX + 1];
    const char *open = memchr(rest, '[', (size_t)rest_length);
    int plain = open ? (int)(open - rest) : rest_length;
    if (prefix_length + plain > SLURM_NAME_MAX)
        return slurm_refuse(walk, "node list", rest);
    memcpy(name, prefix, (size_t)prefix_length);
    memcpy(name + prefix_length, rest, (size_t)plain);
    name[prefix_length + plain] = '\0';
    if (!open)
        return slurm_put(walk, name, prefix_length + plain);
    const char *close = memchr(open, ']', (size_t)(rest_length - plain));
    if (!close)
        return slurm_refuse(walk, "node list", rest);
    return slurm_bracket(walk, name, prefix_length + plain, open + 1, close + 1,
                         rest_length - (int)(close + 1 - rest));
}

/* The end of the first element: a comma outside brackets. */
static int slurm_word(const char *nodes)
{
    int is_inside = 0, length = 0;
    for (; nodes[length] && (is_inside || nodes[length] != ','); length++)
        is_inside = nodes[length] == '[' || (is_inside && nodes[length] != ']');
    return length;
}

int cor_host_list_add_slurm(host_list *list, const char *command_name, const char *nodes, const char *tasks)
{
    slurm_walk walk = {.list = list, .where = command_name, .tasks = tasks};
    while (*nodes) {
        int length = slurm_word(nodes);
        if (slurm_expand(&walk, "", 0, nodes, length) != 0)
            return -1;
        nodes += length + (nodes[length] == ',');
    }
    return 0;
}
