C SPDX-License-Identifier: Apache-2.0
C Every rank greets rank 0; an old program, in fixed form with mpif.h.
C
C     mpif77 -o hello hello.f && mpirun -n 4 ./hello
C
      PROGRAM HELLO
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, SIZE, SOURCE, IERR, STATUS(MPI_STATUS_SIZE)
      CHARACTER*40 TEXT

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, IERR)
      WRITE (TEXT, '(A,I0,A,I0)') 'Hello from rank ', RANK, ' of ', SIZE
      IF (RANK .EQ. 0) THEN
         WRITE (*, '(A)') TRIM(TEXT)
         DO 10 SOURCE = 1, SIZE - 1
            CALL MPI_RECV(TEXT, 40, MPI_CHARACTER, SOURCE, 0,
     &                    MPI_COMM_WORLD, STATUS, IERR)
            WRITE (*, '(A)') TRIM(TEXT)
   10    CONTINUE
      ELSE
         CALL MPI_SEND(TEXT, 40, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD,
     &                 IERR)
      END IF
      CALL MPI_FINALIZE(IERR)
      END
