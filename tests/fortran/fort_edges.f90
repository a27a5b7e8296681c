! SPDX-License-Identifier: Apache-2.0
! Module mpi_f08: names that belong to the program, sections without elements, counts that are too large.

! Modules mpi and mpi_f08 have no names but those of MPI.
module fort_own_names
  use mpi_f08
  implicit none
contains
  integer function comm_equals(c_ptr)
    integer, intent(in) :: c_ptr
    integer :: request_differs
    request_differs = c_ptr
    comm_equals = request_differs + 1
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
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call nothing()
  call too_many()
  call freed()
  call completed_in_c()
  call external()
  call MPI_Finalize()
  call finish()
contains

  ! No elements, or elements without bytes.
  subroutine nothing()
    type mark
      character(len=0) :: none
      integer :: number
    end type
    type(mark) :: marks(5)
    integer :: a(4, 4), b(4, 4), error
    type(MPI_Request) :: request
    a = rank
    b = -1
    marks%number = 0
    call MPI_Sendrecv(a(1:4:2, 1:0), 0, MPI_INTEGER, 0, 1, b(1:0, 1:4:2), 0, MPI_INTEGER, 0, 1, MPI_COMM_SELF, &
                      MPI_STATUS_IGNORE, error)
    call expect_number(error, MPI_SUCCESS, 'sections without elements')
    call MPI_Allreduce_init(a(1:4:2, 1:0), b(1:4:2, 1:0), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, request, error)
    call expect_number(error, MPI_SUCCESS, 'a persistent reduction of no elements')
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Request_free(request)
    call MPI_Send(marks%none, 0, MPI_CHARACTER, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_SUCCESS, 'elements without bytes')
    call MPI_Send(marks%none, 1, MPI_CHARACTER, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'more bytes than elements without bytes have')
    call MPI_Send(a(1:4:2, 1:0), 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'more elements than a section without elements has')
    call expect(all(b == -1), 'nothing is received')
  end subroutine

  ! More elements than a section has that is copied.
  subroutine too_many()
    integer :: a(20), b(20), c(3, 4), error
    type(MPI_Datatype) :: gaps, before
    type(MPI_Request) :: request
    a = 1
    b = -1
    c = -1
    call MPI_Allreduce(a(1::2), b(1::2), 11, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'too many elements for a reduction')
    call MPI_Iallreduce(a, b(1::2), 11, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, request, error)
    call expect_number(error, MPI_ERR_COUNT, 'too many elements for a reduction that is started')
    call MPI_Allgather(a, 9, MPI_INTEGER, c(1:3:2, :), 9, MPI_INTEGER, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'too many elements for a section of two dimensions')
    ! With gaps: each reaches over 3 of 10.
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    call MPI_Send(a(1::2), 3, gaps, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_SUCCESS, 'as many elements with gaps as the section has')
    call MPI_Send(a(1::2), 4, gaps, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'too many elements with gaps')
    ! What is before the first element.
    call MPI_Type_create_hindexed(1, [2], [-8_MPI_ADDRESS_KIND], MPI_INTEGER, before)
    call MPI_Type_commit(before)
    call MPI_Send(a(3::2), 1, before, MPI_PROC_NULL, 1, MPI_COMM_SELF, error)
    call expect_number(error, MPI_ERR_COUNT, 'elements before a section')
    call expect(all(b == -1) .and. all(c == -1), 'what fails writes nothing')
    call MPI_Type_free(gaps)
    call MPI_Type_free(before)
  end subroutine

  ! Several elements in one keep their types, which another representation needs.
  subroutine external()
    integer :: a(6), b(3)
    character(len=12) :: packed
    integer(MPI_ADDRESS_KIND) :: position
    type(MPI_Datatype) :: three
    a = [10, 20, 30, 40, 50, 60]
    b = 0
    call MPI_Type_contiguous(3, MPI_INTEGER, three)
    call MPI_Type_commit(three)
    position = 0
    call MPI_Pack_external('external32', a(1::2), 1, three, packed, 12_MPI_ADDRESS_KIND, position)
    position = 0
    call MPI_Unpack_external('external32', packed, 12_MPI_ADDRESS_KIND, position, b, 3, MPI_INTEGER)
    call expect(all(b == [10, 30, 50]), 'a section as one element of external32')
    call MPI_Type_free(three)
  end subroutine

  ! Requests with copies that are freed: the copy is there until the operation is complete, and then written back.
  subroutine freed()
    integer, parameter :: N = 200000
    integer, asynchronous, allocatable :: a(:), b(:), c(:)
    type(MPI_Datatype) :: gaps
    type(MPI_Request) :: request, null = MPI_REQUEST_NULL
    integer :: i
    logical :: flag
    allocate (a(4 * N), b(4 * N), c(N))
    call MPI_Type_vector(N, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    a = [(i, i = 1, 4 * N)]
    b = -1
    call MPI_Isend(a(1::2), 1, gaps, 0, 1, MPI_COMM_SELF, request)
    call MPI_Request_free(request)
    call expect(request == MPI_REQUEST_NULL, 'a freed request')
    ! Others use its handle and its memory.
    do i = 1, 5
      call MPI_Irecv(b(1::2), 1, gaps, 0, 2, MPI_COMM_SELF, request)
      call MPI_Send(b, 1, gaps, 0, 2, MPI_COMM_SELF)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    end do
    call MPI_Recv(c, N, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call expect(all(c == [(i, i = 1, 4 * N, 4)]), 'what a freed request sends')
    b = -1
    call MPI_Irecv(b(2::2), 1, gaps, 0, 3, MPI_COMM_SELF, request)
    call MPI_Request_free(request)
    call MPI_Send(c, N, MPI_INTEGER, 0, 3, MPI_COMM_SELF)
    do i = 1, 100
      call MPI_Test(null, flag, MPI_STATUS_IGNORE)
      call MPI_F_sync_reg(b)
      if (b(2) /= -1) exit
    end do
    call expect(all(b(2::4) == c) .and. count(b == -1) == 3 * N, 'what a freed request receives')
    ! One that is never complete does not hold up MPI_Finalize.
    call MPI_Irecv(b(2::2), 1, gaps, 0, 4, MPI_COMM_SELF, request)
    call MPI_Cancel(request)
    call MPI_Request_free(request)
    call MPI_Type_free(gaps)
  end subroutine

  ! C completes a request with a copy; an operation that gets its handle later does not write to the former section.
  subroutine completed_in_c()
    use, intrinsic :: iso_c_binding
    interface
      integer(c_intptr_t) function MPI_Request_fromint(request) bind(C, name='MPI_Request_fromint')
        import
        integer(c_int), value :: request
      end function
      integer(c_int) function wait_in_c(request, status) bind(C, name='MPI_Wait')
        import
        integer(c_intptr_t) :: request
        type(C_PTR), value :: status
      end function
    end interface
    integer, asynchronous :: b(40), c
    integer :: n
    integer(c_intptr_t) :: request_in_c
    type(MPI_Datatype) :: gaps
    type(MPI_Request) :: first, second
    call MPI_Type_vector(10, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    b = 0
    call MPI_Irecv(b(1::2), 1, gaps, 0, 1, MPI_COMM_SELF, first)
    call MPI_Send([(n, n = 1, 10)], 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
    request_in_c = MPI_Request_fromint(first%MPI_VAL)
    call expect_number(wait_in_c(request_in_c, C_NULL_PTR), MPI_SUCCESS, 'MPI_Wait in C')
    b = -1
    do n = 1, 10
      call MPI_Irecv(c, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, second)
      call MPI_Send(n, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF)
      call MPI_Wait(second, MPI_STATUS_IGNORE)
    end do
    call expect(all(b == -1), 'a section of a request that C has completed')
    call MPI_Type_free(gaps)
  end subroutine
end program
