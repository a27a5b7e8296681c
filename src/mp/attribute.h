/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes: values that a program attaches to communicators and datatypes under keys of its own.
 *
 * A key is a small number with two functions that copy and delete a value. The faces provide these functions and decide
 * what they pass on to the program. Both may call the library, so no lock is held while they run; both return 0 or a
 * code of the face, above 0, which ends the operation and is returned unchanged. Keys live in a table of the rank,
 * values in a cor_attributes inside the object. A freed key still serves the values it has, until the last of them is
 * deleted; the program may have kept its number.
 *
 * Threads: several may use one object at once. A zeroed cor_attributes is empty. An object without a value costs
 * nothing. Functions return 0, COR_ERR_MEMORY, or the code of a key's function.
 */
#ifndef COR_MP_ATTRIBUTE_H
#define COR_MP_ATTRIBUTE_H

#include "mp/mp.h"

typedef struct cor_key cor_key;
typedef struct cor_attribute cor_attribute;

typedef struct cor_attributes {
    cor_attribute *last; /* a list, the newest first */
} cor_attributes;

/* What objects a key is for. */
typedef enum cor_key_kind { COR_KEY_COMM, COR_KEY_TYPE, COR_KEY_WIN } cor_key_kind;

typedef struct cor_key_ops {
    /* At a dup: *copy_p and *is_copied_p say what the copy gets. NULL: nothing is ever copied. */
    int (*copy)(const cor_key *key, void *object, void *value, void **copy_p, int *is_copied_p);
    /* Called when the object or the attribute is deleted, or another value replaces this one. NULL: nothing is
     * called. */
    int (*discard)(const cor_key *key, void *object, void *value);
} cor_key_ops;

/* A key, as its functions see it. */
struct cor_key {
    int number;
    cor_key_kind kind;
    const cor_key_ops *ops;
    void *state;                /* the creator's */
    void (*functions[2])(void); /* the program's own, for the face to keep here */
    int references, is_freed;   /* one for the program, one for each value; under the table's lock */
    cor_key *next;
};

/* The rank's keys. Numbers start at COR_KEY_FIRST and are not reused. */
enum { COR_KEY_FIRST = 1024 };
typedef struct cor_keys cor_keys;
int cor_keys_create(cor_keys **keys_p); /* COR_OK or COR_ERR_MEMORY */
void cor_keys_destroy(cor_keys *keys);  /* after the last attribute is gone */

/* Copies *model, of which number, references, is_freed and next are ignored. */
int cor_key_create(cor_keys *keys, const cor_key *model, int *number_p);
/* What a number is among the keys of a kind: none of them, one in use, or one that was freed and still has values. */
typedef enum cor_key_state { COR_KEY_NONE, COR_KEY_USABLE, COR_KEY_FREED } cor_key_state;
cor_key_state cor_key_state_of(cor_keys *keys, cor_key_kind kind, int number);
/* Freeing a freed key again changes nothing. */
void cor_key_free(cor_keys *keys, int number);

/* `object` is what the key's functions get. The key is usable. A value that is there already is discarded first; if
 * that fails, it stays. */
int cor_attribute_set(cor_keys *keys, cor_attributes *attributes, void *object, int number, void *value);
/* 1 and the value, or 0. */
int cor_attribute_get(cor_keys *keys, const cor_attributes *attributes, int number, void **value_p);
/* Not a failure if there is no such value. If the key's function fails, the value stays. */
int cor_attribute_delete(cor_keys *keys, cor_attributes *attributes, void *object, int number);

/* A dup of `object` gets what the keys' functions copy, in the order of setting. On failure `copy` has what was copied
 * so far; the caller discards it. */
int cor_attributes_copy(cor_keys *keys, cor_attributes *copy, const cor_attributes *attributes, void *object);
/* Discard all values before the object is freed, the last set first. Stops at the first failure and keeps the rest. */
int cor_attributes_discard(cor_keys *keys, cor_attributes *attributes, void *object);
/* Drop all values without calling the keys' functions: at the end of the library. */
void cor_attributes_drop(cor_keys *keys, cor_attributes *attributes);

#endif
