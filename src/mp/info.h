/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Info objects: (key, value) pairs of text, in the order in which the keys were first set. Not locked: a program that
 * shares one between threads must lock it.
 */
#ifndef COR_MP_INFO_H
#define COR_MP_INFO_H

#include "base/error.h"

#include <stddef.h>

typedef struct cor_info cor_info;

cor_info *cor_info_create(void);              /* NULL: no memory */
cor_info *cor_info_dup(const cor_info *info); /* likewise */
void cor_info_destroy(cor_info *info);        /* NULL is fine */

int cor_info_set(cor_info *info, const char *key, const char *value); /* COR_OK or COR_ERR_MEMORY */
int cor_info_delete(cor_info *info, const char *key);                 /* 1 if it was there, else 0 */
const char *cor_info_get(const cor_info *info, const char *key);      /* NULL: not there */
int cor_info_count(const cor_info *info);
const char *cor_info_key(const cor_info *info, int index); /* 0 .. count - 1 */

/* What is known of how this program was started: command, argv, maxprocs, host, arch, wdir, thread_level where they
 * can be found out. `size` is the number of ranks, 0 while it is unknown. */
int cor_info_fill_env(cor_info *info, int size, const char *thread_level);

#endif
