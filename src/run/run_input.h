/*
 * stdin of the job, which goes to rank 0.
 *
 * What is no terminal is simply inherited: rank 0 reads as much as it wants and not a byte more is taken away. A
 * terminal cannot be inherited, because rank 0 is no foreground process; there the launcher reads and passes on.
 */
#ifndef COR_RUN_INPUT_H
#define COR_RUN_INPUT_H

#include <stddef.h>

typedef struct run_input {
    int to_fd;   /* our end of the pipe to rank 0, or -1 */
    int from_fd; /* the terminal, or -1 after its end */
    size_t start, filled;
    char bytes[4096];
} run_input;

/* *child_fd_p is what rank 0 gets as stdin. To be closed by the caller after the start if it is not 0. -1 with errno.
 */
int cor_run_input_open(run_input *input, int *child_fd_p);
void cor_run_input_close(run_input *input);

/* What to poll for, or -1: the terminal for reading, the pipe for writing. */
int cor_run_input_wants_read(const run_input *input);
int cor_run_input_wants_write(const run_input *input);

void cor_run_input_read(run_input *input);
void cor_run_input_write(run_input *input);

#endif
