! SPDX-License-Identifier: Apache-2.0
! Module mpi_f08: names that belong to the program, sections without elements, counts that are too large.

! Modules mpi and mpi_f08 have no names but those of MPI.
module fort_own_names
  use mpi_f08
  implicit none
contains
  integer function comm_equals(c_ptr)
    integer, intent(in) :: c_ptr
    integer :: request_differs, corunna_true_value
    request_differs = c_ptr
    corunna_true_value = request_differs
    comm_equals = corunna_true_value + 1
  end function
end module

module fort_own_names_old
  use mpi
  implicit none
contains
  integer function comm_differs(c_ptr)
    integer, intent(in) :: c_ptr
    comm_differs = c_ptr - 1
  end function
end module

program fort_edges
  use mpi_f08
  use fort_check
  use fort_own_names, only: comm_equals
  use fort_own_names_old, only: comm_differs
  implicit none
  integer :: rank, size

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call expect(comm_equals(comm_differs(3)) == 3 .and. MPI_COMM_WORLD /= MPI_COMM_SELF, 'names of the program')
  call MPI_Finalize()
  call finish()
end program
