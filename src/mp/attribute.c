/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/attribute.h"

#include <pthread.h>
#include <stdlib.h>

struct cor_attribute {
    cor_key *key; /* a reference */
    void *value;
    cor_attribute *before; /* the one set before */
};

struct cor_keys {
    pthread_mutex_t lock;
    cor_key *first;
    int next_number;
};

/* ---- keys ------------------------------------------------------------------------------------------------------- */

int cor_keys_create(cor_keys **keys_p)
{
    cor_keys *keys = calloc(1, sizeof *keys);
    if (!keys)
        return COR_ERR_MEMORY;
    pthread_mutex_init(&keys->lock, NULL);
    keys->next_number = COR_KEY_FIRST;
    *keys_p = keys;
    return COR_OK;
}

void cor_keys_destroy(cor_keys *keys)
{
    while (keys->first) {
        cor_key *key = keys->first;
        keys->first = key->next;
        free(key);
    }
    pthread_mutex_destroy(&keys->lock);
    free(keys);
}

int cor_key_create(cor_keys *keys, const cor_key *model, int *number_p)
{
    cor_key *key = malloc(sizeof *key);
    if (!key)
        return COR_ERR_MEMORY;
    *key = *model;
    key->references = 1;
    key->is_freed = 0;
    pthread_mutex_lock(&keys->lock);
    key->number = keys->next_number++;
    key->next = keys->first;
    keys->first = key;
    pthread_mutex_unlock(&keys->lock);
    *number_p = key->number;
    return COR_OK;
}

/* Under the lock. */
static cor_key *key_find(cor_keys *keys, int number)
{
    cor_key *key = keys->first;
    while (key && key->number != number)
        key = key->next;
    return key;
}

/* Under the lock. */
static void key_unref(cor_keys *keys, cor_key *key)
{
    if (--key->references > 0)
        return;
    cor_key **link = &keys->first;
    while (*link != key)
        link = &(*link)->next;
    *link = key->next;
    free(key);
}

cor_key_state cor_key_state_of(cor_keys *keys, cor_key_kind kind, int number)
{
    cor_key_state state = COR_KEY_NONE;
    pthread_mutex_lock(&keys->lock);
    cor_key *key = key_find(keys, number);
    if (key && key->kind == kind)
        state = key->is_freed ? COR_KEY_FREED : COR_KEY_USABLE;
    pthread_mutex_unlock(&keys->lock);
    return state;
}

void cor_key_free(cor_keys *keys, int number)
{
    pthread_mutex_lock(&keys->lock);
    cor_key *key = key_find(keys, number);
    if (key && !key->is_freed) {
        key->is_freed = 1;
        key_unref(keys, key);
    }
    pthread_mutex_unlock(&keys->lock);
}

/* ---- one attribute ---------------------------------------------------------------------------------------------- */

/* Where the attribute under this key hangs, or the end of the list. Under the lock. */
static cor_attribute **attribute_find(cor_attributes *attributes, int number)
{
    cor_attribute **link = &attributes->last;
    while (*link && (*link)->key->number != number)
        link = &(*link)->before;
    return link;
}

/* Take the attribute out, if it is still there. */
static void attribute_remove(cor_keys *keys, cor_attributes *attributes, cor_attribute *attribute)
{
    pthread_mutex_lock(&keys->lock);
    cor_attribute **link = &attributes->last;
    while (*link && *link != attribute)
        link = &(*link)->before;
    if (*link) {
        *link = attribute->before;
        key_unref(keys, attribute->key);
        free(attribute);
    }
    pthread_mutex_unlock(&keys->lock);
}

static int attribute_discard(cor_attribute *attribute, void *object)
{
    const cor_key *key = attribute->key;
    return key->ops->discard ? key->ops->discard(key, object, attribute->value) : 0;
}

int cor_attribute_delete(cor_keys *keys, cor_attributes *attributes, void *object, int number)
{
    pthread_mutex_lock(&keys->lock);
    cor_attribute *attribute = *attribute_find(attributes, number);
    pthread_mutex_unlock(&keys->lock);
    if (!attribute)
        return 0;
    int code = attribute_discard(attribute, object);
    if (code == 0)
        attribute_remove(keys, attributes, attribute);
    return code;
}

/* A new one at the head. */
static int attribute_add(cor_keys *keys, cor_attributes *attributes, int number, void *value)
{
    cor_attribute *attribute = malloc(sizeof *attribute);
    if (!attribute)
        return COR_ERR_MEMORY;
    pthread_mutex_lock(&keys->lock);
    cor_key *key = key_find(keys, number);
    if (key) {
        key->references++;
        *attribute = (cor_attribute){.key = key, .value = value, .before = attributes->last};
        attributes->last = attribute;
    }
    pthread_mutex_unlock(&keys->lock);
    if (!key)
        free(attribute);
    return COR_OK;
}

int cor_attribute_set(cor_keys *keys, cor_attributes *attributes, void *object, int number, void *value)
{
    int code = cor_attribute_delete(keys, attributes, object, number);
    return code != 0 ? code : attribute_add(keys, attributes, number, value);
}

int cor_attribute_get(cor_keys *keys, const cor_attributes *attributes, int number, void **value_p)
{
    pthread_mutex_lock(&keys->lock);
    const cor_attribute *attribute = attributes->last;
    while (attribute && attribute->key->number != number)
        attribute = attribute->before;
    if (attribute)
        *value_p = attribute->value;
    pthread_mutex_unlock(&keys->lock);
    return attribute != NULL;
}

/* ---- all of an object ------------------------------------------------------------------------------------------- */

/* The one that was set next after `previous`; the first set if that is NULL. */
static cor_attribute *attribute_after(cor_keys *keys, const cor_attributes *attributes, const cor_attribute *previous)
{
    pthread_mutex_lock(&keys->lock);
    cor_attribute *attribute = attributes->last;
    while (attribute && attribute->before != previous)
        attribute = attribute->before;
    pthread_mutex_unlock(&keys->lock);
    return attribute;
}

int cor_attributes_copy(cor_keys *keys, cor_attributes *copy, const cor_attributes *attributes, void *object)
{
    cor_attribute *attribute = attributes->last ? attribute_after(keys, attributes, NULL) : NULL;
    int code = 0;
    while (attribute && code == 0) {
        const cor_key *key = attribute->key;
        void *value = NULL;
        int is_copied = 0;
        if (key->ops->copy)
            code = key->ops->copy(key, object, attribute->value, &value, &is_copied);
        if (code == 0 && is_copied)
            code = attribute_add(keys, copy, key->number, value);
        attribute = attribute == attributes->last ? NULL : attribute_after(keys, attributes, attribute);
    }
    return code;
}

int cor_attributes_discard(cor_keys *keys, cor_attributes *attributes, void *object)
{
    int code = 0;
    while (attributes->last && code == 0) {
        cor_attribute *attribute = attributes->last;
        code = attribute_discard(attribute, object);
        if (code == 0)
            attribute_remove(keys, attributes, attribute);
    }
    return code;
}

void cor_attributes_drop(cor_keys *keys, cor_attributes *attributes)
{
    while (attributes->last)
        attribute_remove(keys, attributes, attributes->last);
}
