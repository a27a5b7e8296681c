! SPDX-License-Identifier: Apache-2.0
! Files, data representations of the program, sessions, and attributes of datatypes and windows; module mpi_f08.
module fort_file_callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: noted = 0, extents = 0
  integer(MPI_ADDRESS_KIND) :: deleted = 0
contains
  ! In the file every integer is negative.
  subroutine negate(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(C_PTR), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: from(:), to(:)
    call c_f_pointer(userbuf, from, [int(position) + count])
    call c_f_pointer(filebuf, to, [count])
    to = -from(position + 1:) * int(extra_state)
    ierror = merge(MPI_SUCCESS, MPI_ERR_TYPE, datatype == MPI_INTEGER)
  end subroutine

  subroutine extent_of(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    extents = extents + 1
    extent = 4
    ierror = merge(MPI_SUCCESS, MPI_ERR_TYPE, datatype == MPI_INTEGER .and. extra_state == 1)
  end subroutine

  subroutine note_file(file, error_code)
    type(MPI_File) :: file
    integer :: error_code, error_class
    call MPI_Error_class(error_code, error_class)
    noted = noted + error_class + merge(1000, 0, file == MPI_FILE_NULL)
  end subroutine

  subroutine note_session(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code, error_class
    call MPI_Error_class(error_code, error_class)
    noted = noted + error_class + merge(1000, 0, session == MPI_SESSION_NULL)
  end subroutine

  subroutine copy_type(oldtype, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Datatype) :: oldtype
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    flag = oldtype /= MPI_DATATYPE_NULL .and. keyval /= MPI_KEYVAL_INVALID
    attribute_val_out = attribute_val_in + extra_state
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_win(win, keyval, attribute_val, extra_state, ierror)
    type(MPI_Win) :: win
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (win /= MPI_WIN_NULL .and. keyval /= MPI_KEYVAL_INVALID) deleted = attribute_val + extra_state
    ierror = MPI_SUCCESS
  end subroutine
end module

program fort_files
  use mpi_f08
  use fort_check
  use fort_file_callbacks
  implicit none
  integer :: rank, size, i
  type(MPI_Comm) :: world
  character(len=60) :: path

  call sessions()
  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, size)
  write (path, '(a, i0)') 'fort_files.', size
  call files()
  call representations()
  call mistakes()
  call keys()
  call MPI_Finalize()
  call finish()
contains

  subroutine files()
    type(MPI_File) :: file
    type(MPI_Datatype) :: etype, filetype, every
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    integer(MPI_OFFSET_KIND) :: place, bytes
    integer :: a(10), b(10), n, mode
    logical :: flag
    character(len=MPI_MAX_DATAREP_STRING) :: representation
    ! The path ends with blanks.
    call MPI_File_open(world, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    call MPI_File_get_amode(file, mode)
    call expect(iand(mode, MPI_MODE_RDWR) /= 0, 'MPI_File_get_amode')
    a = [(rank * 100 + i, i = 1, 10)]
    call MPI_File_write_at_all(file, 20_MPI_OFFSET_KIND * rank, a(1::2), 5, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call expect_number(n, 5, 'MPI_File_write_at_all of a section')
    b = -1
    call MPI_File_iread_at(file, 20_MPI_OFFSET_KIND * rank, b(2::2), 5, MPI_INTEGER, request)
    call MPI_Wait(request, status)
    call MPI_F_sync_reg(b)
    call expect(all(b(2::2) == a(1::2)) .and. all(b(1::2) == -1), 'MPI_File_iread_at into a section')
    call MPI_File_get_size(file, bytes)
    call expect(bytes == 20 * size, 'MPI_File_get_size')
    call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND * size, every)
    call MPI_Type_commit(every)
    call MPI_File_set_view(file, 4_MPI_OFFSET_KIND * rank, MPI_INTEGER, every, 'native  ', MPI_INFO_NULL)
    call MPI_File_get_view(file, place, etype, filetype, representation)
    call expect(place == 4 * rank .and. etype == MPI_INTEGER .and. representation == 'native', 'MPI_File_get_view')
    call MPI_File_write_all(file, a, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_seek(file, 1_MPI_OFFSET_KIND, MPI_SEEK_SET)
    call MPI_File_get_position(file, place)
    call expect(place == 1, 'MPI_File_get_position')
    b = -1
    call MPI_File_read(file, b, 2_MPI_COUNT_KIND, MPI_INTEGER, status)
    call expect(all(b(1:2) == a(2:3)) .and. b(3) == -1, 'MPI_File_read')
    call MPI_File_set_atomicity(file, .true.)
    call MPI_File_get_atomicity(file, flag)
    call expect(flag, 'MPI_File_get_atomicity')
    call MPI_File_close(file)
    call expect(file == MPI_FILE_NULL, 'MPI_File_close')
    call MPI_Type_free(every)
    if (filetype /= every) return
  end subroutine

  subroutine representations()
    type(MPI_File) :: file
    integer :: a(3), b(3)
    call MPI_Register_datarep('negative ', negate, negate, extent_of, 1_MPI_ADDRESS_KIND)
    call MPI_File_open(MPI_COMM_SELF, trim(path) // 'r' // achar(iachar('0') + rank), MPI_MODE_CREATE + MPI_MODE_RDWR + &
                       MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL)
    a = [1, 2, 3]
    call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, a, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(extents > 0, 'the extent function of a representation')
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
    b = 0
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, b, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(b == -a), 'the conversion function of a representation')
    call MPI_File_close(file)
    call MPI_Register_datarep('plain', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, 1_MPI_ADDRESS_KIND)
  end subroutine

  subroutine mistakes()
    type(MPI_File) :: file
    type(MPI_Errhandler) :: handler
    integer :: error, error_class
    call MPI_File_create_errhandler(note_file, handler)
    call MPI_File_set_errhandler(MPI_FILE_NULL, handler)
    noted = 0
    call MPI_File_open(MPI_COMM_SELF, 'nowhere/at all', MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
    call MPI_Error_class(error, error_class)
    call expect_number(error_class, MPI_ERR_NO_SUCH_FILE, 'a file that is not there')
    call expect_number(noted, 1000 + MPI_ERR_NO_SUCH_FILE, 'an error handler of files')
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN)
    call MPI_Errhandler_free(handler)
  end subroutine

  subroutine keys()
    type(MPI_Datatype) :: one, two
    type(MPI_Win) :: win
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    integer :: cell(1)
    call MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, key, 4_MPI_ADDRESS_KIND)
    call MPI_Type_contiguous(2, MPI_INTEGER, one)
    call MPI_Type_set_attr(one, key, 30_MPI_ADDRESS_KIND)
    call MPI_Type_dup(one, two)
    call MPI_Type_get_attr(two, key, value, flag)
    call expect(flag .and. value == 34, 'the copy function of a datatype')
    call MPI_Type_free(one)
    call MPI_Type_free(two)
    call MPI_Type_free_keyval(key)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, key, 5_MPI_ADDRESS_KIND)
    call MPI_Win_create(cell, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, world, win)
    call MPI_Win_set_attr(win, key, 60_MPI_ADDRESS_KIND)
    call MPI_Win_free(win)
    call expect(deleted == 65, 'the delete function of a window')
    call MPI_Win_free_keyval(key)
  end subroutine

  ! Before MPI_Init.
  subroutine sessions()
    type(MPI_Session) :: session
    type(MPI_Errhandler) :: handler
    type(MPI_Group) :: group
    type(MPI_Comm) :: comm
    integer :: sets, length, total, one
    character(len=MPI_MAX_PSET_NAME_LEN) :: called
    character(len=4) :: short
    call MPI_Session_create_errhandler(note_session, handler)
    call MPI_Session_init(MPI_INFO_NULL, handler, session)
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, sets)
    call expect(sets >= 2, 'MPI_Session_get_num_psets')
    length = len(called)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, called)
    call expect(called(1:6) == 'mpi://' .and. length == len_trim(called), 'MPI_Session_get_nth_pset: ' // trim(called))
    length = 0
    short = 'none'
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, short)
    call expect(short == 'none' .and. length == len_trim(called), 'the length of a name')
    call MPI_Group_from_session_pset(session, 'mpi://WORLD ', group)
    call MPI_Comm_create_from_group(group, 'org.corunna.fortran ', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
    call MPI_Comm_size(comm, one)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, comm)
    call expect_number(total, one, 'a communicator of a session')
    noted = 0
    call MPI_Session_call_errhandler(session, MPI_ERR_TAG)
    call expect_number(noted, MPI_ERR_TAG, 'an error handler of a session')
    call MPI_Comm_free(comm)
    call MPI_Group_free(group)
    call MPI_Errhandler_free(handler)
    call MPI_Session_finalize(session)
    call expect(session == MPI_SESSION_NULL, 'MPI_Session_finalize')
  end subroutine
end program
