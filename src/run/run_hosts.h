/* Lists of machines as other launchers take them. This launcher starts ranks on its own machine only, so such a list
 * is welcome as long as it names no other. */
#ifndef COR_RUN_HOSTS_H
#define COR_RUN_HOSTS_H

/* Names separated by commas, each possibly with a count ("node:4"). 0, or -1 after one sentence. */
int cor_run_hosts_check_list(const char *speaker, const char *list);

/* A file with one machine a line; '#' begins a comment, words after the name do not matter. 0, or -1 likewise. */
int cor_run_hosts_check_file(const char *speaker, const char *path);

#endif
