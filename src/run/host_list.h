/*
 * Which machines a job may use, as the lists and files of other launchers and Slurm's environment name them.
 *
 * A machine that is named twice is one entry with the slots of both; all the names this machine goes by are one entry
 * too. Whoever gives a machine no number of slots gives it one a mention, and does not mind if it gets more ranks.
 */
#ifndef COR_RUN_HOST_LIST_H
#define COR_RUN_HOST_LIST_H

typedef struct host_entry {
    char *name;
    int slots;
    int is_stated;   /* the number of slots was given */
    int slots_max;   /* 0: no limit */
    int is_here;     /* this machine */
    char *interface; /* name or address by which its ranks are to be called; NULL: not said */
} host_entry;

typedef struct host_list {
    host_entry *items;
    int count, room;
    int *buckets; /* 2 * room, by the hash of the name: which item, from 1; 0: none */
    int here;     /* which item is this machine, from 1; 0: none */
} host_list; /* zero-initialise it */

/* Names separated by commas, each possibly with slots: "a:4,b:4", "[fe80::1]:2". 0, or -1 after one sentence. */
int cor_host_list_add(host_list *list, const char *speaker, const char *names);

/* A file with one machine a line, as Open MPI ("a slots=4 max_slots=8"), MPICH ("a:4 ifhn=a-ib") and MPJ Express ("a")
 * take it; '#' begins a comment. Words of theirs that are of no use here are told once and passed over. 0, or -1 after
 * one sentence that names file, line and word. */
int cor_host_list_read(host_list *list, const char *speaker, const char *path);

/* Slurm's forms: nodes "n[1-3,7],m05" and tasks "4(x2),3,1". 0, or -1 after one sentence. */
int cor_host_list_add_slurm(host_list *list, const char *speaker, const char *nodes, const char *tasks);

void cor_host_list_fini(host_list *list);

/* ---- parts of the forms above ----------------------------------------------------------------------------------- */

/* What is said of a machine at one place. */
typedef struct host_mention {
    const char *name; /* not terminated */
    int length;
    int slots, slots_max;  /* 0: not stated */
    const char *interface; /* NULL: not stated */
} host_mention;

/* 0, or -1 after one sentence, which begins with `where`, as do those of the next ones. */
int cor_host_list_put(host_list *list, const char *where, const host_mention *mention);

/* Name and slots of "name:4" or "[::1]:4"; "::1" is all name. 0 or -1. */
int cor_host_cut(const char *where, const char *word, int length, host_mention *mention_p);

/* A number of slots, or -1. */
int cor_host_slots(const char *where, const char *text, int length);

/* Can this be a name or an address, with a user before it for ssh or without? Says nothing. */
int cor_host_is_name(const char *name, int length);

#endif
