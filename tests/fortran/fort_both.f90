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

! Default integers as attributes, which mpi_f08 does not have.
subroutine narrow_attribute(comm)
  use mpi
  use fort_check
  implicit none
  integer :: comm, key, value, ierror
  integer(MPI_ADDRESS_KIND), external :: seen_by_c
  logical :: flag
  call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key, 0, ierror)
  call MPI_Attr_put(comm, key, -5, ierror)
  call expect(seen_by_c(comm, key, 1) == -5, 'a default integer in C')
  call MPI_Attr_get(comm, key, value, flag, ierror)
  call expect(flag .and. value == -5, 'a default integer')
  call MPI_Attr_delete(comm, key, ierror)
  call MPI_Keyval_free(key, ierror)
end subroutine

program fort_both
  use mpi_f08
  use fort_check
  implicit none
  external :: with_mpi, with_header, narrow_attribute
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
    integer function key_of_c()
    end function
    integer(MPI_ADDRESS_KIND) function seen_by_c(comm, key, is_narrow)
      import
      integer, intent(in) :: comm, key, is_narrow
    end function
    integer(MPI_ADDRESS_KIND) function set_by_c(comm, key)
      import
      integer, intent(in) :: comm, key
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
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
  call attributes(key, 0)
  call MPI_Comm_free_keyval(key)
  key = key_of_c()
  call attributes(key, 1)
  call MPI_Comm_free_keyval(key)
  call narrow_attribute(world%MPI_VAL)
  call expect_number(operators(), 256, 'the number of operators')
  call MPI_Comm_free(world)
  call MPI_Finalize()
  call finish()
contains
  ! C sees what Fortran has set at an address, and Fortran what C has set as an address; `step`: what C adds for a copy.
  subroutine attributes(key, step)
    integer, intent(in) :: key, step
    integer(MPI_ADDRESS_KIND), parameter :: large = 2_MPI_ADDRESS_KIND**40
    integer(MPI_ADDRESS_KIND) :: value, address
    logical :: flag
    type(MPI_Comm) :: copy
    call MPI_Comm_set_attr(world, key, large)
    call expect(seen_by_c(world%MPI_VAL, key, 0) == large, 'an attribute of Fortran in C')
    call MPI_Comm_dup(world, copy)
    call expect(seen_by_c(copy%MPI_VAL, key, 0) == large + step, 'a copied attribute of Fortran in C')
    call MPI_Comm_get_attr(copy, key, value, flag)
    call expect(flag .and. value == large + step, 'a copied attribute')
    call MPI_Comm_free(copy)
    call MPI_Comm_get_attr(world, key, value, flag)
    call expect(flag .and. value == large, 'an attribute whose copy is gone')
    address = set_by_c(world%MPI_VAL, key)
    call MPI_Comm_dup(world, copy)
    call MPI_Comm_get_attr(copy, key, value, flag)
    call expect(flag .and. value == address, 'an attribute of C')
    call MPI_Comm_free(copy)
    call expect(seen_by_c(world%MPI_VAL, key, 0) == 77, 'an attribute of C in C')
    call MPI_Comm_delete_attr(world, key)
    call MPI_Comm_get_attr(world, key, value, flag)
    call expect(.not. flag, 'a deleted attribute')
  end subroutine
end program
