/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hosts of a job, from host lists, host files and Slurm's environment.
 *
 * A host that is named twice is one entry with the slots of both; all names of this machine are one entry too. A host
 * without a number of slots has one slot per spec and may get more ranks.
 */
#ifndef COR_RUN_HOST_LIST_H
#define COR_RUN_HOST_LIST_H

typedef struct host_entry {
    char *name;
    int slots;
    int is_stated;   /* the number of slots was given */
    int slots_max;   /* 0: no limit */
    int is_here;     /* this machine */
    char *interface; /* name or address that its ranks listen on; NULL: not given */
} host_entry;

typedef struct host_list {
    host_entry *items;
    int count, room;
    int *buckets; /* 2 * room, by the hash of the name: which item, from 1; 0: none */
    int here;     /* which item is this machine, from 1; 0: none */
} host_list;      /* zero-initialise it */

/* Names separated by commas, each possibly with slots: "a:4,b:4", "[fe80::1]:2". 0, or -1 after a message. */
int cor_host_list_add(host_list *list, const char *command_name, const char *names);

/* A file with one machine a line, as Open MPI ("a slots=4 max_slots=8"), MPICH ("a:4 ifhn=a-ib") and MPJ Express ("a")
 * take it; '#' begins a comment. Words that have no use here are reported once and ignored. 0, or -1 after a message
 * that names file, line and word. */
int cor_host_list_read(host_list *list, const char *command_name, const char *path);

/* Slurm's forms: nodes "n[1-3,7],m05" and tasks "4(x2),3,1". 0, or -1 after a message. */
int cor_host_list_add_slurm(host_list *list, const char *command_name, const char *nodes, const char *tasks);

/* Which item has this name; -1: none. */
int cor_host_list_find(const host_list *list, const char *name, int length);

void cor_host_list_fini(host_list *list);

/* ---- parts of the forms above ----------------------------------------------------------------------------------- */

/* One spec of a host. */
typedef struct host_spec {
    const char *name; /* not terminated */
    int length;
    int slots, slots_max;  /* 0: not stated */
    const char *interface; /* NULL: not stated */
} host_spec;

/* 0, or -1 after a message, which begins with `where`, as do those of the next functions. */
int cor_host_list_put(host_list *list, const char *where, const host_spec *spec);

/* Name and slots of "name:4" or "[::1]:4"; "::1" is a name. 0 or -1. */
int cor_host_parse(const char *where, const char *word, int length, host_spec *spec_p);

/* A number of slots, or -1. */
int cor_host_slots(const char *where, const char *text, int length);

/* Is this a valid name or address, optionally with a user for ssh before it? Prints nothing. */
int cor_host_is_name(const char *name, int length);

#endif
