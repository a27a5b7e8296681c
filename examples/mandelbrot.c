/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One picture from all ranks: the plane is cut into tiles, one for each rank, and each draws its part of the Mandelbrot
 * set. The view of a rank shows it the pixels of its tile in the file, a subarray of the picture behind the header, so
 * one collective call writes all tiles, and no rank has the whole picture in memory.
 *
 *     mpicc -O2 mandelbrot.c -o mandelbrot && mpirun -n 4 ./mandelbrot mandelbrot.ppm 900 600
 *
 * Numbers are integers, 2^28 for 1: so the picture is the same, byte for byte, on any machine and number of ranks.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHIFT = 28, STEPS = 255, CHANNELS = 3 };

/* After how many steps a point is outside. */
static int steps_of(int64_t x, int64_t y)
{
    int64_t a = 0, b = 0;
    for (int i = 0; i < STEPS; i++) {
        int64_t aa = a * a >> SHIFT, bb = b * b >> SHIFT;
        if (aa + bb > (int64_t)4 << SHIFT)
            return i;
        b = (a * b >> (SHIFT - 1)) + y;
        a = aa - bb + x;
    }
    return STEPS;
}

int main(int argc, char **argv)
{
    int rank, size, grid[2] = {0, 0}; /* rows and columns of tiles */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, grid);
    const char *name = argc > 1 ? argv[1] : "mandelbrot.ppm";
    int width = argc > 2 ? atoi(argv[2]) : 900, height = argc > 3 ? atoi(argv[3]) : 600;
    if (width < grid[1] || height < grid[0]) {
        fprintf(stderr, "mandelbrot: %d x %d pixels are too few for %d x %d ranks\n", width, height, grid[1], grid[0]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    double start = MPI_Wtime();
    int row = rank / grid[1], column = rank % grid[1];
    int left = (int)((long)width * column / grid[1]), right = (int)((long)width * (column + 1) / grid[1]);
    int top = (int)((long)height * row / grid[0]), bottom = (int)((long)height * (row + 1) / grid[0]);

    int bytes = (bottom - top) * (right - left) * CHANNELS;
    unsigned char *tile = malloc((size_t)bytes), *pixel = tile;
    int64_t step = ((int64_t)3 << SHIFT) / width;
    long inside = 0, all;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            int steps = steps_of((x - 2 * width / 3) * step, (y - height / 2) * step);
            inside += steps == STEPS;
            *pixel++ = (unsigned char)(steps == STEPS ? 0 : steps * 9);
            *pixel++ = (unsigned char)(steps == STEPS ? 0 : steps * 5);
            *pixel++ = (unsigned char)(steps == STEPS ? 0 : 64 + steps * 3);
        }
    }

    char header[40];
    int length = snprintf(header, sizeof header, "P6\n%d %d\n255\n", width, height);
    MPI_File file;
    MPI_Datatype view;
    int opened = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (opened != MPI_SUCCESS) { /* files return their errors */
        char text[MPI_MAX_ERROR_STRING];
        MPI_Error_string(opened, text, &length);
        fprintf(stderr, "mandelbrot: %s\n", text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_size(file, (MPI_Offset)width * height * CHANNELS + length);
    if (rank == 0)
        MPI_File_write_at(file, 0, header, length, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Type_create_subarray(2, (int[]){height, width * CHANNELS}, (int[]){bottom - top, (right - left) * CHANNELS},
                             (int[]){top, left * CHANNELS}, MPI_ORDER_C, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, length, MPI_BYTE, view, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, tile, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&view);

    MPI_Reduce(&inside, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d x %d pixels, %ld inside, by %d ranks in %.3f s\n", name, width, height, all, size,
               MPI_Wtime() - start);
    free(tile);
    MPI_Finalize();
    return 0;
}
