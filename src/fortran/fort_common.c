/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that are addresses, strings, arrays, and the start and end of MPI. */
#include "fort.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Common blocks of mpif.h and the modules: same sizes there (mpif.h.in). An alignment that no compiler exceeds. */
#define FORT_COMMON FORT_EXPORT __attribute__((aligned(64)))
FORT_COMMON int corunna_bottom_;
FORT_COMMON int corunna_in_place_;
FORT_COMMON int corunna_buffer_automatic_;
FORT_COMMON int corunna_status_ignore_[MPI_F_STATUS_SIZE];
FORT_COMMON int corunna_statuses_ignore_[MPI_F_STATUS_SIZE];
FORT_COMMON int corunna_errcodes_ignore_[1];
FORT_COMMON int corunna_unweighted_[1];
FORT_COMMON int corunna_weights_empty_[1];
FORT_COMMON char corunna_argv_null_[1];
FORT_COMMON char corunna_argvs_null_[1];

/* ---- errors ----------------------------------------------------------------------------------------------------- */

int fort_fail(const char *call, int error_class, const char *format, ...)
{
    char sentence[400];
    int rank = -1, is_open = 0, is_closed = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    PMPI_Initialized(&is_open);
    PMPI_Finalized(&is_closed);
    is_open = is_open && !is_closed;
    if (is_open)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank >= 0)
        fprintf(stderr, "corunna: rank %d: %s: %s\n", rank, call, sentence);
    else
        fprintf(stderr, "corunna: %s: %s\n", call, sentence);
    if (is_open)
        PMPI_Comm_call_errhandler(MPI_COMM_SELF, error_class);
    return error_class;
}

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

void *fort_room(void *few, size_t few_count, size_t count, size_t element_bytes)
{
    if (count <= few_count && few)
        return few;
    void *room = calloc(count ? count : 1, element_bytes);
    if (room)
        return room;
    fprintf(stderr, "corunna: no memory to convert an array of %zu elements for Fortran\n", count);
    PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    abort();
}

static int topology_of(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;
    if (comm != MPI_COMM_NULL)
        PMPI_Topo_test(comm, &topology);
    return topology;
}

int fort_peers(int comm)
{
    MPI_Comm handle = PMPI_Comm_fromint(comm);
    int is_inter = 0, size = 0;
    if (handle == MPI_COMM_NULL || PMPI_Comm_test_inter(handle, &is_inter) != MPI_SUCCESS)
        return 0;
    if (is_inter)
        PMPI_Comm_remote_size(handle, &size);
    else
        PMPI_Comm_size(handle, &size);
    return size;
}

int fort_neighbours(int comm, int is_out)
{
    MPI_Comm handle = PMPI_Comm_fromint(comm);
    int in = 0, out = 0, is_weighted, rank;
    switch (topology_of(handle)) {
    case MPI_CART:
        PMPI_Cartdim_get(handle, &in);
        return 2 * in;
    case MPI_GRAPH:
        PMPI_Comm_rank(handle, &rank);
        PMPI_Graph_neighbors_count(handle, rank, &in);
        return in;
    case MPI_DIST_GRAPH:
        PMPI_Dist_graph_neighbors_count(handle, &in, &out, &is_weighted);
        return is_out ? out : in;
    default:
        return 0;
    }
}

int fort_dimensions(int comm)
{
    MPI_Comm handle = PMPI_Comm_fromint(comm);
    int dimensions = 0;
    if (topology_of(handle) == MPI_CART)
        PMPI_Cartdim_get(handle, &dimensions);
    return dimensions;
}

int fort_is_root(int comm, int root)
{
    MPI_Comm handle = PMPI_Comm_fromint(comm);
    int rank = 0;
    if (root == MPI_ROOT)
        return 1;
    if (handle == MPI_COMM_NULL || root < 0)
        return 0;
    int is_inter = 0;
    if (PMPI_Comm_test_inter(handle, &is_inter) != MPI_SUCCESS || is_inter)
        return 0;
    PMPI_Comm_rank(handle, &rank);
    return rank == root;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

char *fort_text_in(fort_text *text, const char *from, size_t length, int is_stripped)
{
    while (length > 0 && from[length - 1] == ' ')
        length--;
    for (; is_stripped && length > 0 && *from == ' '; length--)
        from++;
    text->text = fort_room(text->few, sizeof text->few, length + 1, 1);
    memcpy(text->text, from, length);
    text->text[length] = '\0';
    return text->text;
}

char **fort_strings(const char *argv, size_t length, size_t step)
{
    if (argv == corunna_argv_null_)
        return MPI_ARGV_NULL;
    size_t count = 0;
    fort_text text;
    for (;; count++) {
        char *one = fort_text_in(&text, argv + count * step * length, length, 1);
        int is_end = !*one;
        fort_text_free(&text);
        if (is_end)
            break;
    }
    char **strings = fort_room(NULL, 0, count + 1, sizeof *strings);
    for (size_t i = 0; i < count; i++) {
        char *one = fort_text_in(&text, argv + i * step * length, length, 1);
        strings[i] = fort_room(NULL, 0, strlen(one) + 1, 1);
        strcpy(strings[i], one);
        fort_text_free(&text);
    }
    return strings;
}

void fort_strings_free(char **strings)
{
    for (char **at = strings; at && *at; at++)
        free(*at);
    free(strings);
}

void fort_text_out(const char *text, char *to, size_t length)
{
    size_t bytes = strlen(text);
    if (bytes > length)
        bytes = length;
    memcpy(to, text, bytes);
    memset(to + bytes, ' ', length - bytes);
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

void fort_begin(void)
{
    int is_set = 0, true_value, false_value;
    int true_here = corunna_fortran_true, false_here = corunna_fortran_false;
    if (PMPI_Abi_get_fortran_booleans((int)sizeof true_value, &true_value, &false_value, &is_set) == MPI_SUCCESS &&
        !is_set)
        PMPI_Abi_set_fortran_booleans((int)sizeof true_here, &true_here, &false_here);
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

int fort_check_whole(const char *call, const char *argument, const CFI_cdesc_t *array)
{
    if (fort_is_contiguous(array))
        return MPI_SUCCESS;
    return fort_fail(call, MPI_ERR_BUFFER, "%s is a section of an array with gaps, but must be contiguous", argument);
}
