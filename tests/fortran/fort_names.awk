# SPDX-License-Identifier: Apache-2.0
# A program that sees every constant of the ABI (abi_values.inc of tests/cface) with its value, and refers to every
# procedure under both names; -v use=mpif, mpi or f08.
#
#   awk -v use=... -v values=abi_values.inc -f functions.awk -f fort_names.awk kinds.tsv functions.tsv

function from_hex(text,    k, value) {
    value = 0
    for (k = 3; k <= length(text); k++)
        value = 16 * value + index("0123456789abcdef", tolower(substr(text, k, 1))) - 1
    return value
}

function has_logical(i,    j) {
    for (j = 1; j <= COUNT[i]; j++)
        if (kind[i, j] == "logical")
            return 1
    return 0
}

# In mpi_f08 a specific name ends with _f08, or with _f08ts if it has buffers and no logical values.
function take(called, i,    j) {
    for (j = 1; j <= COUNT[i] && fortran_type[kind[i, j]] !~ /^TYPE\(\*\)/; j++)
        ;
    take_name(use == "f08" ? called (j <= COUNT[i] && !has_logical(i) ? "_f08ts" : "_f08") : called)
}

function take_name(called) {
    if (names++ % 200 == 0)
        print "    call part" ++parts "()" > main
    TAKEN[parts] = TAKEN[parts] (use == "mpif" ? "    external " called "\n" : "")
    CALLS[parts] = CALLS[parts] "    call take(" called ")\n"
}

# Only these are reached by a name with _c or by their generic name with large counts. A function of which only 64-bit
# arguments could grow has none.
function has_large(i,    j) {
    if (!has(flags[i], "large"))
        return 0
    for (j = 1; j <= COUNT[i]; j++)
        if (large_type[kind[i, j]] != "" && c_type[kind[i, j]] !~ /^MPI_Aint/)
            return 1
    return 0
}

END {
    if (failed)
        exit 1
    main = "/dev/stdout"
    print "! Made by fort_names.awk."
    print "program fort_names"
    if (use == "mpi")
        print "  use mpi"
    if (use == "f08")
        print "  use mpi_f08"
    print "  use fort_check"
    print "  implicit none"
    if (use == "mpif")
        print "  include 'mpif.h'"
    print "  call values()"
    rows = 0
    while ((getline line < values) > 0) {
        if (line !~ /^ABI_(POINTER|INTEGER)/)
            continue
        split(line, part, /[(), ]+/)
        type = line ~ /^ABI_POINTER/ ? part[2] : ""
        called = type == "" ? part[2] : part[3]
        value = type == "" ? part[3] : part[4]
        if (called ~ /^MPI_(T_|F_|DISPLACEMENT_CURRENT$)/ || line ~ /\*/ || type !~ /^(MPI_[A-Z][a-z]+)?$/)
            continue
        if (value ~ /^0x/)
            value = from_hex(value)
        if (called ~ /^MPI_MAX_/) # without the closing zero
            value--
        rows++
        found = called (type != "" && use == "f08" ? "%MPI_VAL" : "")
        CHECKS = CHECKS "    call expect_number(" found ", " value ", '" called "')\n"
    }
    if (rows < 260)
        fail("there are only " rows " constants")
    split(" P", prefixes, "")
    for (k = 1; k <= 2; k++) {
        prefix = k == 1 ? "" : "P"
        for (i = 1; i <= FUNCTIONS; i++) {
            if (has(flags[i], "c") || use == "f08" && has(flags[i], "not_f08"))
                continue
            if (returned[i] != "")
                continue
            take(prefix name[i], i)
            if (use == "f08" && has_large(i))
                take(prefix name[i] "_c", i)
        }
        take_name(prefix (use == "f08" ? "MPI_F_sync_reg_f08ts" : "MPI_F_sync_reg"))
        if (use != "mpif") {
            take_name(prefix "MPI_Sizeof_f08ts")
            take_name(prefix "MPI_Status_f2f08_f08")
            take_name(prefix "MPI_Status_f082f_f08")
        }
    }
    if (names < (use == "f08" ? 1100 : 800))
        fail("there are only " names " names")
    print "  call functions()"
    print "  call finish()"
    print "contains"
    print "  subroutine values()"
    printf "%s", CHECKS
    print "    call expect_number(MPI_STATUS_SIZE, 8, 'MPI_STATUS_SIZE')"
    print "    call expect_number(MPI_SOURCE, 1, 'MPI_SOURCE')"
    print "    call expect_number(MPI_TAG, 2, 'MPI_TAG')"
    print "    call expect_number(MPI_ERROR, 3, 'MPI_ERROR')"
    print "    call expect_number(MPI_ADDRESS_KIND, 8, 'MPI_ADDRESS_KIND')"
    print "    call expect_number(MPI_COUNT_KIND, 8, 'MPI_COUNT_KIND')"
    print "    call expect_number(MPI_OFFSET_KIND, 8, 'MPI_OFFSET_KIND')"
    print "    call expect_number(MPI_INTEGER_KIND, kind(0), 'MPI_INTEGER_KIND')"
    print "    call expect(MPI_DISPLACEMENT_CURRENT == -1_MPI_OFFSET_KIND, 'MPI_DISPLACEMENT_CURRENT')"
    print "    call expect(MPI_SUBARRAYS_SUPPORTED .eqv. " (use == "f08" ? ".true." : ".false.") ", 'sections')"
    print "  end subroutine"
    print "  subroutine functions()"
    print "    call expect(MPI_Wtick() > 0 .and. PMPI_Wtick() > 0, 'MPI_Wtick')"
    print "    call expect(MPI_Wtime() > 0 .and. PMPI_Wtime() > 0, 'MPI_Wtime')"
    print "    call expect(MPI_Aint_add(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) == 42, 'MPI_Aint_add')"
    print "    call expect(MPI_Aint_diff(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) == 38, 'MPI_Aint_diff')"
    print "    call expect(PMPI_Aint_add(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) == 42, 'PMPI_Aint_add')"
    print "    call expect(PMPI_Aint_diff(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) == 38, 'PMPI_Aint_diff')"
    print "  end subroutine"
    for (k = 1; k <= parts; k++)
        print "  subroutine part" k "()\n" TAKEN[k] CALLS[k] "  end subroutine"
    print "end program"
}
