/* SPDX-License-Identifier: Apache-2.0 */
/* The command line and the environment of a launcher that starts processes for a program. */
#ifndef COR_DYNAMIC_SPAWN_WORDS_H
#define COR_DYNAMIC_SPAWN_WORDS_H

#include "dynamic/dynamic.h"

typedef struct spawn_words {
    char **list; /* NULL-terminated; the first is the path of `corunna` */
    int count;
    char *parent; /* the setting that names the port */
} spawn_words;

/* COR_ERR_SPAWN: no launcher was found. */
int spawn_words_make(spawn_words *words, const cor_spawn_program *programs, int count, const char *port,
                     cor_fault *fault);
void spawn_words_free(spawn_words *words);

/* The environment of this process, with the port and the leash of the new one; NULL: no memory. */
char **spawn_settings(const spawn_words *words, const char *leash);
void spawn_settings_free(char **settings);

#endif
