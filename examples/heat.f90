! SPDX-License-Identifier: Apache-2.0
! A plate whose left edge is hot: every point becomes the mean of its four neighbours, again and again, as in halo.c. The
! ranks form a grid; the points around the tile of a rank belong to others. Rows, which are not contiguous, are sent and
! received as sections of the array, without a copy or a datatype.
!
!     mpifort -O2 heat.f90 -o plate && mpirun -n 4 ./plate 400 100
!
program heat
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  implicit none
  integer :: points = 400, steps = 100, rank, ranks, rows, columns, first(2), dims(2) = 0, place(2), step, i, j
  integer :: up, down, left, right
  real(real64), allocatable, asynchronous :: now(:, :)
  real(real64), allocatable :: next(:, :)
  real(real64) :: start, total
  type(MPI_Comm) :: grid
  type(MPI_Request) :: requests(8)

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, place)
  call MPI_Cart_shift(grid, 0, 1, up, down)
  call MPI_Cart_shift(grid, 1, 1, left, right)
  call read_argument(1, points)
  call read_argument(2, steps)
  if (points < maxval(dims)) then
    if (rank == 0) then
      write (error_unit, '(4(a, i0), a)') 'heat: ', points, ' points a side are too few for ', dims(1), ' x ', &
        dims(2), ' ranks'
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(grid) ! rank 0 ends the job, once it has said why
  end if
  first = points * place / dims
  rows = points * (place(1) + 1) / dims(1) - first(1)
  columns = points * (place(2) + 1) / dims(2) - first(2)
  allocate (now(0:rows + 1, 0:columns + 1), next(rows, columns))
  now = 0
  if (place(2) == 0) now(1:rows, 0) = 1

  start = MPI_Wtime()
  do step = 1, steps
    call MPI_Irecv(now(0, 1:columns), columns, MPI_DOUBLE_PRECISION, up, 0, grid, requests(1))
    call MPI_Irecv(now(rows + 1, 1:columns), columns, MPI_DOUBLE_PRECISION, down, 0, grid, requests(2))
    call MPI_Irecv(now(1:rows, 0), rows, MPI_DOUBLE_PRECISION, left, 0, grid, requests(3))
    call MPI_Irecv(now(1:rows, columns + 1), rows, MPI_DOUBLE_PRECISION, right, 0, grid, requests(4))
    call MPI_Isend(now(1, 1:columns), columns, MPI_DOUBLE_PRECISION, up, 0, grid, requests(5))
    call MPI_Isend(now(rows, 1:columns), columns, MPI_DOUBLE_PRECISION, down, 0, grid, requests(6))
    call MPI_Isend(now(1:rows, 1), rows, MPI_DOUBLE_PRECISION, left, 0, grid, requests(7))
    call MPI_Isend(now(1:rows, columns), rows, MPI_DOUBLE_PRECISION, right, 0, grid, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    do concurrent (j = 1:columns, i = 1:rows)
      next(i, j) = (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j)) / 4
    end do
    now(1:rows, 1:columns) = next
  end do

  call MPI_Reduce(sum(now(1:rows, 1:columns)), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid)
  if (rank == 0) print '(3(a, i0), a, f0.6, 2(a, i0), a, f7.3, a)', 'heat of ', points, ' x ', points, &
    ' points after ', steps, ' steps: ', total, ', by ', dims(1), ' x ', dims(2), ' ranks in', MPI_Wtime() - start, ' s'
  call MPI_Comm_free(grid)
  call MPI_Finalize()

contains

  subroutine read_argument(which, number)
    integer, intent(in) :: which
    integer, intent(inout) :: number
    character(20) :: argument
    if (command_argument_count() < which) return
    call get_command_argument(which, argument)
    read (argument, *) number
  end subroutine
end program
