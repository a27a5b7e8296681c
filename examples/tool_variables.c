/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tool sees of the library, by MPI's tool interface: all control and performance variables, and what the
 * performance variables have counted while the ranks send each other messages around a ring.
 *
 *     mpicc -O2 tool_variables.c -o tool_variables && mpirun -n 4 ./tool_variables
 *     mpirun -n 4 ./tool_variables all
 *
 * With an argument rank 0 prints every variable, else only the counters that have changed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512, ROUNDS = 10, SHORT = 100, LONG = 1000000 };

/* A performance variable with a handle. */
typedef struct variable {
    char name[TEXT_MAX];
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
    int count, is_continuous;
} variable;

static void print_control_variables(void)
{
    int count;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        char name[TEXT_MAX], desc[TEXT_MAX];
        int name_length = TEXT_MAX, desc_length = TEXT_MAX, values, verbosity, bind, scope, number;
        unsigned long bytes;
        MPI_Datatype type;
        MPI_T_enum choices;
        MPI_T_cvar_handle handle;
        MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &choices, desc, &desc_length, &bind, &scope);
        MPI_T_cvar_handle_alloc(i, NULL, &handle, &values);
        printf("cvar %s = ", name);
        if (type == MPI_CHAR) {
            char *text = malloc((size_t)values);
            MPI_T_cvar_read(handle, text);
            printf("\"%s\"", text);
            free(text);
        } else if (type == MPI_UNSIGNED_LONG) {
            MPI_T_cvar_read(handle, &bytes);
            printf("%lu", bytes);
        } else {
            char word[TEXT_MAX];
            int value, word_length = TEXT_MAX;
            MPI_T_cvar_read(handle, &number);
            if (choices != MPI_T_ENUM_NULL && !MPI_T_enum_get_item(choices, number, &value, word, &word_length))
                printf("%s", word);
            else
                printf("%d", number);
        }
        printf(": %s\n", desc);
        MPI_T_cvar_handle_free(&handle);
    }
}

static variable *open_variables(MPI_T_pvar_session session, int *count_p, int prints)
{
    MPI_T_pvar_get_num(count_p);
    variable *variables = calloc((size_t)*count_p, sizeof *variables);
    for (int i = 0; i < *count_p; i++) {
        variable *v = &variables[i];
        char desc[TEXT_MAX];
        int name_length = TEXT_MAX, desc_length = TEXT_MAX;
        MPI_T_pvar_get_info(i, v->name, &name_length, NULL, NULL, &v->type, NULL, desc, &desc_length, NULL, NULL,
                            &v->is_continuous, NULL);
        if (prints)
            printf("pvar %s: %s\n", v->name, desc);
        if (MPI_T_pvar_handle_alloc(session, i, NULL, &v->handle, &v->count) != MPI_SUCCESS)
            v->handle = MPI_T_PVAR_HANDLE_NULL; /* this device does not count it */
        else if (!v->is_continuous)
            MPI_T_pvar_start(session, v->handle);
    }
    return variables;
}

/* Each rank sends to the next one. */
static void exchange(int rank, int size)
{
    char *out = calloc(1, LONG), *in = malloc(LONG);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Sendrecv(out, SHORT, MPI_CHAR, next, 0, in, SHORT, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, LONG, MPI_CHAR, next, 1, in, LONG, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(in);
    free(out);
}

/* The values that are not 0; of variables with one for each rank, with the rank. */
static void print_variable(MPI_T_pvar_session session, const variable *v)
{
    union {
        unsigned long long number;
        double seconds;
    } *values = calloc((size_t)v->count, sizeof *values);
    MPI_T_pvar_read(session, v->handle, values);
    for (int i = 0; i < v->count; i++) {
        if (values[i].number == 0)
            continue;
        printf("rank 0: %s", v->name);
        if (v->count > 1)
            printf(", rank %d", i);
        if (v->type == MPI_DOUBLE)
            printf(": %.6f s\n", values[i].seconds);
        else
            printf(": %llu\n", values[i].number);
    }
    free(values);
}

int main(int argc, char **argv)
{
    int provided, rank, size, count, prints;
    MPI_T_pvar_session session;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prints = argc > 1 && rank == 0;
    if (prints)
        print_control_variables();
    MPI_T_pvar_session_create(&session);
    variable *variables = open_variables(session, &count, prints);
    exchange(rank, size);
    MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
    for (int i = 0; i < count && rank == 0; i++)
        if (variables[i].handle != MPI_T_PVAR_HANDLE_NULL)
            print_variable(session, &variables[i]);
    free(variables);
    MPI_T_pvar_session_free(&session);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
