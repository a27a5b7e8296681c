! SPDX-License-Identifier: Apache-2.0
! Counts what is wrong; needs no MPI.
module fort_check
  implicit none
  private
  public :: expect, expect_number, take, finish, failures, never
  integer :: failures = 0
  logical, volatile :: never = .false.
contains
  subroutine expect(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what
    if (is_right) return
    failures = failures + 1
    write (0, '(2a)') 'wrong: ', what
  end subroutine

  subroutine expect_number(found, right, what)
    integer, intent(in) :: found, right
    character(len=*), intent(in) :: what
    if (found == right) return
    failures = failures + 1
    write (0, '(a, a, a, i0, a, i0)') 'wrong: ', what, ' is ', found, ', not ', right
  end subroutine

  ! A reference to a procedure, which the linker must find.
  subroutine take(procedure)
    external :: procedure
    if (never) call procedure()
  end subroutine

  subroutine finish()
    if (failures > 0) error stop 1
  end subroutine
end module
