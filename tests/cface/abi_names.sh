#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does mpi.h define every name of the ABI, and nothing more than these and the names of corunna/fortran.h? Does it
# compile without a warning, as C and C++, old and new, with the compilers that are here?
#
#   abi_names.sh INCLUDE_FOLDER TYPES VALUES FUNCTIONS

include=$1 types=$2 values=$3 functions=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "FAILED: $*"
    exit 1
}

# names FLAGS...: what the header declares and defines with them.
names()
{
    echo '#include <mpi.h>' | cc -E -dD "$@" -I"$include" -xc - > "$work/text" || fail "cc -E $*"
    sed '/^# /d' "$work/text" | grep -oE '\bP?MPIX?_[A-Za-z0-9_]+' | sort -u
}

# ---- the ABI alone -----------------------------------------------------------------------------------------------
{
    sed '/^\/\*/d' "$types" "$values" | grep -oE '\bP?MPIX?_[A-Za-z0-9_]+'
    sed -n 's/^ABI_FUNCTION([A-Za-z_]*, \([^,]*\),.*/\1\nP\1/p' "$functions"
    # A macro that guards the header, and three by which a program may choose a type.
    printf '%s\n' MPI_H_ABI MPI_ABI_Aint MPI_ABI_Count MPI_ABI_Offset
} | sort -u > "$work/abi"
names -DCORUNNA_ABI_ONLY > "$work/only"
diff "$work/abi" "$work/only" > "$work/diff" ||
    fail "names of the ABI (<) and of mpi.h with CORUNNA_ABI_ONLY (>): $(cat "$work/diff")"

# ---- and the conversion for Fortran ------------------------------------------------------------------------------
{
    for call in MPI PMPI; do
        for handle in Comm Errhandler File Group Info Message Op Request Session Type Win; do
            printf '%s\n' "${call}_${handle}_c2f" "${call}_${handle}_f2c"
        done
        for way in c2f f2c c2f08 f082c f2f08 f082f; do
            echo "${call}_Status_$way"
        done
    done
    printf '%s\n' MPI_Fint MPI_F08_status MPI_F_STATUS_IGNORE MPI_F_STATUSES_IGNORE MPI_F08_STATUS_IGNORE \
        MPI_F08_STATUSES_IGNORE
} | sort -u > "$work/fortran"
names | comm -13 "$work/only" - | grep -v '_$' > "$work/more"
diff "$work/fortran" "$work/more" > "$work/diff" || fail "names for Fortran (<) and of mpi.h (>): $(cat "$work/diff")"

# ---- types that a program chooses ----------------------------------------------------------------------------------
cat > "$work/own.c" << 'END'
#include <mpi.h>
#if defined MPI_ABI_Aint || defined MPI_ABI_Count || defined MPI_ABI_Offset
#error "mpi.h leaves macros behind"
#endif
_Static_assert(_Generic((MPI_Aint)0, WORD: 1, default: 0) && _Generic((MPI_Count)0, WORD: 1, default: 0) &&
               _Generic((MPI_Offset)0, WORD: 1, default: 0), "the types that were chosen");
END
for word in long 'long long'; do
    cc -fsyntax-only -DWORD="$word" -DMPI_ABI_Aint="$word" -DMPI_ABI_Count="$word" -DMPI_ABI_Offset="$word" \
        -I"$include" "$work/own.c" || fail "MPI_ABI_Aint and the like are not heeded"
done

# ---- warnings ------------------------------------------------------------------------------------------------------
printf '#include <mpi.h>\n#include <mpi.h>\n' > "$work/plain.c"
cat > "$work/fortran.c" << 'END'
#include <corunna/fortran.h>
MPI_Comm convert(MPI_Fint comm);
MPI_Comm convert(MPI_Fint comm)
{
    return MPI_Comm_f2c(comm);
}
END
for source in plain fortran; do
    cp "$work/$source.c" "$work/$source.cc"
    for compiler in gcc clang; do
        command -v $compiler > /dev/null || continue
        for standard in c89 c99 c11; do
            $compiler -fsyntax-only -std=$standard -Wall -Wextra -pedantic -Wshadow -Wconversion -Werror -I"$include" \
                "$work/$source.c" || fail "$compiler -std=$standard, $source"
        done
    done
    for compiler in g++ clang++; do
        command -v $compiler > /dev/null || continue
        for standard in c++98 c++11 c++17; do
            $compiler -fsyntax-only -std=$standard -Wall -Wextra -pedantic -Wshadow -Wold-style-cast -Werror \
                -I"$include" "$work/$source.cc" || fail "$compiler -std=$standard, $source"
        done
    done
done
echo "abi_names: passed, $(wc -l < "$work/abi") names of the ABI"
