! SPDX-License-Identifier: Apache-2.0
! Starts itself: once with two arguments, then as two programs with an argument each, and as one without arguments.
! Blanks before and after a name or an argument do not belong to it.
program fort_spawn
  use mpi_f08
  use fort_check
  implicit none
  type(MPI_Comm) :: parent, children
  character(len=200) :: myself
  character(len=8) :: argument
  integer :: total, codes(2)
  character(len=8) :: arguments(3), each(2, 2)
  call MPI_Init()
  call MPI_Comm_get_parent(parent)
  if (parent /= MPI_COMM_NULL) then
    total = 1000 * command_argument_count()
    call get_command_argument(1, argument)
    total = total + len_trim(argument)
    call MPI_Reduce(total, codes, 1, MPI_INTEGER, MPI_SUM, 0, parent)
    call MPI_Comm_disconnect(parent)
  else
    call get_command_argument(0, myself)
    arguments = [character(len=8) :: ' first', 'a b', '']
    codes = -1
    call MPI_Comm_spawn('  ' // myself, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, codes)
    call expect(all(codes == MPI_SUCCESS), 'codes of MPI_Comm_spawn')
    call of_children(2 * (2000 + 5), 'arguments of MPI_Comm_spawn')
    each(:, 1) = [character(len=8) :: '  ab', 'abcd']
    each(:, 2) = ''
    call MPI_Comm_spawn_multiple(2, [' ' // myself, myself // ' '], each, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, &
                                 MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE)
    call of_children(2 * 1000 + 6, 'arguments of MPI_Comm_spawn_multiple')
    call MPI_Comm_spawn(myself, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE)
    call of_children(0, 'MPI_ARGV_NULL')
  end if
  call MPI_Finalize()
  call finish()
contains
  subroutine of_children(right, what)
    integer, intent(in) :: right
    character(len=*), intent(in) :: what
    integer :: sum
    sum = -1
    call MPI_Reduce(0, sum, 1, MPI_INTEGER, MPI_SUM, MPI_ROOT, children)
    call expect_number(sum, right, what)
    call MPI_Comm_disconnect(children)
  end subroutine
end program
