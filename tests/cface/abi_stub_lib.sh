# SPDX-License-Identifier: Apache-2.0
# A header and libraries of the standard ABI, made of the facts in the .inc files alone; sourced. Variables: $facts, the
# folder of these files, $work, a folder to write to.
#
#   stub_header FOLDER               makes mpi.h there
#   stub_library FOLDER NAME SONAME PREFIX...
#                                    makes libNAME.so there, with this name of its own and the functions that begin so;
#                                    each of them ends the program

stub_header()
{
    mkdir -p "$1" "$work/parts"
    grep -v '_function)$' "$facts/abi_types.inc" > "$work/parts/types.inc"
    grep '_function)$' "$facts/abi_types.inc" > "$work/parts/late_types.inc"
    cc -E -P -I"$work/parts" -I"$facts" -xc "$facts/abi_stub.h.in" > "$work/parts/text" || return 1
    # The preprocessor puts spaces and line ends where it likes.
    sed -e 's/ *@ *\(define\|ifndef\|endif\|include\)/\n#\1/g' "$work/parts/text" |
        sed -e '/^#define/s/^#define \([A-Za-z0-9_]*\)(/#define \1 (/' -e '/^ *$/d' > "$1/mpi.h"
}

stub_library()
{
    stub_folder=$1 stub_name=$2 stub_soname=$3
    shift 3
    mkdir -p "$stub_folder"
    {
        echo '#include <stdlib.h>'
        sed -n 's/^ABI_FUNCTION([A-Za-z_]*, \([^,]*\),.*/\1/p' "$facts/abi_functions.inc" | while read -r name; do
            for prefix in "$@"; do
                case $prefix in
                    MPI_) echo "void $name(void) { abort(); }" ;;
                    PMPI_) echo "void P$name(void) { abort(); }" ;;
                esac
            done
        done
    } > "$work/$stub_name.c"
    cc -shared -fPIC -w -Wl,-soname,"$stub_soname" -o "$stub_folder/lib$stub_name.so" "$work/$stub_name.c" &&
        ln -sf "lib$stub_name.so" "$stub_folder/$stub_soname"
}
