/* Every function of the standard by name: what functions.tsv calls done but nobody defines fails to link here. */
#include "mpi/api.h"

typedef void (*table_function)(void);

extern const table_function face_function_table[];

__attribute__((used)) const table_function face_function_table[] = {
#define COR_MPI_FUNCTION(name, is_done) (table_function) name,
#include "mpi_functions.inc"
};
