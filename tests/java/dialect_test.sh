#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that was compiled against another library with a package mpi is told so, beside Java's own error.
# usage: dialect_test.sh java javac jar launcher mpjrun
set -eu
java=$1 javac=$2 jar=$3 launcher=$4 mpjrun=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/other/mpi"

# The other library, as far as the programs name it.
cat > "$work/other/mpi/MPI.java" << 'END'
package mpi;
public final class MPI {
    public static Intracomm COMM_WORLD;
    public static String[] Init(String[] args) { return args; }
    public static int InitThreads(String[] args, int required) { return required; }
}
END
cat > "$work/other/mpi/Intracomm.java" << 'END'
package mpi;
public class Intracomm {
    public int place() { return 0; }
    public int Neighbourhood() { return 0; }
}
END
cat > "$work/other/mpi/Torus.java" << 'END'
package mpi;
public class Torus {
}
END
program() # name statements
{
    mkdir -p "$work/programs"
    cat > "$work/programs/$1.java" << END
import mpi.*;
public class $1 {
    public static void main(String[] args) {
        $2
    }
}
END
}
program Small "MPI.Init(args); System.out.println(MPI.COMM_WORLD.place());"
program Early "MPI.InitThreads(args, 1);"
program Types "MPI.Init(args); System.out.println(new Torus());"
program Large "MPI.Init(args); System.out.println(MPI.COMM_WORLD.Neighbourhood());"
program Other "MPI.Init(args); throw new NoSuchMethodError(\"'int com.mpi.Comm.place()'\");"
program Handler "Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.err.println(\"handled \" + e.getMessage()));
        MPI.Init(args); System.out.println(MPI.COMM_WORLD.place());"
"$javac" -d "$work/classes" "$work/other/mpi"/*.java "$work/programs"/*.java
rm -r "$work/classes/mpi"

expect() # present|absent pattern command...: what it prints, and that it fails
{
    wanted=$1 pattern=$2
    shift 2
    if timeout 600 "$@" > "$work/out" 2>&1; then
        echo "FAILED: did not fail: $*" >&2
        exit 1
    fi
    found=absent
    grep -q "$pattern" "$work/out" && found=present
    [ $found = "$wanted" ] || { echo "FAILED: '$pattern' is $found: $*" >&2; cat "$work/out" >&2; exit 1; }
}
threads() { echo "$java -jar $jar -np 2 -cp $work/classes $1"; }
processes() { echo "$launcher run -n 2 $java -cp $jar:$work/classes $1"; }
jobs() { echo "$mpjrun -np 2 -dev native -cp $work/classes $1"; }
told="the program was compiled against another library; this one has the names of mpiJava 1.2, \
as MPJ Express and FastMPJ do, and those of the Open MPI Java bindings$"

# shellcheck disable=SC2046
for way in threads processes jobs; do
    expect present "^corunna: there is no mpi.Intracomm.place(): $told" $($way Small)
    expect present "NoSuchMethodError" $($way Small)
    expect present "^corunna: there is no mpi.Torus: $told" $($way Types)
    expect present "^corunna: there is no mpi.Intracomm.Neighbourhood(): $told" $($way Large)
    expect absent "there is no" $($way Other)
done
# shellcheck disable=SC2046
for way in threads jobs; do # no other rank hears of a process of its own before MPI.Init
    expect present "^corunna: there is no mpi.MPI.InitThreads(): " $($way Early)
done
# shellcheck disable=SC2046
{
    expect present "^handled .*place" $(processes Handler)
    expect absent "there is no" $(processes Handler)
}
echo "all were told"
