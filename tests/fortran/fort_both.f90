! SPDX-License-Identifier: Apache-2.0
! Modules mpi and mpi_f08, and mpif.h, in one file, and C: libraries of different age in one program. What one makes,
! another uses.
subroutine with_mpi(comm, total)
  use mpi
  implicit none
  integer :: comm, total, ierror
  type(MPI_Comm) :: same
  integer :: key
  call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_free_keyval(key, ierror)
  same = MPI_Comm(comm) ! module mpi has the types, too
  if (same /= MPI_Comm(comm)) total = -1
end subroutine

subroutine with_header(comm, total)
  implicit none
  include 'mpif.h'
  integer comm, total, ierror
  call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
end subroutine

program fort_both
  use mpi_f08
  use fort_check
  implicit none
  external :: with_mpi, with_header
  type(MPI_Comm) :: world
  type(MPI_Status) :: status
  integer :: total, size, key
  interface
    integer function ignored(status)
      import
      type(MPI_Status), intent(in) :: status
    end function
    integer function operators()
    end function
  end interface
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, world)
  call MPI_Comm_size(world, size)
  call with_mpi(world%MPI_VAL, total)
  call expect_number(total, size, 'a sum by module mpi')
  call with_header(world%MPI_VAL, total)
  call expect_number(total, size, 'a maximum by mpif.h')
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_free_keyval(key)
  call expect_number(ignored(MPI_STATUS_IGNORE), 1, 'MPI_F_STATUS_IGNORE in C')
  call expect_number(ignored(MPI_STATUSES_IGNORE(1)), 2, 'MPI_F_STATUSES_IGNORE in C')
  call expect_number(ignored(status), 0, 'another status in C')
  call expect_number(operators(), 256, 'the number of operators')
  call MPI_Comm_free(world)
  call MPI_Finalize()
  call finish()
end program
