/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of communicators and datatypes. */
#include "comm_suite.h"

#include <string.h>

/* What the callbacks saw; hangs on the key as its extra state. */
typedef struct record {
    int copies, deletes, copy_code, delete_code, is_copied;
    char order[64]; /* a letter for each delete: the first of the value */
} record;

static int copy_value(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    record *seen = state;
    (void)comm;
    (void)keyval;
    seen->copies++;
    *(void **)out = (char *)in + 1;
    *flag = seen->is_copied;
    return seen->copy_code;
}

static int delete_value(MPI_Comm comm, int keyval, void *value, void *state)
{
    record *seen = state;
    (void)comm;
    (void)keyval;
    seen->deletes++;
    size_t length = strlen(seen->order);
    if (length + 1 < sizeof seen->order)
        seen->order[length] = *(char *)value;
    return seen->delete_code;
}

static char *get(MPI_Comm comm, int key)
{
    char *value = NULL;
    int flag;
    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? value : NULL;
}

static char letters[] = "abcdef";

void case_attribute_life(const test *t)
{
    record seen = {0};
    int key, first;
    MPI_Comm mine;
    CHECK_OK(MPI_Comm_dup(t->comm, &mine));
    CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_value, &key, &seen));
    CHECK(get(mine, key) == NULL);
    CHECK_OK(MPI_Comm_set_attr(mine, key, &letters[0]));
    CHECK(get(mine, key) == &letters[0]);
    /* A second value takes the place of the first. */
    CHECK_OK(MPI_Comm_set_attr(mine, key, &letters[1]));
    CHECK(get(mine, key) == &letters[1]);
    CHECK_EQUAL(0, strcmp(seen.order, "a"));
    CHECK_OK(MPI_Comm_delete_attr(mine, key));
    CHECK_EQUAL(0, strcmp(seen.order, "ab"));
    CHECK(get(mine, key) == NULL);
    /* There is nothing left to delete, which is no error. */
    CHECK_OK(MPI_Comm_delete_attr(mine, key));
    CHECK_EQUAL(2, seen.deletes);
    /* A freed key works on for its values, and for nothing new. */
    CHECK_OK(MPI_Comm_set_attr(mine, key, &letters[2]));
    first = key;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_EQUAL(MPI_KEYVAL_INVALID, key);
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_set_attr(mine, first, &letters[3]));
    MPI_Comm dup;
    seen.is_copied = 1;
    CHECK_OK(MPI_Comm_dup(mine, &dup));
    CHECK_EQUAL(1, seen.copies);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_EQUAL(0, strcmp(seen.order, "abd"));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    CHECK(key != first);
    CHECK_OK(MPI_Comm_free_keyval(&key));
    /* What is left goes with the communicator. */
    CHECK_OK(MPI_Comm_free(&mine));
    CHECK_EQUAL(0, strcmp(seen.order, "abdc"));
}

void case_attribute_copies(const test *t)
{
    record seen[3] = {{0}, {.is_copied = 1}, {.is_copied = 0}};
    int keys[5];
    MPI_Comm original, dup, third;
    MPI_Request request;
    CHECK_OK(MPI_Comm_dup(t->comm, &original));
    for (int i = 0; i < 3; i++)
        CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_value, &keys[i], &seen[i]));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[3], NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[4], NULL));
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_Comm_set_attr(original, keys[i], &letters[i]));
    CHECK_OK(MPI_Comm_dup(original, &dup));
    CHECK(get(dup, keys[0]) == NULL);
    CHECK(get(dup, keys[1]) == &letters[2]);
    CHECK(get(dup, keys[2]) == NULL);
    CHECK(get(dup, keys[3]) == &letters[3]);
    CHECK(get(dup, keys[4]) == NULL);
    CHECK_OK(MPI_Comm_idup(dup, &third, &request));
    CHECK_OK(MPI_Comm_delete_attr(dup, keys[1]));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(get(third, keys[1]) == &letters[3]);
    CHECK_OK(MPI_Comm_free(&third));
    CHECK_EQUAL(0, strcmp(seen[1].order, "cd"));
    /* A split copies nothing. */
    CHECK_OK(MPI_Comm_split(original, 0, 0, &third));
    CHECK(get(third, keys[3]) == NULL);
    CHECK_OK(MPI_Comm_free(&third));
    CHECK_OK(MPI_Comm_free(&dup));
    /* The last set goes first. */
    record order = {0};
    int more[3];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_value, &more[i], &order));
        CHECK_OK(MPI_Comm_set_attr(original, more[i], &letters[i]));
    }
    CHECK_OK(MPI_Comm_free(&original));
    CHECK_EQUAL(0, strcmp(order.order, "cba"));
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_Comm_free_keyval(&keys[i]));
    for (int i = 0; i < 3; i++)
        CHECK_OK(MPI_Comm_free_keyval(&more[i]));
}

void case_attribute_errors(const test *t)
{
    record seen = {.is_copied = 1, .copy_code = MPI_ERR_IO}, other = {.is_copied = 1};
    int key, first, code;
    MPI_Comm original, dup;
    CHECK_OK(MPI_Comm_dup(t->comm, &original));
    CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_value, &first, &other));
    CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_value, &key, &seen));
    CHECK_OK(MPI_Comm_set_attr(original, first, &letters[0]));
    CHECK_OK(MPI_Comm_set_attr(original, key, &letters[0]));
    /* A copy function fails: no dup, and what was copied is deleted. */
    CHECK_EQUAL(MPI_ERR_IO, MPI_Comm_dup(original, &dup));
    CHECK(dup == MPI_COMM_NULL);
    CHECK_EQUAL(0, strcmp(other.order, "b"));
    MPI_Request request;
    CHECK_EQUAL(MPI_ERR_IO, MPI_Comm_idup(original, &dup, &request));
    CHECK_EQUAL(0, strcmp(other.order, "bb"));
    /* A delete function fails: the value stays, and so does the communicator. */
    CHECK_OK(MPI_Add_error_code(MPI_ERR_OTHER, &code));
    seen.delete_code = code;
    CHECK_EQUAL(code, MPI_Comm_delete_attr(original, key));
    CHECK_EQUAL(code, MPI_Comm_set_attr(original, key, &letters[1]));
    CHECK(get(original, key) == &letters[0]);
    CHECK_EQUAL(code, MPI_Comm_free(&original));
    CHECK(original != MPI_COMM_NULL);
    test_ring(original);
    seen.delete_code = MPI_SUCCESS;
    CHECK_OK(MPI_Comm_free(&original));
    CHECK_EQUAL(0, strcmp(other.order, "bba"));
    /* Keys of another kind, and none. */
    int type_key;
    CHECK_OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_set_attr(t->comm, type_key, NULL));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_set_attr(t->comm, MPI_TAG_UB, NULL));
    CHECK_OK(MPI_Type_free_keyval(&type_key));
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_OK(MPI_Comm_free_keyval(&first));
    CHECK_OK(MPI_Remove_error_code(code));
}

void case_attribute_old_names(const test *t)
{
    int key, flag;
    void *value;
    MPI_Comm dup;
    CHECK_OK(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Attr_put(t->comm, key, letters));
    CHECK_OK(MPI_Comm_dup(t->comm, &dup));
    CHECK_OK(MPI_Attr_get(dup, key, &value, &flag));
    CHECK(flag && value == letters);
    CHECK_OK(MPI_Attr_delete(dup, key));
    CHECK_OK(MPI_Attr_get(dup, key, &value, &flag));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Attr_delete(t->comm, key));
    CHECK_OK(MPI_Keyval_free(&key));
    CHECK_EQUAL(MPI_KEYVAL_INVALID, key);
}

static int copy_type_value(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)type;
    return copy_value(MPI_COMM_NULL, keyval, state, in, out, flag);
}

static int delete_type_value(MPI_Datatype type, int keyval, void *value, void *state)
{
    (void)type;
    return delete_value(MPI_COMM_NULL, keyval, value, state);
}

void case_attribute_types(const test *t)
{
    (void)t;
    record seen = {.is_copied = 1};
    int key, flag;
    void *value;
    MPI_Datatype type, copy;
    CHECK_OK(MPI_Type_create_keyval(copy_type_value, delete_type_value, &key, &seen));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Type_set_attr(type, key, &letters[0]));
    CHECK_OK(MPI_Type_set_attr(MPI_DOUBLE, key, &letters[3]));
    CHECK_OK(MPI_Type_dup(type, &copy));
    CHECK_OK(MPI_Type_get_attr(copy, key, &value, &flag));
    CHECK(flag && value == &letters[1]);
    CHECK_OK(MPI_Type_get_attr(MPI_DOUBLE, key, &value, &flag));
    CHECK(flag && value == &letters[3]);
    CHECK_OK(MPI_Type_get_attr(MPI_FLOAT, key, &value, &flag));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_Type_free(&copy));
    CHECK_EQUAL(0, strcmp(seen.order, "b"));
    CHECK_OK(MPI_Type_dup(MPI_DOUBLE, &copy));
    CHECK_OK(MPI_Type_delete_attr(MPI_DOUBLE, key));
    CHECK_OK(MPI_Type_free(&copy));
    CHECK_EQUAL(0, strcmp(seen.order, "bde"));
    /* A failing function keeps the datatype, or the copy from being made. */
    seen.delete_code = MPI_ERR_IO;
    CHECK_EQUAL(MPI_ERR_IO, MPI_Type_free(&type));
    CHECK(type != MPI_DATATYPE_NULL);
    seen.delete_code = MPI_SUCCESS;
    seen.copy_code = MPI_ERR_IO;
    CHECK_EQUAL(MPI_ERR_IO, MPI_Type_dup(type, &copy));
    seen.copy_code = MPI_SUCCESS;
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free_keyval(&key));
}

/* A key that is freed again with each value that goes, as a program does that keeps no account of its values. */
static int delete_with_key(MPI_Comm comm, int keyval, void *value, void *state)
{
    int code = delete_value(comm, keyval, value, state);
    return code != MPI_SUCCESS ? code : MPI_Comm_free_keyval(&keyval);
}

void case_attribute_freed_keys(const test *t)
{
    record seen = {0};
    int key, freed, again, flag;
    char *value;
    MPI_Comm mine;
    CHECK_OK(MPI_Comm_dup(t->comm, &mine));
    CHECK_OK(MPI_Comm_create_keyval(copy_value, delete_with_key, &key, &seen));
    CHECK_OK(MPI_Comm_set_attr(mine, key, &letters[0]));
    CHECK_OK(MPI_Comm_set_attr(t->comm, key, &letters[1]));
    freed = again = key;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    /* While values hang on it the key works for them, and another free changes nothing. */
    CHECK(get(mine, freed) == &letters[0]);
    CHECK(get(MPI_COMM_SELF, freed) == NULL);
    CHECK_OK(MPI_Comm_free_keyval(&again));
    CHECK_EQUAL(MPI_KEYVAL_INVALID, again);
    CHECK(get(mine, freed) == &letters[0]);
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_set_attr(mine, freed, &letters[2]));
    CHECK_OK(MPI_Comm_delete_attr(mine, freed));
    CHECK(get(mine, freed) == NULL);
    CHECK_OK(MPI_Comm_delete_attr(mine, freed));
    CHECK_EQUAL(0, strcmp(seen.order, "a"));
    /* With the last of them it is gone. */
    CHECK_OK(MPI_Comm_delete_attr(t->comm, freed));
    CHECK_EQUAL(0, strcmp(seen.order, "ab"));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_get_attr(mine, freed, &value, &flag));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(mine, freed));
    again = freed;
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&again));
    CHECK_OK(MPI_Comm_free(&mine));
}

void case_attribute_freed_type_keys(const test *t)
{
    (void)t;
    record seen = {0};
    int key, freed, again, flag;
    char *value;
    MPI_Datatype type;
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Type_create_keyval(copy_type_value, delete_type_value, &key, &seen));
    CHECK_OK(MPI_Type_set_attr(type, key, &letters[0]));
    CHECK_OK(MPI_Type_set_attr(MPI_INT, key, &letters[1]));
    freed = again = key;
    CHECK_OK(MPI_Type_free_keyval(&key));
    CHECK_OK(MPI_Type_get_attr(type, freed, &value, &flag));
    CHECK(flag && value == &letters[0]);
    CHECK_OK(MPI_Type_free_keyval(&again));
    CHECK_OK(MPI_Type_get_attr(MPI_INT, freed, &value, &flag));
    CHECK(flag && value == &letters[1]);
    CHECK_OK(MPI_Type_delete_attr(MPI_INT, freed));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Type_set_attr(type, freed, &letters[2]));
    CHECK_OK(MPI_Type_free(&type));
    CHECK_EQUAL(0, strcmp(seen.order, "ba"));
    CHECK_EQUAL(MPI_ERR_KEYVAL, MPI_Type_get_attr(MPI_INT, freed, &value, &flag));
}

void case_attribute_predefined(const test *t)
{
    int *value, flag;
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value >= 32767);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    CHECK(!flag || *value >= t->size); /* set where the launcher knows the slots */
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    CHECK_EQUAL(1, flag);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag && *value >= MPI_ERR_LASTCODE);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
    CHECK(flag && *value >= 0);
}
