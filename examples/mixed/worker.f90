! SPDX-License-Identifier: Apache-2.0
! A Fortran rank of a job whose rank 0 is a C program, master.c: it counts the primes in the blocks that it gets, beside
! the Java ranks (Worker.java).
!
!     mpicc master.c -o master && mpifort worker.f90 -o worker
!     mpirun -n 1 ./master 100 : -n 2 ./worker
!
program worker
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: block_tag = 1, result_tag = 2
  integer :: length, block
  integer(int64) :: first, number, primes
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Bcast(length, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  do
    call MPI_Recv(block, 1, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status)
    if (status%MPI_TAG /= block_tag) exit
    first = int(block, int64) * length
    primes = 0
    do number = first, first + length - 1
      if (is_prime(number)) primes = primes + 1
    end do
    call MPI_Send([int(block, int64), primes], 2, MPI_INTEGER8, 0, result_tag, MPI_COMM_WORLD)
  end do
  call MPI_Finalize()

contains

  logical function is_prime(number)
    integer(int64), intent(in) :: number
    integer(int64) :: divisor
    is_prime = number > 1
    divisor = 2
    do while (is_prime .and. divisor * divisor <= number)
      is_prime = mod(number, divisor) /= 0
      divisor = divisor + 1
    end do
  end function
end program
