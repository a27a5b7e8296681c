! SPDX-License-Identifier: Apache-2.0
! The same calls in each of the three ways to use MPI: compiled with USE_F08, USE_MPI or neither, which includes mpif.h.
#ifdef USE_F08
#define HANDLE(T) type(T)
#define STATUS(X) type(MPI_Status) :: X
#define STATUSES(X, N) type(MPI_Status) :: X(N)
#define SOURCE_OF(S) S%MPI_SOURCE
#define TAG_OF(S) S%MPI_TAG
#define TAG_OF_NTH(S, I) S(I)%MPI_TAG
#else
#define HANDLE(T) integer
#define STATUS(X) integer :: X(MPI_STATUS_SIZE)
#define STATUSES(X, N) integer :: X(MPI_STATUS_SIZE, N)
#define SOURCE_OF(S) S(MPI_SOURCE)
#define TAG_OF(S) S(MPI_TAG)
#define TAG_OF_NTH(S, I) S(MPI_TAG, I)
#endif
#ifdef USE_F08
#define MPI_MODULE use mpi_f08
#define MPI_HEADER
#elif defined(USE_MPI)
#define MPI_MODULE use mpi
#define MPI_HEADER
#else
#define MPI_MODULE
#define MPI_HEADER include 'mpif.h'
#endif

! What MPI calls.
module fort_callbacks
  MPI_MODULE
  use, intrinsic :: iso_c_binding
  implicit none
  MPI_HEADER
  private
  public :: multiply, note_comm, note_win, copy_value, delete_value, query, discard, cancel, noted, deleted, cancelled
#ifndef USE_F08
  public :: copy_narrow, delete_narrow
#endif
  integer :: noted = 0, cancelled = 0
  integer(MPI_ADDRESS_KIND) :: deleted = 0
contains
  ! Of complex numbers as pairs of integers, which no predefined operator has.
#ifdef USE_F08
  subroutine multiply(invec, inoutvec, len, datatype)
    type(C_PTR), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:, :), b(:, :)
    call c_f_pointer(invec, a, [2, len])
    call c_f_pointer(inoutvec, b, [2, len])
    if (datatype == MPI_DATATYPE_NULL) return
#else
  subroutine multiply(a, b, len, datatype)
    integer :: len, datatype
    integer :: a(2, len), b(2, len)
    if (datatype == MPI_DATATYPE_NULL) return
#endif
    b = reshape([a(1, :) * b(1, :) - a(2, :) * b(2, :), a(1, :) * b(2, :) + a(2, :) * b(1, :)], [2, len], order=[2, 1])
  end subroutine

  subroutine note_comm(comm, error_code)
    HANDLE(MPI_Comm) :: comm
    integer :: error_code, error_class, ierror
    if (comm == MPI_COMM_SELF) noted = noted + 100
    call MPI_Error_class(error_code, error_class, ierror)
    noted = noted + error_class
  end subroutine

  subroutine note_win(win, error_code)
    HANDLE(MPI_Win) :: win
    integer :: error_code, error_class, ierror
    if (win /= MPI_WIN_NULL) noted = noted + 1000
    call MPI_Error_class(error_code, error_class, ierror)
    noted = noted + error_class
  end subroutine

  subroutine copy_value(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    HANDLE(MPI_Comm) :: oldcomm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    flag = oldcomm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    attribute_val_out = attribute_val_in + extra_state
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_value(comm, keyval, attribute_val, extra_state, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID) deleted = deleted + attribute_val * extra_state
    ierror = MPI_SUCCESS
  end subroutine

#ifndef USE_F08
  subroutine copy_narrow(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    integer :: oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, ierror
    logical :: flag
    flag = .true.
    attribute_val_out = attribute_val_in * extra_state
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_narrow(comm, keyval, attribute_val, extra_state, ierror)
    integer :: comm, keyval, attribute_val, extra_state, ierror
    deleted = deleted + attribute_val
    ierror = MPI_SUCCESS
  end subroutine
#endif

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    STATUS(status)
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    SOURCE_OF(status) = 11
    TAG_OF(status) = 12
    ierror = MPI_SUCCESS
  end subroutine

  subroutine discard(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    deleted = deleted + extra_state
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    cancelled = merge(100, 1, complete) + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program fort_calls
  MPI_MODULE
  use fort_check
  use fort_callbacks
  implicit none
  MPI_HEADER
  integer :: rank, size, left, right, ierror, i
  HANDLE(MPI_Comm) :: world

  call MPI_Init(ierror)
  call expect_number(ierror, MPI_SUCCESS, 'MPI_Init')
  call MPI_Comm_dup(MPI_COMM_WORLD, world, ierror)
  call MPI_Comm_rank(world, rank, ierror)
  call MPI_Comm_size(world, size, ierror)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call environment()
  call messages()
  call requests()
  call collectives()
  call datatypes()
  call addresses()
  call topologies()
  call attributes()
  call handlers()
  call operators()
  call generalized()
  call windows()
  call infos()
  call groups()
  call MPI_Comm_free(world, ierror)
  call expect(world == MPI_COMM_NULL, 'a freed communicator is null')
  call MPI_Finalize(ierror)
  call finish()
contains

  subroutine environment()
    logical :: flag
    integer :: major, minor, length, error_class
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=MPI_MAX_OBJECT_NAME) :: called
    character(len=3) :: short
    call MPI_Initialized(flag, ierror)
    call expect(flag, 'MPI_Initialized')
    call MPI_Finalized(flag, ierror)
    call expect(.not. flag, 'MPI_Finalized')
    call MPI_Get_version(major, minor, ierror)
    call expect(major == MPI_VERSION .and. minor == MPI_SUBVERSION, 'MPI_Get_version')
    call MPI_Get_processor_name(host, length, ierror)
    call expect(length > 0 .and. len_trim(host) == length, 'MPI_Get_processor_name')
    call MPI_Get_library_version(library, length, ierror)
    call expect(index(library, 'Corunna') > 0 .and. len_trim(library) == length, 'MPI_Get_library_version')
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierror)
    call expect(length > 0 .and. len_trim(text) == length, 'MPI_Error_string')
    call MPI_Error_class(MPI_ERR_RANK, error_class, ierror)
    call expect_number(error_class, MPI_ERR_RANK, 'MPI_Error_class')
    call MPI_Comm_get_name(MPI_COMM_WORLD, called, length, ierror)
    call expect(called == 'MPI_COMM_WORLD' .and. length == 14, 'MPI_Comm_get_name: ' // trim(called))
    call MPI_Comm_set_name(world, 'two words  ', ierror)
    call MPI_Comm_get_name(world, called, length, ierror)
    call expect(called == 'two words' .and. length == 9, 'MPI_Comm_set_name: ' // trim(called))
    call MPI_Comm_get_name(world, short, length, ierror)
    call expect(short == 'two' .and. length == 9, 'a short string gets a part: ' // short)
    call expect(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 'MPI_Wtime')
  end subroutine

  subroutine messages()
    integer :: sent(4), got(4), one, count
    logical :: is_there
    real(8) :: square(3, 3), other(3, 3)
    character(len=5) :: word
    logical :: yes(2)
    STATUS(status)
    HANDLE(MPI_Message) :: message
    sent = [(rank * 10 + i, i = 1, 4)]
    got = -1
    call MPI_Sendrecv(sent, 4, MPI_INTEGER, right, 7, got, 4, MPI_INTEGER, left, 7, world, status, ierror)
    call expect(all(got == [(left * 10 + i, i = 1, 4)]), 'MPI_Sendrecv')
    call expect(SOURCE_OF(status) == left .and. TAG_OF(status) == 7, 'status of MPI_Sendrecv')
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call expect_number(count, 4, 'MPI_Get_count')
    call MPI_Get_count(status, MPI_DOUBLE_COMPLEX, count, ierror)
    call expect_number(count, 1, 'MPI_Get_count of other elements')
    ! A scalar, any type and rank, and a part of an array from an element on.
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 1, one, 1, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE, ierror)
    call expect_number(one, left, 'a scalar')
    call MPI_Sendrecv_replace(one, 1, MPI_INTEGER, right, 1, left, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierror)
    call expect_number(one, mod(left + size - 1, size), 'MPI_Sendrecv_replace')
    square = rank + 0.5d0
    other = 0
    call MPI_Sendrecv(square, 9, MPI_DOUBLE_PRECISION, right, 2, other, 9, MPI_DOUBLE_PRECISION, left, 2, world, &
                      MPI_STATUS_IGNORE, ierror)
    call expect(all(other == left + 0.5d0), 'two dimensions')
    got = -1
    call MPI_Sendrecv(sent(2), 2, MPI_INTEGER, right, 3, got(3), 2, MPI_INTEGER, left, MPI_ANY_TAG, world, status, ierror)
    call expect(all(got == [-1, -1, left * 10 + 2, left * 10 + 3]), 'from an element on')
    call MPI_Sendrecv('salut', 5, MPI_CHARACTER, right, 4, word, 5, MPI_CHARACTER, left, 4, world, MPI_STATUS_IGNORE, ierror)
    call expect(word == 'salut', 'characters: ' // word)
    yes = .false.
    call MPI_Sendrecv([.true., .false.], 2, MPI_LOGICAL, right, 4, yes, 2, MPI_LOGICAL, left, 4, world, &
                      MPI_STATUS_IGNORE, ierror)
    call expect(yes(1) .and. .not. yes(2), 'logical values')
    call MPI_Bsend_probe()
    ! Probes; a rank sends to itself, too.
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, world, is_there, MPI_STATUS_IGNORE, ierror)
    call expect(.not. is_there, 'MPI_Iprobe without a message')
    call MPI_Send(sent, 3, MPI_INTEGER, MPI_PROC_NULL, 5, world, ierror)
    call to_self(sent, message, status)
  end subroutine

  subroutine MPI_Bsend_probe()
    character, allocatable :: room(:)
    integer :: one, bytes
    allocate (room(MPI_BSEND_OVERHEAD + 100))
    call MPI_Buffer_attach(room, MPI_BSEND_OVERHEAD + 100, ierror)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 6, world, ierror)
    call MPI_Recv(one, 1, MPI_INTEGER, left, 6, world, MPI_STATUS_IGNORE, ierror)
    call expect_number(one, left, 'MPI_Bsend')
    call detach(room, bytes)
    call expect_number(bytes, MPI_BSEND_OVERHEAD + 100, 'MPI_Buffer_detach')
  end subroutine

  subroutine detach(room, bytes)
#ifdef USE_F08
    use, intrinsic :: iso_c_binding
    type(C_PTR) :: where
#endif
    character, target :: room(*)
    integer :: bytes
#ifdef USE_F08
    call MPI_Buffer_detach(where, bytes, ierror)
    call expect(c_associated(where, c_loc(room)), 'the address of MPI_Buffer_detach')
#else
    call MPI_Buffer_detach(room, bytes, ierror)
#endif
  end subroutine

  subroutine to_self(sent, message, status)
    integer :: sent(4), got(4), count
    HANDLE(MPI_Message) :: message
    STATUS(status)
    HANDLE(MPI_Request) :: request
    logical :: is_there
    call MPI_Isend(sent, 3, MPI_INTEGER, rank, 500, world, request, ierror)
    call MPI_Probe(rank, 500, world, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call expect_number(count, 3, 'MPI_Probe')
    call MPI_Mprobe(MPI_ANY_SOURCE, 500, world, message, status, ierror)
    call expect(message /= MPI_MESSAGE_NULL .and. SOURCE_OF(status) == rank, 'MPI_Mprobe')
    got = 0
    call MPI_Mrecv(got, 4, MPI_INTEGER, message, status, ierror)
    call expect(all(got(1:3) == sent(1:3)) .and. got(4) == 0, 'MPI_Mrecv')
    call expect(message == MPI_MESSAGE_NULL, 'MPI_Mrecv makes the message null')
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect(request == MPI_REQUEST_NULL, 'MPI_Wait makes the request null')
    call MPI_Improbe(rank, 500, world, is_there, message, status, ierror)
    call expect(.not. is_there, 'MPI_Improbe')
  end subroutine

  subroutine requests()
    integer, parameter :: N = 40 ! more than are converted on the stack
    integer :: got(N), sent(N), indices(N), done, which, total
    logical :: flag
    HANDLE(MPI_Request) :: wanted(N), given(N), lasting
    STATUSES(statuses, N)
    STATUS(status)
    do i = 1, N
      sent(i) = rank * 100 + i
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, world, wanted(i), ierror)
    end do
    call MPI_Testany(N, wanted, which, flag, status, ierror)
    if (.not. flag) call expect_number(which, MPI_UNDEFINED, 'index of MPI_Testany without any')
    if (flag) wanted(which) = MPI_REQUEST_NULL
    do i = 1, N
      call MPI_Isend(sent(i), 1, MPI_INTEGER, right, i, world, given(i), ierror)
    end do
    call MPI_Waitall(N, wanted, statuses, ierror)
    call expect(all(got == [(left * 100 + i, i = 1, N)]), 'MPI_Waitall')
    if (.not. flag) then
      do i = 1, N
        call expect_number(TAG_OF_NTH(statuses, i), i, 'a status of MPI_Waitall')
        call expect(wanted(i) == MPI_REQUEST_NULL, 'MPI_Waitall makes requests null')
      end do
    end if
    call MPI_Waitall(N, given, MPI_STATUSES_IGNORE, ierror)
    ! One at a time: every index from 1 to 4 comes once.
    do i = 1, 4
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, world, wanted(i), ierror)
      call MPI_Isend(sent(i), 1, MPI_INTEGER, right, i, world, given(i), ierror)
    end do
    total = 0
    do i = 1, 4
      call MPI_Waitany(4, wanted, which, status, ierror)
      call expect(which >= 1 .and. which <= 4, 'index of MPI_Waitany')
      call expect_number(TAG_OF(status), which, 'status of MPI_Waitany')
      total = total + 10**which
    end do
    call expect_number(total, 11110, 'indices of MPI_Waitany')
    call MPI_Waitany(4, wanted, which, status, ierror)
    call expect_number(which, MPI_UNDEFINED, 'index of MPI_Waitany of none')
    call MPI_Waitall(4, given, MPI_STATUSES_IGNORE, ierror)
    do i = 1, 4
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, world, wanted(i), ierror)
      call MPI_Isend(sent(i), 1, MPI_INTEGER, right, i, world, given(i), ierror)
    end do
    total = 0
    do while (total < 11110)
      call MPI_Waitsome(4, wanted, done, indices, statuses, ierror)
      call expect(done >= 1 .and. all(indices(1:done) >= 1 .and. indices(1:done) <= 4), 'MPI_Waitsome')
      if (done < 1) exit
      do i = 1, done
        call expect_number(TAG_OF_NTH(statuses, i), indices(i), 'a status of MPI_Waitsome')
        total = total + 10**indices(i)
      end do
    end do
    call MPI_Waitsome(4, wanted, done, indices, MPI_STATUSES_IGNORE, ierror)
    call expect_number(done, MPI_UNDEFINED, 'MPI_Waitsome of none')
    call MPI_Waitall(4, given, MPI_STATUSES_IGNORE, ierror)
    call MPI_Testall(4, given, flag, MPI_STATUSES_IGNORE, ierror)
    call expect(flag, 'MPI_Testall of none')
    ! Persistent ones stay.
    call MPI_Send_init(sent, N, MPI_INTEGER, rank, 3, world, lasting, ierror)
    do i = 1, 2
      call MPI_Start(lasting, ierror)
      call MPI_Recv(got, N, MPI_INTEGER, rank, 3, world, status, ierror)
      call MPI_Wait(lasting, MPI_STATUS_IGNORE, ierror)
      call expect(all(got == sent) .and. lasting /= MPI_REQUEST_NULL, 'MPI_Start')
    end do
    call MPI_Request_free(lasting, ierror)
    call expect(lasting == MPI_REQUEST_NULL, 'MPI_Request_free')
  end subroutine

  subroutine collectives()
    integer :: mine(2), total(2), every(2 * size), counts(size), places(size), types_(1)
    HANDLE(MPI_Datatype) :: types(size), ignored(1)
    HANDLE(MPI_Request) :: request
    real :: x
    ignored = transfer(-1, ignored)
    mine = [rank, 1]
    call MPI_Allreduce(mine, total, 2, MPI_INTEGER, MPI_SUM, world, ierror)
    call expect(all(total == [size * (size - 1) / 2, size]), 'MPI_Allreduce')
    total = mine
    call MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INTEGER, MPI_SUM, world, ierror)
    call expect(all(total == [size * (size - 1) / 2, size]), 'MPI_Allreduce in place')
    every = -1
    call MPI_Gather(mine, 2, MPI_INTEGER, every, 2, MPI_INTEGER, 0, world, ierror)
    if (rank == 0) call expect(all(every(1::2) == [(i, i = 0, size - 1)]), 'MPI_Gather')
    every = -1
    every(2 * rank + 1:2 * rank + 2) = mine
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, every, 2, MPI_INTEGER, world, ierror)
    call expect(all(every(1::2) == [(i, i = 0, size - 1)]) .and. all(every(2::2) == 1), 'MPI_Allgather in place')
    ! Arguments that do not matter may be anything: of other ranks than the root, and of the send side in place.
    every = -1
    types(1) = merge(MPI_INTEGER, ignored(1), rank == 0)
    call MPI_Gather(mine, 2, MPI_INTEGER, every, 2, types(1), 0, world, ierror)
    if (rank == 0) call expect(all(every(1::2) == [(i, i = 0, size - 1)]), 'MPI_Gather with a datatype at the root')
    call MPI_Scatter(every, 2, types(1), mine, 2, MPI_INTEGER, 0, world, ierror)
    call expect(all(mine == [rank, 1]), 'MPI_Scatter with a datatype at the root')
    every(1:size) = rank
    counts = 1
    types = MPI_INTEGER
    places = [(4 * i, i = 0, size - 1)]
    call MPI_Alltoallw(MPI_IN_PLACE, [-1], [-1], ignored, every, counts, places, types, world, ierror)
    call expect(all(every(1:size) == [(i, i = 0, size - 1)]), 'MPI_Alltoallw in place')
    x = rank
    call MPI_Bcast(x, 1, MPI_REAL, size - 1, world, ierror)
    call expect(x == size - 1, 'MPI_Bcast')
    counts = 1
    places = [(2 * i, i = size - 1, 0, -1)]
    every = -1
    call MPI_Allgatherv(rank, 1, MPI_INTEGER, every, counts, places, MPI_INTEGER, world, ierror)
    call expect(all(every(1::2) == [(i, i = size - 1, 0, -1)]) .and. all(every(2::2) == -1), 'MPI_Allgatherv')
    ! Arrays of datatypes, which the library may read until the request is complete.
    types = MPI_INTEGER
    places = [(4 * i, i = 0, size - 1)]
    every = rank
    total = 0
    call exchange(every, counts, places, types, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect(all(every(size + 1:) == [(i, i = 0, size - 1)]), 'MPI_Ialltoallw')
    call MPI_Barrier(world, ierror)
    call expect_number(ierror, MPI_SUCCESS, 'MPI_Barrier')
    call MPI_Ibarrier(world, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    types_ = 0
  end subroutine

  subroutine exchange(every, counts, places, types, request)
    integer, asynchronous :: every(2 * size)
    integer :: counts(size), places(size)
    HANDLE(MPI_Datatype) :: types(size)
    HANDLE(MPI_Request) :: request
    call MPI_Ialltoallw(every(1:size), counts, places, types, every(size + 1:), counts, places, types, world, request, ierror)
    types = MPI_DATATYPE_NULL
  end subroutine

  subroutine datatypes()
    HANDLE(MPI_Datatype) :: column, pair, kinds, parts(3), contents(3)
    integer :: matrix(4, 3), got(4), lengths(2), integers(10), n_integers, n_addresses, n_types, combiner, bytes, position
    integer(MPI_ADDRESS_KIND) :: lb, extent, places(2), addresses(10)
    character(len=40) :: room
    real(8) :: value
    integer :: number
    matrix = reshape([(i, i = 1, 12)], [4, 3])
    call MPI_Type_vector(3, 1, 4, MPI_INTEGER, column, ierror)
    call MPI_Type_commit(column, ierror)
    call MPI_Sendrecv(matrix(2, 1), 1, column, rank, 1, got, 3, MPI_INTEGER, rank, 1, world, MPI_STATUS_IGNORE, ierror)
    call expect(all(got(1:3) == [2, 6, 10]), 'a row by MPI_Type_vector')
    call MPI_Type_get_extent(column, lb, extent, ierror)
    call expect(lb == 0 .and. extent == 36, 'MPI_Type_get_extent')
    call MPI_Type_get_envelope(column, n_integers, n_addresses, n_types, combiner, ierror)
    call expect(n_integers == 3 .and. n_addresses == 0 .and. n_types == 1 .and. combiner == MPI_COMBINER_VECTOR, &
                'MPI_Type_get_envelope')
    contents = MPI_DATATYPE_NULL
    call MPI_Type_get_contents(column, 10, 10, 3, integers, addresses, contents, ierror)
    call expect(all(integers(1:3) == [3, 1, 4]) .and. contents(1) == MPI_INTEGER, 'MPI_Type_get_contents')
    lengths = [1, 1]
    places = [0, 8]
    parts(1) = MPI_DOUBLE_PRECISION
    parts(2) = MPI_INTEGER
    call MPI_Type_create_struct(2, lengths, places, parts, pair, ierror)
    call MPI_Type_size(pair, bytes, ierror)
    call expect_number(bytes, 12, 'MPI_Type_create_struct')
    call MPI_Type_create_f90_real(15, 30, kinds, ierror)
    call MPI_Type_size(kinds, bytes, ierror)
    call expect_number(bytes, 8, 'MPI_Type_create_f90_real')
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, kinds, ierror)
    call MPI_Type_size(kinds, bytes, ierror)
    call expect_number(bytes, 8, 'MPI_Type_match_size')
    position = 0
    call MPI_Pack(2.5d0, 1, MPI_DOUBLE_PRECISION, room, 40, position, world, ierror)
    call MPI_Pack(17, 1, MPI_INTEGER, room, 40, position, world, ierror)
    call expect_number(position, 12, 'MPI_Pack')
    position = 0
    call MPI_Unpack(room, 40, position, value, 1, MPI_DOUBLE_PRECISION, world, ierror)
    call MPI_Unpack(room, 40, position, number, 1, MPI_INTEGER, world, ierror)
    call expect(value == 2.5d0 .and. number == 17, 'MPI_Unpack')
    places(1) = 0
    call MPI_Pack_external('external32 ', 258, 1, MPI_INTEGER, room, 40_MPI_ADDRESS_KIND, places(1), ierror)
    call expect(places(1) == 4 .and. room(3:4) == char(1) // char(2), 'MPI_Pack_external')
    call MPI_Type_free(pair, ierror)
    call MPI_Type_free(column, ierror)
    call expect(column == MPI_DATATYPE_NULL, 'MPI_Type_free')
  end subroutine

  subroutine addresses()
    integer(MPI_ADDRESS_KIND) :: here, there
    integer :: pair(2), got(2)
    HANDLE(MPI_Datatype) :: absolute
    pair = [3, 4]
    call MPI_Get_address(pair(1), here, ierror)
    call MPI_Get_address(pair(2), there, ierror)
    call expect(MPI_Aint_diff(there, here) == 4 .and. MPI_Aint_add(here, 4_MPI_ADDRESS_KIND) == there, 'MPI_Get_address')
    call MPI_Get_address(MPI_BOTTOM, there, ierror)
    call expect(there == 0, 'MPI_BOTTOM is address 0')
    call MPI_Type_create_hindexed(1, [2], [here], MPI_INTEGER, absolute, ierror)
    call MPI_Type_commit(absolute, ierror)
    call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, rank, 1, got, 2, MPI_INTEGER, rank, 1, world, MPI_STATUS_IGNORE, ierror)
    call expect(all(got == [3, 4]), 'a message from MPI_BOTTOM')
    call MPI_F_sync_reg(pair)
    call MPI_Type_free(absolute, ierror)
  end subroutine

  subroutine topologies()
    HANDLE(MPI_Comm) :: grid, line
    integer :: dims(2), coords(2), found(2), source, dest, neighbours(2), count, in_count, out_count, weight(2)
    logical :: periods(2), flag, weighted
    dims = [size, 1]
    call MPI_Cart_create(world, 2, dims, [.true., .false.], .false., grid, ierror)
    call MPI_Cart_get(grid, 2, found, periods, coords, ierror)
    call expect(all(found == dims) .and. periods(1) .and. .not. periods(2) .and. all(coords == [rank, 0]), 'MPI_Cart_get')
    call MPI_Cart_shift(grid, 0, 1, source, dest, ierror)
    call expect(source == left .and. dest == right, 'MPI_Cart_shift')
    call MPI_Cart_sub(grid, [.true., .false.], line, ierror)
    call MPI_Comm_size(line, count, ierror)
    call expect_number(count, size, 'MPI_Cart_sub')
    call MPI_Comm_free(line, ierror)
    call MPI_Cart_sub(grid, [.false., .true.], line, ierror)
    call MPI_Comm_size(line, count, ierror)
    call expect_number(count, 1, 'MPI_Cart_sub across')
    call MPI_Comm_free(line, ierror)
    call MPI_Comm_free(grid, ierror)
    call MPI_Dist_graph_create_adjacent(world, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                        .false., line, ierror)
    call MPI_Dist_graph_neighbors_count(line, in_count, out_count, weighted, ierror)
    call expect(in_count == 1 .and. out_count == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    call MPI_Comm_free(line, ierror)
    call MPI_Dist_graph_create_adjacent(world, 1, [left], [7], 1, [right], [8], MPI_INFO_NULL, .false., line, ierror)
    call MPI_Dist_graph_neighbors(line, 1, neighbours(1:1), weight(1:1), 1, neighbours(2:2), weight(2:2), ierror)
    call expect(all(neighbours == [left, right]) .and. all(weight == [7, 8]), 'MPI_Dist_graph_neighbors')
    call MPI_Comm_free(line, ierror)
    call MPI_Comm_test_inter(world, flag, ierror)
    call expect(.not. flag, 'MPI_Comm_test_inter')
  end subroutine

  subroutine attributes()
    integer :: key, narrow_key, narrow
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    HANDLE(MPI_Comm) :: copy
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call expect(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_create_keyval(copy_value, delete_value, key, 5_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_get_attr(world, key, value, flag, ierror)
    call expect(.not. flag, 'an attribute that is not set')
    call MPI_Comm_set_attr(world, key, 2_MPI_ADDRESS_KIND**40, ierror)
    call MPI_Comm_dup(world, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call expect(flag .and. value == 2_MPI_ADDRESS_KIND**40 + 5, 'the copy function of an attribute')
    deleted = 0
    call MPI_Comm_free(copy, ierror)
    call expect(deleted == (2_MPI_ADDRESS_KIND**40 + 5) * 5, 'the delete function of an attribute')
    call MPI_Comm_delete_attr(world, key, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call expect_number(key, MPI_KEYVAL_INVALID, 'MPI_Comm_free_keyval')
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(world, key, 9_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(world, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call expect(.not. flag, 'MPI_COMM_NULL_COPY_FN')
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_delete_attr(world, key, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(world, key, 9_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(world, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call expect(flag .and. value == 9, 'MPI_COMM_DUP_FN')
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_delete_attr(world, key, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    narrow = 0
    narrow_key = 0
#ifndef USE_F08
    call MPI_Keyval_create(copy_narrow, delete_narrow, narrow_key, 3, ierror)
    call MPI_Attr_put(world, narrow_key, -7, ierror)
    call MPI_Comm_dup(world, copy, ierror)
    call MPI_Attr_get(copy, narrow_key, narrow, flag, ierror)
    call expect(flag .and. narrow == -21, 'MPI_Attr_get')
    deleted = 0
    call MPI_Comm_free(copy, ierror)
    call expect(deleted == -21, 'the delete function of MPI_Keyval_create')
    call MPI_Attr_delete(world, narrow_key, ierror)
    call MPI_Keyval_free(narrow_key, ierror)
#endif
  end subroutine

  subroutine handlers()
    HANDLE(MPI_Errhandler) :: handler, former
    HANDLE(MPI_Comm) :: other
    call MPI_Comm_create_errhandler(note_comm, handler, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, former, ierror)
    call expect(former == handler, 'MPI_Comm_get_errhandler')
    noted = 0
    call MPI_Send(rank, 1, MPI_INTEGER, 5, 1, MPI_COMM_SELF, ierror)
    call expect_number(noted, 100 + MPI_ERR_RANK, 'what an error handler gets')
    call expect_number(ierror, MPI_ERR_RANK, 'ierror')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Send(rank, -1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
    call expect_number(ierror, MPI_ERR_COUNT, 'ierror by MPI_ERRORS_RETURN')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Comm_call_errhandler_twice(handler)
    call MPI_Errhandler_free(former, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call expect(handler == MPI_ERRHANDLER_NULL, 'MPI_Errhandler_free')
    other = MPI_COMM_NULL
  end subroutine

  subroutine MPI_Comm_call_errhandler_twice(handler)
    HANDLE(MPI_Errhandler) :: handler
    call MPI_Comm_set_errhandler(world, handler, ierror)
    noted = 0
    call MPI_Comm_call_errhandler(world, MPI_ERR_TAG, ierror)
    call MPI_Comm_call_errhandler(world, MPI_ERR_TAG, ierror)
    call expect_number(noted, 2 * MPI_ERR_TAG, 'MPI_Comm_call_errhandler')
    call MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL, ierror)
  end subroutine

  subroutine operators()
    HANDLE(MPI_Op) :: op
    HANDLE(MPI_Datatype) :: pair
    integer :: mine(2, 3), product(2, 3), right_one(2)
    logical :: flag
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
    call MPI_Type_commit(pair, ierror)
    call MPI_Op_create(multiply, .true., op, ierror)
    call MPI_Op_commutative(op, flag, ierror)
    call expect(flag, 'MPI_Op_commutative')
    mine = spread([0, 1], 2, 3) ! i
    call MPI_Allreduce(mine, product, 3, pair, op, world, ierror)
    right_one = [1, 0]
    do i = 1, size
      right_one = [-right_one(2), right_one(1)]
    end do
    call expect(all(product == spread(right_one, 2, 3)), 'an operator of the program')
    call MPI_Op_free(op, ierror)
    call expect(op == MPI_OP_NULL, 'MPI_Op_free')
    call MPI_Op_create(multiply, .false., op, ierror)
    call MPI_Op_commutative(op, flag, ierror)
    call expect(.not. flag, 'MPI_Op_commutative of another')
    call MPI_Op_free(op, ierror)
    call MPI_Type_free(pair, ierror)
  end subroutine

  subroutine generalized()
    HANDLE(MPI_Request) :: request
    STATUS(status)
    integer :: count
    logical :: flag
    deleted = 0
    call MPI_Grequest_start(query, discard, cancel, 6_MPI_ADDRESS_KIND, request, ierror)
    call MPI_Test(request, flag, status, ierror)
    call expect(.not. flag, 'a generalized request that goes on')
    call MPI_Cancel(request, ierror)
    call expect_number(cancelled, 7, 'the cancel function')
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call expect(count == 6 .and. SOURCE_OF(status) == 11 .and. TAG_OF(status) == 12, 'the query function')
    call expect(deleted == 6, 'the free function')
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(.not. flag, 'MPI_Test_cancelled')
  end subroutine

  subroutine windows()
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Errhandler) :: handler
    integer, asynchronous :: memory(2)
    integer(MPI_ADDRESS_KIND) :: value, base
    logical :: flag
    memory = -1
    call MPI_Win_create(memory, 8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, world, win, ierror)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
    call expect(flag .and. value == 8, 'MPI_WIN_SIZE')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
    call expect(flag .and. value == 4, 'MPI_WIN_DISP_UNIT')
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
    call MPI_Get_address(memory, base, ierror)
    call expect(flag .and. value == base, 'MPI_WIN_BASE')
    call MPI_Win_create_errhandler(note_win, handler, ierror)
    call MPI_Win_set_errhandler(win, handler, ierror)
    noted = 0
    call MPI_Win_call_errhandler(win, MPI_ERR_DISP, ierror)
    call expect_number(noted, 1000 + MPI_ERR_DISP, 'an error handler of a window')
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Win_fence(0, win, ierror)
    call MPI_Put(rank, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call MPI_F_sync_reg(memory)
    call expect(memory(1) == -1 .and. memory(2) == left, 'MPI_Put')
    call MPI_Win_free(win, ierror)
    call expect(win == MPI_WIN_NULL, 'MPI_Win_free')
  end subroutine

  subroutine infos()
    HANDLE(MPI_Info) :: info
    character(len=MPI_MAX_INFO_VAL) :: value
    character(len=MPI_MAX_INFO_KEY) :: key
    character(len=4) :: short
    integer :: length, count
    logical :: flag
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, ' key ', '  a value  ', ierror)
    call MPI_Info_get_valuelen(info, 'key', length, flag, ierror)
    call expect(flag .and. length == 7, 'MPI_Info_get_valuelen')
    call MPI_Info_get(info, 'key', 7, value, flag, ierror)
    call expect(flag .and. value == 'a value', 'MPI_Info_get: ' // trim(value))
    length = len(value)
    call MPI_Info_get_string(info, 'key', length, value, flag, ierror)
    call expect(flag .and. value == 'a value' .and. length == 7, 'MPI_Info_get_string: ' // trim(value))
    length = 4
    call MPI_Info_get_string(info, 'key', length, short, flag, ierror)
    call expect(flag .and. short == 'a va' .and. length == 7, 'MPI_Info_get_string into less: ' // short)
    length = 0
    call MPI_Info_get_string(info, 'key', length, short, flag, ierror)
    call expect(flag .and. short == 'a va' .and. length == 7, 'MPI_Info_get_string of the length')
    call MPI_Info_get_string(info, 'none', length, short, flag, ierror)
    call expect(.not. flag, 'MPI_Info_get_string of no key')
    call MPI_Info_get_nkeys(info, count, ierror)
    call expect_number(count, 1, 'MPI_Info_get_nkeys')
    call MPI_Info_get_nthkey(info, 0, key, ierror)
    call expect(key == 'key', 'MPI_Info_get_nthkey: ' // trim(key))
    call MPI_Info_free(info, ierror)
    call expect(info == MPI_INFO_NULL, 'MPI_Info_free')
    call MPI_Info_create_env(info, ierror)
    call expect(info /= MPI_INFO_NULL, 'MPI_Info_create_env')
    call MPI_Info_free(info, ierror)
  end subroutine

  subroutine groups()
    HANDLE(MPI_Group) :: group, part
    HANDLE(MPI_Comm) :: later
    HANDLE(MPI_Request) :: request
    integer :: ranges(3, 1), count, result
    call MPI_Comm_group(world, group, ierror)
    ranges(:, 1) = [0, size - 1, 2]
    call MPI_Group_range_incl(group, 1, ranges, part, ierror)
    call MPI_Group_size(part, count, ierror)
    call expect_number(count, (size + 1) / 2, 'MPI_Group_range_incl')
    call MPI_Group_compare(group, part, result, ierror)
    call expect_number(result, merge(MPI_IDENT, MPI_UNEQUAL, size == 1), 'MPI_Group_compare')
    call MPI_Group_free(part, ierror)
    call MPI_Group_free(group, ierror)
    call expect(group == MPI_GROUP_NULL, 'MPI_Group_free')
    call MPI_Comm_idup(world, later, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_compare(world, later, result, ierror)
    call expect_number(result, MPI_CONGRUENT, 'MPI_Comm_idup')
    call MPI_Comm_free(later, ierror)
  end subroutine
end program
