#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The generator of java/table: what a row becomes, and that a wrong one is told by its first line.
# usage: table_test.sh java generator kinds.txt
set -eu
java=$1 generator=$2 kinds=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "$1" >&2
    cat table.api log made/mpi/table.java >&2 2> /dev/null || true
    exit 1
}

# Reads a table from the standard input.
generate()
{
    cat > table.api
    "$java" -XX:TieredStopAtLevel=1 -cp "$generator" table.Generate "$kinds" made table.api > log 2>&1
}

has() # line-of-Java...
{
    for line in "$@"; do
        grep -qxF "    $line" made/mpi/table.java || fail "there is no line '$line'"
    done
}

# ---- both dialects, buffers and arrays, a constructor, a type for each of several ----
generate << 'END' || fail "a right table"
java
class table {
java end

Isend/iSend*: Request (data, dest, tag)
    = check(NAME)
    = start(this, place(data), side(data), dest, tag)
    Starts to send.

/table: new (int[] lengths) unchecked
    = super(lengths)
    A table.
    @param lengths how many of each

each int char
/size{Type}: static int () unchecked
    = {Class}.BYTES
    The bytes of {@code {type}}.
    @return bytes

each end
END
has 'public Request Isend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {' \
    'public final Request iSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {' \
    'public final Request iSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {' \
    '    check("Isend");' '    check("iSend");' \
    '    return start(this, buf, offset, count, type, new Side(buf, offset, count, type), dest, tag);' \
    'public final table(int[] lengths) {' '    super(lengths);' ' * @param lengths how many of each' \
    'public static int sizeInt() {' '    return Integer.BYTES;' 'public static int sizeChar() {' \
    '    return Character.BYTES;' ' * The bytes of {@code char}.'

# ---- what was made from a table that is gone is removed ----
touch made/mpi/Old.java
printf '/close: void ()\n    = shut()\n    Closes.\n' | generate || fail "a table of one row"
[ ! -e made/mpi/Old.java ] || fail "Old.java is still there"

# ---- wrong rows ----
refused() # row what-is-said
{
    if printf '%s\n' "$1" | generate; then
        fail "'$1' was taken"
    fi
    grep -qF "$2" log || fail "'$1': another message than '$2'"
}
refused '/close: void (handel)' "table.api: '/close: void (handel)': 'handel' is no kind of kinds.txt"
refused '/close void ()' "is not NAMES: RESULT (PARAMETERS)"
refused '/close: void ()
    Closes.' "there is no body of close"
refused '/close: void (int whence2)
    = shut(whence2)
    Closes.' "there is no description of whence2 of close"
refused '/size: int ()
    = 1
    The size.' "there is no description of the result of size"
refused '/send: void (buf, count)
    = send(side(buf))
    Sends.' "'side(buf)' is not of a group of kinds.txt"
refused '/size: void ()
    = 1' "there is no description of size"
refused '/close: void (index)
    = shut(index)
    Closes.
    @param indx which' "close has no indx that could be described"
refused 'each int long
/close: void ()' "ends by no 'each end'"
refused 'java
class table {' "ends by no 'java end'"
echo "all as it should be"
