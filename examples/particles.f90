! SPDX-License-Identifier: Apache-2.0
! Particles move in a ring of ranks: those that leave the stretch of a rank go to the next rank, whole, by a datatype that
! describes a particle.
!
!     mpifort particles.f90 -o particles && mpirun -n 4 ./particles 50
!
program particles
  use mpi
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

  type particle
    integer :: number
    real(real64) :: place, speed
  end type

  integer, parameter :: each = 100
  integer :: rank, ranks, steps = 50, step, i, here, leaving, coming, moved, passed, total, checksum, ierror
  integer :: status(MPI_STATUS_SIZE), particle_type
  type(particle), allocatable :: mine(:), away(:)
  character(20) :: argument

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) steps
  end if
  call make_particle_type(particle_type)

  ! Each rank begins with as many particles; a rank may come to have all of them.
  allocate (mine(each * ranks), away(each * ranks))
  here = each
  do i = 1, each
    mine(i) = particle(rank * each + i, (i - 1) / real(each, real64), 0.01 * mod(i, 7))
  end do

  passed = 0
  do step = 1, steps
    mine(:here)%place = mine(:here)%place + mine(:here)%speed
    call sort_out(leaving)
    call MPI_Sendrecv(away, leaving, particle_type, mod(rank + 1, ranks), 0, &
                      mine(here + 1), size(mine) - here, particle_type, mod(rank + ranks - 1, ranks), 0, &
                      MPI_COMM_WORLD, status, ierror)
    call MPI_Get_count(status, particle_type, coming, ierror)
    here = here + coming
    passed = passed + leaving
  end do

  ! None was lost, and none changed.
  call MPI_Reduce(here, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(sum(mine(:here)%number), checksum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(passed, moved, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    if (total /= each * ranks .or. checksum /= total * (total + 1) / 2) print '(a)', 'particles were lost'
    print '(3(i0, a))', total, ' particles after ', steps, ' steps; from rank to rank went ', moved
  end if
  call MPI_Type_free(particle_type, ierror)
  call MPI_Finalize(ierror)

contains

  ! Its members where the compiler has placed them, and its extent as elements of an array have it.
  subroutine make_particle_type(made)
    integer, intent(out) :: made
    type(particle) :: two(2)
    integer(MPI_ADDRESS_KIND) :: start, next, place(3)
    integer :: members
    call MPI_Get_address(two(1), start, ierror)
    call MPI_Get_address(two(2), next, ierror)
    call MPI_Get_address(two(1)%number, place(1), ierror)
    call MPI_Get_address(two(1)%place, place(2), ierror)
    call MPI_Get_address(two(1)%speed, place(3), ierror)
    call MPI_Type_create_struct(3, [1, 1, 1], place - start, &
                                [MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION], members, ierror)
    call MPI_Type_create_resized(members, 0_MPI_ADDRESS_KIND, next - start, made, ierror)
    call MPI_Type_commit(made, ierror)
    call MPI_Type_free(members, ierror)
  end subroutine

  ! Moves those beyond the end of the stretch to `away`.
  subroutine sort_out(count)
    integer, intent(out) :: count
    integer :: staying
    staying = 0
    count = 0
    do i = 1, here
      if (mine(i)%place < 1) then
        staying = staying + 1
        mine(staying) = mine(i)
      else
        count = count + 1
        away(count) = mine(i)
        away(count)%place = away(count)%place - 1
      end if
    end do
    here = staying
  end subroutine
end program
