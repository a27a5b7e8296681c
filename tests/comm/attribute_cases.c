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

static char *get(const test *t, MPI_Comm comm, int key)
{
    char *value = NULL;
    int flag;
    OK(t, MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? value : NULL;
}

static char letters[] = "abcdef";

void case_attribute_life(const test *t)
{
    record seen = {0};
    int key, first;
    MPI_Comm mine;
    OK(t, MPI_Comm_dup(t->comm, &mine));
    OK(t, MPI_Comm_create_keyval(copy_value, delete_value, &key, &seen));
    EXPECT(t, 1, get(t, mine, key) == NULL);
    OK(t, MPI_Comm_set_attr(mine, key, &letters[0]));
    EXPECT(t, 1, get(t, mine, key) == &letters[0]);
    /* A second value takes the place of the first. */
    OK(t, MPI_Comm_set_attr(mine, key, &letters[1]));
    EXPECT(t, 1, get(t, mine, key) == &letters[1]);
    EXPECT(t, 0, strcmp(seen.order, "a"));
    OK(t, MPI_Comm_delete_attr(mine, key));
    EXPECT(t, 0, strcmp(seen.order, "ab"));
    EXPECT(t, 1, get(t, mine, key) == NULL);
    /* There is nothing left to delete, which is no error. */
    OK(t, MPI_Comm_delete_attr(mine, key));
    EXPECT(t, 2, seen.deletes);
    /* A freed key works on for its values, and for nothing new. */
    OK(t, MPI_Comm_set_attr(mine, key, &letters[2]));
    first = key;
    OK(t, MPI_Comm_free_keyval(&key));
    EXPECT(t, MPI_KEYVAL_INVALID, key);
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_set_attr(mine, first, &letters[3]));
    MPI_Comm dup;
    seen.is_copied = 1;
    OK(t, MPI_Comm_dup(mine, &dup));
    EXPECT(t, 1, seen.copies);
    OK(t, MPI_Comm_free(&dup));
    EXPECT(t, 0, strcmp(seen.order, "abd"));
    OK(t, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    EXPECT(t, 1, key != first);
    OK(t, MPI_Comm_free_keyval(&key));
    /* What is left goes with the communicator. */
    OK(t, MPI_Comm_free(&mine));
    EXPECT(t, 0, strcmp(seen.order, "abdc"));
}

void case_attribute_copies(const test *t)
{
    record seen[3] = {{0}, {.is_copied = 1}, {.is_copied = 0}};
    int keys[5];
    MPI_Comm original, dup, third;
    MPI_Request request;
    OK(t, MPI_Comm_dup(t->comm, &original));
    for (int i = 0; i < 3; i++)
        OK(t, MPI_Comm_create_keyval(copy_value, delete_value, &keys[i], &seen[i]));
    OK(t, MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[3], NULL));
    OK(t, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[4], NULL));
    for (int i = 0; i < 5; i++)
        OK(t, MPI_Comm_set_attr(original, keys[i], &letters[i]));
    OK(t, MPI_Comm_dup(original, &dup));
    EXPECT(t, 1, get(t, dup, keys[0]) == NULL);
    EXPECT(t, 1, get(t, dup, keys[1]) == &letters[2]);
    EXPECT(t, 1, get(t, dup, keys[2]) == NULL);
    EXPECT(t, 1, get(t, dup, keys[3]) == &letters[3]);
    EXPECT(t, 1, get(t, dup, keys[4]) == NULL);
    OK(t, MPI_Comm_idup(dup, &third, &request));
    OK(t, MPI_Comm_delete_attr(dup, keys[1]));
    OK(t, MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(t, 1, get(t, third, keys[1]) == &letters[3]);
    OK(t, MPI_Comm_free(&third));
    EXPECT(t, 0, strcmp(seen[1].order, "cd"));
    /* A split copies nothing. */
    OK(t, MPI_Comm_split(original, 0, 0, &third));
    EXPECT(t, 1, get(t, third, keys[3]) == NULL);
    OK(t, MPI_Comm_free(&third));
    OK(t, MPI_Comm_free(&dup));
    /* The last set goes first. */
    record order = {0};
    int more[3];
    for (int i = 0; i < 3; i++) {
        OK(t, MPI_Comm_create_keyval(copy_value, delete_value, &more[i], &order));
        OK(t, MPI_Comm_set_attr(original, more[i], &letters[i]));
    }
    OK(t, MPI_Comm_free(&original));
    EXPECT(t, 0, strcmp(order.order, "cba"));
    for (int i = 0; i < 5; i++)
        OK(t, MPI_Comm_free_keyval(&keys[i]));
    for (int i = 0; i < 3; i++)
        OK(t, MPI_Comm_free_keyval(&more[i]));
}

void case_attribute_errors(const test *t)
{
    record seen = {.is_copied = 1, .copy_code = MPI_ERR_IO}, other = {.is_copied = 1};
    int key, first, code;
    MPI_Comm original, dup;
    OK(t, MPI_Comm_dup(t->comm, &original));
    OK(t, MPI_Comm_create_keyval(copy_value, delete_value, &first, &other));
    OK(t, MPI_Comm_create_keyval(copy_value, delete_value, &key, &seen));
    OK(t, MPI_Comm_set_attr(original, first, &letters[0]));
    OK(t, MPI_Comm_set_attr(original, key, &letters[0]));
    /* A copy function fails: no dup, and what was copied is deleted. */
    EXPECT(t, MPI_ERR_IO, MPI_Comm_dup(original, &dup));
    EXPECT(t, 1, dup == MPI_COMM_NULL);
    EXPECT(t, 0, strcmp(other.order, "b"));
    MPI_Request request;
    EXPECT(t, MPI_ERR_IO, MPI_Comm_idup(original, &dup, &request));
    EXPECT(t, 0, strcmp(other.order, "bb"));
    /* A delete function fails: the value stays, and so does the communicator. */
    OK(t, MPI_Add_error_code(MPI_ERR_OTHER, &code));
    seen.delete_code = code;
    EXPECT(t, code, MPI_Comm_delete_attr(original, key));
    EXPECT(t, code, MPI_Comm_set_attr(original, key, &letters[1]));
    EXPECT(t, 1, get(t, original, key) == &letters[0]);
    EXPECT(t, code, MPI_Comm_free(&original));
    EXPECT(t, 1, original != MPI_COMM_NULL);
    test_ring(t, original);
    seen.delete_code = MPI_SUCCESS;
    OK(t, MPI_Comm_free(&original));
    EXPECT(t, 0, strcmp(other.order, "bba"));
    /* Keys of another kind, and none. */
    int type_key;
    OK(t, MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_set_attr(t->comm, type_key, NULL));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_set_attr(t->comm, MPI_TAG_UB, NULL));
    OK(t, MPI_Type_free_keyval(&type_key));
    OK(t, MPI_Comm_free_keyval(&key));
    OK(t, MPI_Comm_free_keyval(&first));
    OK(t, MPI_Remove_error_code(code));
}

void case_attribute_old_names(const test *t)
{
    int key, flag;
    void *value;
    MPI_Comm dup;
    OK(t, MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL));
    OK(t, MPI_Attr_put(t->comm, key, letters));
    OK(t, MPI_Comm_dup(t->comm, &dup));
    OK(t, MPI_Attr_get(dup, key, &value, &flag));
    EXPECT(t, 1, flag && value == letters);
    OK(t, MPI_Attr_delete(dup, key));
    OK(t, MPI_Attr_get(dup, key, &value, &flag));
    EXPECT(t, 0, flag);
    OK(t, MPI_Comm_free(&dup));
    OK(t, MPI_Attr_delete(t->comm, key));
    OK(t, MPI_Keyval_free(&key));
    EXPECT(t, MPI_KEYVAL_INVALID, key);
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
    record seen = {.is_copied = 1};
    int key, flag;
    void *value;
    MPI_Datatype type, copy;
    OK(t, MPI_Type_create_keyval(copy_type_value, delete_type_value, &key, &seen));
    OK(t, MPI_Type_contiguous(3, MPI_INT, &type));
    OK(t, MPI_Type_set_attr(type, key, &letters[0]));
    OK(t, MPI_Type_set_attr(MPI_DOUBLE, key, &letters[3]));
    OK(t, MPI_Type_dup(type, &copy));
    OK(t, MPI_Type_get_attr(copy, key, &value, &flag));
    EXPECT(t, 1, flag && value == &letters[1]);
    OK(t, MPI_Type_get_attr(MPI_DOUBLE, key, &value, &flag));
    EXPECT(t, 1, flag && value == &letters[3]);
    OK(t, MPI_Type_get_attr(MPI_FLOAT, key, &value, &flag));
    EXPECT(t, 0, flag);
    OK(t, MPI_Type_free(&copy));
    EXPECT(t, 0, strcmp(seen.order, "b"));
    OK(t, MPI_Type_dup(MPI_DOUBLE, &copy));
    OK(t, MPI_Type_delete_attr(MPI_DOUBLE, key));
    OK(t, MPI_Type_free(&copy));
    EXPECT(t, 0, strcmp(seen.order, "bde"));
    /* A failing function keeps the datatype, or the copy from being made. */
    seen.delete_code = MPI_ERR_IO;
    EXPECT(t, MPI_ERR_IO, MPI_Type_free(&type));
    EXPECT(t, 1, type != MPI_DATATYPE_NULL);
    seen.delete_code = MPI_SUCCESS;
    seen.copy_code = MPI_ERR_IO;
    EXPECT(t, MPI_ERR_IO, MPI_Type_dup(type, &copy));
    seen.copy_code = MPI_SUCCESS;
    OK(t, MPI_Type_free(&type));
    OK(t, MPI_Type_free_keyval(&key));
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
    OK(t, MPI_Comm_dup(t->comm, &mine));
    OK(t, MPI_Comm_create_keyval(copy_value, delete_with_key, &key, &seen));
    OK(t, MPI_Comm_set_attr(mine, key, &letters[0]));
    OK(t, MPI_Comm_set_attr(t->comm, key, &letters[1]));
    freed = again = key;
    OK(t, MPI_Comm_free_keyval(&key));
    /* While values hang on it the key works for them, and another free changes nothing. */
    EXPECT(t, 1, get(t, mine, freed) == &letters[0]);
    EXPECT(t, 1, get(t, MPI_COMM_SELF, freed) == NULL);
    OK(t, MPI_Comm_free_keyval(&again));
    EXPECT(t, MPI_KEYVAL_INVALID, again);
    EXPECT(t, 1, get(t, mine, freed) == &letters[0]);
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_set_attr(mine, freed, &letters[2]));
    OK(t, MPI_Comm_delete_attr(mine, freed));
    EXPECT(t, 1, get(t, mine, freed) == NULL);
    OK(t, MPI_Comm_delete_attr(mine, freed));
    EXPECT(t, 0, strcmp(seen.order, "a"));
    /* With the last of them it is gone. */
    OK(t, MPI_Comm_delete_attr(t->comm, freed));
    EXPECT(t, 0, strcmp(seen.order, "ab"));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_get_attr(mine, freed, &value, &flag));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_delete_attr(mine, freed));
    again = freed;
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&again));
    OK(t, MPI_Comm_free(&mine));
}

void case_attribute_freed_type_keys(const test *t)
{
    record seen = {0};
    int key, freed, again, flag;
    char *value;
    MPI_Datatype type;
    OK(t, MPI_Type_contiguous(3, MPI_INT, &type));
    OK(t, MPI_Type_create_keyval(copy_type_value, delete_type_value, &key, &seen));
    OK(t, MPI_Type_set_attr(type, key, &letters[0]));
    OK(t, MPI_Type_set_attr(MPI_INT, key, &letters[1]));
    freed = again = key;
    OK(t, MPI_Type_free_keyval(&key));
    OK(t, MPI_Type_get_attr(type, freed, &value, &flag));
    EXPECT(t, 1, flag && value == &letters[0]);
    OK(t, MPI_Type_free_keyval(&again));
    OK(t, MPI_Type_get_attr(MPI_INT, freed, &value, &flag));
    EXPECT(t, 1, flag && value == &letters[1]);
    OK(t, MPI_Type_delete_attr(MPI_INT, freed));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Type_set_attr(type, freed, &letters[2]));
    OK(t, MPI_Type_free(&type));
    EXPECT(t, 0, strcmp(seen.order, "ba"));
    EXPECT(t, MPI_ERR_KEYVAL, MPI_Type_get_attr(MPI_INT, freed, &value, &flag));
}

void case_attribute_predefined(const test *t)
{
    int *value, flag;
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    EXPECT(t, 1, flag && *value >= 32767);
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    EXPECT(t, 1, flag && *value >= t->size);
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    EXPECT(t, 1, flag);
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    EXPECT(t, 1, flag && *value >= MPI_ERR_LASTCODE);
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
}
