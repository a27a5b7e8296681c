! SPDX-License-Identifier: Apache-2.0
! Module mpi_f08: sections of arrays with gaps as buffers, counts of 64 bits, and what else it alone has.
module fort_large_operator
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine add_twice(invec, inoutvec, len, datatype)
    type(C_PTR), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = b + 2 * a
  end subroutine
end module

program fort_sections
  use mpi_f08
  use fort_check
  use fort_large_operator
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, size, left, right, i, j, k
  type(MPI_Comm) :: world

  call MPI_Init() ! without ierror, throughout
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call lines()
  call planes()
  call cubes()
  call of_types()
  call of_other_elements()
  call parts()
  call started()
  call side_by_side()
  call blocks()
  call reductions()
  call started_reductions()
  call strings()
  call pointers()
  call memory()
  call large()
  call statuses()
  call wrong()
  call MPI_Finalize()
  call finish()
contains

  ! One dimension, sent and received with gaps, forwards and backwards.
  subroutine lines()
    integer :: a(20), b(20)
    a = [(rank * 100 + i, i = 1, 20)]
    b = -1
    call MPI_Sendrecv(a(1:20:2), 10, MPI_INTEGER, right, 1, b(2:20:2), 10, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE)
    call expect(all(b(1::2) == -1) .and. all(b(2::2) == [(left * 100 + i, i = 1, 20, 2)]), 'every other element')
    b = -1
    call MPI_Sendrecv(a(20:1:-1), 20, MPI_INTEGER, right, 1, b, 20, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE)
    call expect(all(b == [(left * 100 + i, i = 20, 1, -1)]), 'backwards')
    b = -1
    call MPI_Sendrecv(a, 5, MPI_INTEGER, right, 1, b(20:2:-4), 5, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE)
    call expect(all(b(20:2:-4) == [(left * 100 + i, i = 1, 5)]) .and. count(b == -1) == 15, 'received backwards')
    if (rank == 0) b(3::3) = [(i, i = 1, 6)]
    call MPI_Bcast(b(3::3), 6, MPI_INTEGER, 0, world)
    call expect(all(b(3::3) == [(i, i = 1, 6)]), 'MPI_Bcast of a section')
    call expect(b(1) == -1, 'MPI_Bcast leaves the gaps')
  end subroutine

  subroutine planes()
    real(8) :: a(6, 5), b(6, 5)
    type(MPI_Request) :: requests(2)
    a = reshape([(rank * 1000 + i, i = 1, 30)], [6, 5])
    b = -1
    call MPI_Sendrecv(a(2, :), 5, MPI_DOUBLE_PRECISION, right, 2, b(:5, 3), 5, MPI_DOUBLE_PRECISION, left, 2, world, &
                      MPI_STATUS_IGNORE)
    call expect(all(b(:5, 3) == [(left * 1000 + i, i = 2, 30, 6)]) .and. count(b == -1) == 25, 'a row')
    b = -1
    call MPI_Irecv(b(1:6:2, 2:4), 9, MPI_DOUBLE_PRECISION, left, 3, world, requests(1))
    call MPI_Isend(a(2:6:2, 5:1:-2), 9, MPI_DOUBLE_PRECISION, right, 3, world, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(b)
    call expect(all(b(1:6:2, 2:4) == reshape([((left * 1000 + i + 6 * j, i = 2, 6, 2), j = 4, 0, -2)], [3, 3])) .and. &
                count(b == -1) == 21, 'a section of two dimensions')
  end subroutine

  subroutine cubes()
    integer :: a(4, 5, 6), b(4, 5, 6), c(2, 2, 2)
    a = rank * 1000 + reshape([(i, i = 1, 120)], [4, 5, 6])
    b = -1
    c = 0
    call MPI_Sendrecv(a(2:4:2, 1:5:4, 3:6:3), 8, MPI_INTEGER, right, 4, c, 8, MPI_INTEGER, left, 4, world, MPI_STATUS_IGNORE)
    call expect(all(c == a(2:4:2, 1:5:4, 3:6:3) + (left - rank) * 1000), 'a section of three dimensions')
    call MPI_Sendrecv(a(:, 2:3, :), 48, MPI_INTEGER, right, 4, b(:, 4:5, :), 48, MPI_INTEGER, left, 4, world, MPI_STATUS_IGNORE)
    call expect(all(b(:, 4:5, :) == a(:, 2:3, :) + (left - rank) * 1000) .and. all(b(:, 1:3, :) == -1), 'planes of a cube')
    b = -1
    call MPI_Sendrecv(a(1, 1, :), 6, MPI_INTEGER, right, 4, b(3, 4, :), 6, MPI_INTEGER, left, 4, world, MPI_STATUS_IGNORE)
    call expect(all(b(3, 4, :) == a(1, 1, :) + (left - rank) * 1000) .and. count(b == -1) == 114, 'a line through a cube')
  end subroutine

  ! Parts of arrays of a type: the gaps are the other components.
  subroutine of_types()
    type point
      sequence
      real(8) :: x, y
      integer :: tag, unused
    end type
    type(point) :: a(7), b(7)
    a%x = [(rank + i * 0.5d0, i = 1, 7)]
    b%y = -1
    b%x = -1
    call MPI_Sendrecv(a%x, 7, MPI_DOUBLE_PRECISION, right, 5, b%y, 7, MPI_DOUBLE_PRECISION, left, 5, world, MPI_STATUS_IGNORE)
    call expect(all(b%y == [(left + i * 0.5d0, i = 1, 7)]) .and. all(b%x == -1), 'components')
    call MPI_Sendrecv(a(2:6:2), 3 * 24, MPI_BYTE, right, 5, b(1:7:3), 3 * 24, MPI_BYTE, left, 5, world, MPI_STATUS_IGNORE)
    call expect(all(b(1:7:3)%x == [(left + i * 0.5d0, i = 2, 6, 2)]), 'elements of a type as bytes')
  end subroutine

  ! The datatype is a part of an element, or several elements, or has gaps itself.
  subroutine of_other_elements()
    complex :: a(8), b(8)
    integer :: m(24), n(24)
    type(MPI_Datatype) :: three, gaps
    type(MPI_Request) :: request
    a = [(cmplx(rank, i), i = 1, 8)]
    b = 0
    call MPI_Sendrecv(a(1:7:2), 8, MPI_REAL, right, 6, b(2:8:2), 4, MPI_COMPLEX, left, 6, world, MPI_STATUS_IGNORE)
    call expect(all(b(2::2) == [(cmplx(left, i), i = 1, 7, 2)]) .and. all(b(1::2) == 0), 'complex numbers as real ones')
    call MPI_Type_contiguous(3, MPI_INTEGER, three)
    call MPI_Type_commit(three)
    m = [(rank * 100 + i, i = 1, 24)]
    n = -1
    call MPI_Sendrecv(m(1:24:2), 4, three, right, 7, n(1:24:2), 4, three, left, 7, world, MPI_STATUS_IGNORE)
    call expect(all(n(1::2) == [(left * 100 + i, i = 1, 24, 2)]) .and. all(n(2::2) == -1), 'several elements in one')
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    n = -1
    call MPI_Sendrecv(m(1:24:2), 2, gaps, right, 8, n(2:24:2), 2, gaps, left, 8, world, MPI_STATUS_IGNORE)
    call expect(all(n([2, 6, 8, 12]) == left * 100 + [1, 5, 7, 11]) .and. count(n == -1) == 20, 'a datatype with gaps')
    n = -1
    call MPI_Irecv(n(2:24:2), 2, gaps, left, 8, world, request)
    call MPI_Send(m(1:24:2), 2, gaps, right, 8, world)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(n)
    call expect(all(n([2, 6, 8, 12]) == left * 100 + [1, 5, 7, 11]) .and. count(n == -1) == 20, 'started with gaps')
    call MPI_Type_free(three)
    call MPI_Type_free(gaps)
  end subroutine

  ! The first elements of a section: not all of it, with a rest in each dimension.
  subroutine parts()
    integer :: a(4, 4, 4), b(64), n
    integer, allocatable :: whole(:)
    type(MPI_Status) :: status
    a = reshape([(rank * 100 + i, i = 1, 64)], [4, 4, 4])
    whole = reshape(a(1:4:2, 1:4:2, 1:4:2), [8]) + (left - rank) * 100
    do k = 0, 8
      b = -1
      call MPI_Sendrecv(a(1:4:2, 1:4:2, 1:4:2), k, MPI_INTEGER, right, 9, b, 64, MPI_INTEGER, left, 9, world, status)
      call MPI_Get_count(status, MPI_INTEGER, n)
      call expect(n == k .and. all(b(1:k) == whole(1:k)) .and. all(b(k + 1:) == -1), 'a part of a section')
    end do
    call expect(allocated(whole), 'parts')
  end subroutine

  ! Persistent and started operations use a datatype, not a copy: what is written after the call is sent.
  subroutine started()
    integer :: a(10), b(10)
    type(MPI_Request) :: requests(2)
    call MPI_Send_init(a(1::2), 5, MPI_INTEGER, right, 10, world, requests(1))
    call MPI_Recv_init(b(2::2), 5, MPI_INTEGER, left, 10, world, requests(2))
    do k = 1, 3
      a = [(rank * 100 + k * 10 + i, i = 1, 10)]
      b = -1
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call MPI_F_sync_reg(b)
      call expect(all(b(2::2) == [(left * 100 + k * 10 + i, i = 1, 10, 2)]) .and. all(b(1::2) == -1), 'persistent')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  ! Two receives at a time into the gaps of each other, by a datatype with gaps.
  subroutine side_by_side()
    integer, asynchronous :: b(40)
    integer :: a(10)
    type(MPI_Datatype) :: second
    type(MPI_Request) :: requests(4)
    call MPI_Type_vector(10, 1, 2, MPI_INTEGER, second)
    call MPI_Type_commit(second)
    a = [(rank * 100 + i, i = 1, 10)]
    b = -1
    call MPI_Irecv(b(1:40:2), 1, second, left, 1, world, requests(1))
    call MPI_Irecv(b(3:40:2), 1, second, left, 2, world, requests(2))
    call MPI_Isend(a, 10, MPI_INTEGER, right, 1, world, requests(3))
    call MPI_Isend(a, 10, MPI_INTEGER, right, 2, world, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    call expect(all(b(1:40:4) == [(left * 100 + i, i = 1, 10)]), 'the first of two receives side by side')
    call expect(all(b(3:40:4) == [(left * 100 + i, i = 1, 10)]), 'the second of two receives side by side')
    call expect(all(b(2:40:2) == -1), 'what is beside two receives')
    call MPI_Type_free(second)
  end subroutine

  ! Collective operations: a stride in place of a datatype, and copies.
  subroutine blocks()
    integer :: every(2, 2 * size), mine(4), counts(size), places(size), square(3, 2 * size)
    type(MPI_Request) :: request
    mine = [rank, -5, rank + 50, -5]
    every = -1
    call MPI_Gather(mine(1::2), 2, MPI_INTEGER, every(2, :), 2, MPI_INTEGER, 0, world)
    if (rank == 0) call expect(all(every(2, :) == [(j, j + 50, j = 0, size - 1)]) .and. all(every(1, :) == -1), 'MPI_Gather')
    if (rank /= 0) call expect(all(every == -1), 'MPI_Gather at other ranks')
    counts = 2
    places = [(2 * i, i = size - 1, 0, -1)]
    every = -1
    call MPI_Allgatherv(mine(1::2), 2, MPI_INTEGER, every(1, :), counts, places, MPI_INTEGER, world)
    call expect(all(every(1, :) == [(j, j + 50, j = size - 1, 0, -1)]) .and. all(every(2, :) == -1), 'MPI_Allgatherv')
    every = -1
    call MPI_Iallgather(mine(1::2), 2, MPI_INTEGER, every(1, :), 2, MPI_INTEGER, world, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(every)
    call expect(all(every(1, :) == [(j, j + 50, j = 0, size - 1)]) .and. all(every(2, :) == -1), 'MPI_Iallgather')
    ! Two dimensions with gaps have no one stride.
    square = -1
    call MPI_Allgather([rank, rank + 10, rank + 20, rank + 30], 4, MPI_INTEGER, square(1:3:2, :), 4, MPI_INTEGER, world)
    call expect(all(square(1:3:2, :) == reshape([(i, i + 10, i + 20, i + 30, i = 0, size - 1)], [2, 2 * size])) .and. &
                all(square(2, :) == -1), 'MPI_Allgather into two dimensions')
    square = -1
    call MPI_Iallgather([rank, rank + 10, rank + 20, rank + 30], 4, MPI_INTEGER, square(1:3:2, :), 4, MPI_INTEGER, world, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(square)
    call expect(all(square(1:3:2, :) == reshape([(i, i + 10, i + 20, i + 30, i = 0, size - 1)], [2, 2 * size])) .and. &
                all(square(2, :) == -1), 'MPI_Iallgather into two dimensions')
    square = 0
    if (rank == 0) square(2, :) = [(i, i = 1, 2 * size)]
    mine = -1
    call MPI_Scatter(square(2, :), 2, MPI_INTEGER, mine(2::2), 2, MPI_INTEGER, 0, world)
    call expect(all(mine == [-1, 2 * rank + 1, -1, 2 * rank + 2]), 'MPI_Scatter')
    every(2, :) = [(rank * 100 + i, i = 1, 2 * size)]
    every(1, :) = -1
    call MPI_Alltoall(every(2, :), 2, MPI_INTEGER, every(1, :), 2, MPI_INTEGER, world)
    call expect(all(every(1, :) == [(j * 100 + 2 * rank + 1, j * 100 + 2 * rank + 2, j = 0, size - 1)]), 'MPI_Alltoall')
  end subroutine

  subroutine reductions()
    integer :: a(10), b(10)
    a = [(rank + i, i = 1, 10)]
    b = -1
    call MPI_Allreduce(a(1::2), b(2::2), 5, MPI_INTEGER, MPI_SUM, world)
    call expect(all(b(2::2) == [(size * (size - 1) / 2 + size * i, i = 1, 10, 2)]) .and. all(b(1::2) == -1), 'MPI_Allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, a(1::2), 5, MPI_INTEGER, MPI_SUM, world)
    call expect(all(a(1::2) == b(2::2)) .and. all(a(2::2) == [(rank + i, i = 2, 10, 2)]), 'MPI_Allreduce in place')
    b = -1
    call MPI_Reduce([1, 2], b(3:6:3), 2, MPI_INTEGER, MPI_SUM, size - 1, world)
    if (rank == size - 1) call expect(b(3) == size .and. b(6) == 2 * size .and. count(b == -1) == 8, 'MPI_Reduce')
    if (rank /= size - 1) call expect(all(b == -1), 'MPI_Reduce at other ranks')
    a = 1
    b = 2
    call MPI_Reduce_local(a(1::3), b(1::3), 4, MPI_INTEGER, MPI_SUM)
    call expect(all(b(1::3) == 3) .and. count(b == 2) == 6, 'MPI_Reduce_local')
  end subroutine

  subroutine started_reductions()
    integer :: a(10), b(10), c(4, 4)
    type(MPI_Request) :: requests(2)
    a = [(rank + i, i = 1, 10)]
    b = -1
    c = rank
    call MPI_Iallreduce(a(1::2), b(2::2), 5, MPI_INTEGER, MPI_SUM, world, requests(1))
    call MPI_Iallreduce(MPI_IN_PLACE, c(2:3, 2:3), 4, MPI_INTEGER, MPI_SUM, world, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(b)
    call MPI_F_sync_reg(c)
    call expect(all(b(2::2) == [(size * (size - 1) / 2 + size * i, i = 1, 10, 2)]) .and. all(b(1::2) == -1), 'MPI_Iallreduce')
    call expect(all(c(2:3, 2:3) == size * (size - 1) / 2) .and. all(c(1, :) == rank), 'MPI_Iallreduce in place')
    do k = 1, 4
      b = -1
      call MPI_Iallreduce(a(1::2), b(2::2), 5, MPI_INTEGER, MPI_SUM, world, requests(1))
      call see(k, requests(1:1))
      call MPI_F_sync_reg(b)
      call expect(all(b(2::2) == [(size * (size - 1) / 2 + size * i, i = 1, 10, 2)]), 'a reduction that is seen complete')
      b = -2
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call MPI_F_sync_reg(b)
      call expect(all(b == -2), 'a reduction that is seen complete, and freed')
    end do
  end subroutine

  subroutine see(way, requests)
    integer, intent(in) :: way
    type(MPI_Request), intent(in) :: requests(1)
    logical :: flag
    integer :: n, indices(1)
    flag = .false.
    do while (.not. flag)
      select case (way)
      case (1)
        call MPI_Request_get_status(requests(1), flag, MPI_STATUS_IGNORE)
      case (2)
        call MPI_Request_get_status_all(1, requests, flag, MPI_STATUSES_IGNORE)
      case (3)
        call MPI_Request_get_status_any(1, requests, n, flag, MPI_STATUS_IGNORE)
      case default
        call MPI_Request_get_status_some(1, requests, n, indices, MPI_STATUSES_IGNORE)
        flag = n == 1
      end select
    end do
  end subroutine

  subroutine strings()
    character(len=4) :: a(6), b(6)
    a = ['ein ', 'zwei', 'drei', 'vier', 'acht', 'neun']
    b = ''
    call MPI_Sendrecv(a(2:6:2), 12, MPI_CHARACTER, right, 11, b(1:5:2), 12, MPI_CHARACTER, left, 11, world, MPI_STATUS_IGNORE)
    call expect(b(1) == 'zwei' .and. b(3) == 'vier' .and. b(5) == 'neun' .and. b(2) == '', 'strings with gaps')
    call MPI_Sendrecv(a(1:4)(2:3), 8, MPI_CHARACTER, right, 11, b(1:4)(1:2), 8, MPI_CHARACTER, left, 11, world, &
                      MPI_STATUS_IGNORE)
    call expect(b(1) == 'inei' .and. b(4)(1:2) == 'ie', 'parts of strings')
  end subroutine

  ! Pointers and allocatable arrays.
  subroutine pointers()
    integer, target :: a(10)
    integer, pointer :: p(:)
    integer, allocatable :: b(:)
    a = [(rank * 10 + i, i = 1, 10)]
    p => a(1:10:3)
    allocate (b(4))
    call MPI_Sendrecv(p, 4, MPI_INTEGER, right, 12, b, 4, MPI_INTEGER, left, 12, world, MPI_STATUS_IGNORE)
    call expect(all(b == [(left * 10 + i, i = 1, 10, 3)]), 'a pointer to a section')
  end subroutine

  subroutine memory()
    type(C_PTR) :: base
    type(MPI_Win) :: win
    integer, pointer :: cells(:)
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: unit, n
    integer :: a(4)
    call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, cells, [10])
    cells = 3
    call expect(sum(cells) == 30, 'MPI_Alloc_mem')
    call MPI_Free_mem(cells)
    call MPI_Win_allocate(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, world, base, win)
    call c_f_pointer(base, cells, [10])
    cells = -1
    a = [1, 2, 3, 4]
    call MPI_Win_fence(0, win)
    call MPI_Put(a(1::2), 2, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect(all(cells(3:4) == [1, 3]) .and. count(cells == -1) == 8, 'MPI_Put of a section')
    call MPI_Win_free(win)
    call MPI_Win_allocate_shared(8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, world, base, win)
    call MPI_Win_shared_query(win, right, bytes, unit, base)
    call expect(bytes == 8 .and. unit == 4 .and. c_associated(base), 'MPI_Win_shared_query')
    call MPI_Win_free(win)
    call MPI_Sizeof(a, n)
    call expect_number(n, 4, 'MPI_Sizeof of an array')
    call MPI_Sizeof((1d0, 0d0), n)
    call expect_number(n, 16, 'MPI_Sizeof of a complex number')
    call MPI_Sizeof('abc', n)
    call expect_number(n, 3, 'MPI_Sizeof of a string')
  end subroutine

  ! Counts of 64 bits by the generic names.
  subroutine large()
    integer :: a(8), b(8)
    integer(MPI_COUNT_KIND) :: n, counts(size), lb, extent
    integer(MPI_ADDRESS_KIND) :: places(size)
    integer :: every(size)
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    type(MPI_Op) :: op
    type(MPI_Datatype) :: huge_type
    a = [(rank * 10 + i, i = 1, 8)]
    b = -1
    call MPI_Irecv(b(1::2), 4_MPI_COUNT_KIND, MPI_INTEGER, left, 13, world, request)
    call MPI_Send(a(2::2), 4_MPI_COUNT_KIND, MPI_INTEGER, right, 13, world)
    call MPI_Wait(request, status)
    call MPI_F_sync_reg(b)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call expect(n == 4 .and. all(b(1::2) == [(left * 10 + i, i = 2, 8, 2)]), 'large counts')
    counts = 1
    places = [(i, i = 0, size - 1)]
    call MPI_Allgatherv(rank, 1_MPI_COUNT_KIND, MPI_INTEGER, every, counts, places, MPI_INTEGER, world)
    call expect(all(every == [(i, i = 0, size - 1)]), 'arrays of large counts')
    call MPI_Type_contiguous(3000000000_MPI_COUNT_KIND, MPI_INTEGER, huge_type)
    call MPI_Type_get_extent(huge_type, lb, extent)
    call expect(extent == 12000000000_MPI_COUNT_KIND, 'a datatype of 12 GB')
    call MPI_Type_size(huge_type, n)
    call expect(n == 12000000000_MPI_COUNT_KIND, 'MPI_Type_size of 12 GB')
    call MPI_Type_free(huge_type)
    call MPI_Op_create_c(add_twice, .true., op)
    b = 1
    a = 3
    call MPI_Reduce_local(a, b, 8_MPI_COUNT_KIND, MPI_INTEGER, op)
    call expect(all(b == 7), 'MPI_Op_create_c')
    call MPI_Op_free(op)
  end subroutine

  subroutine statuses()
    type(MPI_Status) :: status, copy
    integer :: raw(MPI_STATUS_SIZE), error
    logical :: flag
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 14, i, 1, MPI_INTEGER, left, 14, world, status)
    call MPI_Status_f082f(status, raw)
    call expect(raw(MPI_SOURCE) == left .and. raw(MPI_TAG) == 14, 'MPI_Status_f082f')
    call MPI_Status_f2f08(raw, copy)
    call expect(copy%MPI_SOURCE == left .and. copy%MPI_TAG == 14, 'MPI_Status_f2f08')
    call MPI_Get_count(copy, MPI_INTEGER, i)
    call expect_number(i, 1, 'the count of a copied status')
    call MPI_Status_set_error(copy, MPI_ERR_TAG)
    call MPI_Status_get_error(copy, error)
    call expect(error == MPI_ERR_TAG .and. copy%MPI_ERROR == MPI_ERR_TAG, 'MPI_Status_set_error')
    call MPI_Status_set_cancelled(copy, .true.)
    call MPI_Test_cancelled(copy, flag)
    call expect(flag, 'MPI_Status_set_cancelled')
    call expect(MPI_Comm(257) == MPI_COMM_WORLD .and. MPI_COMM_SELF /= MPI_COMM_WORLD, 'handles compare')
  end subroutine

  ! What this library finds wrong itself.
  subroutine wrong()
    integer :: a(10), b(10), error
    type(MPI_Win) :: win
    type(MPI_Request) :: request
    type(MPI_Errhandler) :: handler
    type(MPI_Datatype) :: second
    a = 0
    b = 0
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(a(1::2), 6, MPI_INTEGER, MPI_PROC_NULL, 1, world, error)
    call expect_number(error, MPI_ERR_COUNT, 'more elements than the section has')
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, second)
    call MPI_Type_commit(second)
    call MPI_Recv(a(1:8:2), 1, second, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE, error)
    call expect_number(error, MPI_ERR_COUNT, 'a datatype that is longer than the section')
    call MPI_Recv(a(1:9:2), 1, second, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE, error)
    call expect_number(error, MPI_SUCCESS, 'a datatype that is as long as the section')
    call MPI_Type_free(second)
    call MPI_Allreduce(a, b(1:6:2), 5, MPI_INTEGER, MPI_SUM, world, error)
    call expect_number(error, MPI_ERR_COUNT, 'a reduction into a section that is too short')
    call MPI_Win_create(a(1::2), 20_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, win, error)
    call expect_number(error, MPI_ERR_BUFFER, 'a window with gaps')
    call MPI_Allreduce_init(a(1::2), b, 5, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, request, error)
    call expect_number(error, MPI_ERR_BUFFER, 'a persistent reduction of a section with gaps')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
  end subroutine
end program
