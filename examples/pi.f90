! SPDX-License-Identifier: Apache-2.0
! Pi as the area under 4 / (1 + x * x) from 0 to 1, cut into slices that are dealt out to the ranks.
!
!     mpifort pi.f90 -o pi && mpirun -n 4 ./pi 1000000
!
program pi
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer :: rank, ranks
  integer(int64) :: slices = 1000000, i
  real(real64) :: start, width, x, part = 0, area
  character(20) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) slices
  end if
  start = MPI_Wtime()
  width = 1.0_real64 / slices
  do i = rank, slices - 1, ranks
    x = (i + 0.5_real64) * width
    part = part + 4 / (1 + x * x) * width
  end do
  call MPI_Reduce(part, area, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, f0.10, a, es7.1, a, i0, a, f7.3, a)', 'pi is about ', area, ', ', &
    abs(area - acos(-1.0_real64)), ' off, by ', ranks, ' ranks in', MPI_Wtime() - start, ' s'
  call MPI_Finalize()
end program
