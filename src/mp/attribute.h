/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes: values that a program hangs on communicators and datatypes under keys of its own.
 *
 * A key is a small number; behind it stand two functions that copy and delete a value. The faces give them: what they
 * pass on to the program is theirs. Both may call the library, so no lock is held while they run; both return 0 or a
 * code of the face's, above 0, that ends the operation and is passed up as it is. Keys live in a table of the rank,
 * values in a cor_attributes inside the object. A key that was freed works on for the values it has, until the last of
 * them is gone; the program may have kept its number.
 *
 * Threads: several may use one object at once. A zeroed cor_attributes is empty. An object without a value costs
 * nothing. Beside the keys' codes the functions give 0 or COR_ERR_MEMORY.
 */
#ifndef COR_MP_ATTRIBUTE_H
#define COR_MP_ATTRIBUTE_H

#include "mp/mp.h"

typedef struct cor_key cor_key;
typedef struct cor_attribute cor_attribute;

typedef struct cor_attributes {
    cor_attribute *last; /* the one set last comes first */
} cor_attributes;

/* What objects a key is for. */
typedef enum cor_key_kind { COR_KEY_COMM, COR_KEY_TYPE, COR_KEY_WIN } cor_key_kind;

typedef struct cor_key_ops {
    /* At a dup: *copy_p and *is_copied_p say what the copy gets. NULL: nothing is ever copied. */
    int (*copy)(const cor_key *key, void *object, void *value, void **copy_p, int *is_copied_p);
    /* The value goes: the object, the attribute, or its place is taken by another value. NULL: nothing is called. */
    int (*discard)(const cor_key *key, void *object, void *value);
} cor_key_ops;

/* What the functions may ask of the key they are called for. */
struct cor_key {
    int number;
    cor_key_kind kind;
    const cor_key_ops *ops;
    void *state;                /* the maker's */
    void (*functions[2])(void); /* the program's own, for the face to keep here */
    int references, is_freed;   /* one of the program, one a value; under the table's lock */
    cor_key *next;
};

/* The rank's keys. Numbers start at COR_KEY_FIRST and are not given again. */
enum { COR_KEY_FIRST = 1024 };
typedef struct cor_keys cor_keys;
int cor_keys_create(cor_keys **keys_p); /* COR_OK or COR_ERR_MEMORY */
void cor_keys_destroy(cor_keys *keys);  /* after the last attribute is gone */

/* Copies *model, of which number, references, is_freed and next are ignored. */
int cor_key_create(cor_keys *keys, const cor_key *model, int *number_p);
/* What a number is among the keys of a kind: none of them, one in use, or one that was freed and still has values. */
typedef enum cor_key_state { COR_KEY_NONE, COR_KEY_USABLE, COR_KEY_FREED } cor_key_state;
cor_key_state cor_key_state_of(cor_keys *keys, cor_key_kind kind, int number);
/* Freeing again what is freed changes nothing. */
void cor_key_free(cor_keys *keys, int number);

/* `object` is what the key's functions get. The key is usable. Setting where there is a value already discards that
 * one first; if that fails the old value stays. */
int cor_attribute_set(cor_keys *keys, cor_attributes *attributes, void *object, int number, void *value);
/* 1 and the value, or 0. */
int cor_attribute_get(cor_keys *keys, const cor_attributes *attributes, int number, void **value_p);
/* Nothing there is no failure. When the key's function fails the value stays. */
int cor_attribute_delete(cor_keys *keys, cor_attributes *attributes, void *object, int number);

/* A dup of `object` gets what the keys' functions copy, in the order of setting. On failure `copy` is left as it is so
 * far; the caller discards it. */
int cor_attributes_copy(cor_keys *keys, cor_attributes *copy, const cor_attributes *attributes, void *object);
/* The object goes: discard all, the last set first. Stops at the first failure, with the rest still there. */
int cor_attributes_discard(cor_keys *keys, cor_attributes *attributes, void *object);
/* Forget all and call nothing: the end of the library. */
void cor_attributes_drop(cor_keys *keys, cor_attributes *attributes);

#endif
