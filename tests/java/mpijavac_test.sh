#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpijavac compiles programs of both dialects, and launchers add the jar that programs need.
# usage: mpijavac_test.sh bin java program
set -eu
bin=$1 java=$2 program=$3
mpijavac=$bin/mpijavac
lib=$(dirname "$bin")/lib
unset CLASSPATH CORUNNA_JAR

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*" >&2; exit 1; }
same() # wanted got
{
    [ "$1" = "$2" ] || fail "expected '$1', got '$2'"
}

# ---- what it says ----
unset JAVA_HOME
same "javac -cp .:$lib/mpi.jar A.java" "$("$mpijavac" --showme A.java)"
same "javac -cp a:b:$lib/mpi.jar -g A.java" "$("$mpijavac" -cp a:b -g -showme A.java)"
same "javac -cp c:$lib/mpi.jar A.java" "$("$mpijavac" --class-path=c --showme A.java)"
same "javac -cp d:$lib/mpi.jar A.java" "$(CLASSPATH=d "$mpijavac" --showme A.java)"
same "other -cp .:$lib/mpi.jar" "$(MPIJAVAC_JAVAC=other "$mpijavac" --showme)"
same "-cp .:$lib/mpi.jar" "$("$mpijavac" --showme:compile)"
same "$lib/mpi.jar" "$("$mpijavac" --showme:libs)"
same "$lib" "$("$mpijavac" --showme:libdirs)"
same javac "$("$mpijavac" -showme:command)"
same "javac -cp .:$lib/mpi.jar -verbose -h include A.java" "$("$mpijavac" --showme -verbose -h include A.java)"
"$mpijavac" --showme:version | grep -q "^mpijavac: Corunna [0-9]" || fail "--showme:version"
"$mpijavac" --help | grep -q "showme" || fail "--help"
if "$mpijavac" -cp 2> err; then fail "-cp without a path"; fi
grep -q "mpijavac: -cp needs a class path" err || fail "what it says of -cp"

# ---- both jars ----
MPIJAVAC_JAVAC="$(dirname "$java")/javac"
[ -x "$MPIJAVAC_JAVAC" ] || MPIJAVAC_JAVAC=javac
export MPIJAVAC_JAVAC
"$mpijavac" -d classes "$program"
cat > Both.java << 'END'
import java.io.*;
import java.util.*;
import mpi.*;
public class Both {
    static class Message { }
    interface Freed { }
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        File file = new File("x");
        Message message = new Message();
        Op op = new Op(new User_function() {
            public void Call(Object in, int i, Object inout, int o, int count, Datatype type) { }
        }, true);
        int[] one = {1};
        MPI.COMM_WORLD.Bcast(one, 0, 1, MPI.INT, 0);
        Info.class.getName();
        MPI.Finalize();
    }
}
END
if "$MPIJAVAC_JAVAC" -cp "$lib/mpj.jar" -d mpj Both.java 2> err; then fail "mpj.jar shows Info"; fi
sed -i '/Info.class/d' Both.java
"$MPIJAVAC_JAVAC" -Xlint:all -Werror -cp "$lib/mpj.jar" -d mpj Both.java || fail "a program with a File of its own"
if "$mpijavac" -d mpi Both.java 2> err; then fail "mpi.jar lacks File"; fi
grep -q "reference to File is ambiguous" err || fail "what javac says of File"

# ---- the jar comes by itself, last ----
says="open foreign: the class file runs on 2 ranks"
run() { "$@" > out 2>&1 || { cat out; fail "$*"; }; grep -q "$says" out || { cat out; fail "what $* printed"; }; }
run "$bin/corunna" run -n 2 "$java" -cp classes OpenForeign
run "$bin/mpirun" -np 2 "$java" -Xmx200m --class-path=classes OpenForeign -cp not.ours
(cd classes && run "$bin/mpirun" -np 2 "$java" OpenForeign)
CLASSPATH=classes run "$bin/mpiexec" -n 2 "$java" OpenForeign
run "$bin/mpirun" -np 2 -x CLASSPATH=classes "$java" OpenForeign
cat > Paths.java << 'END'
public class Paths {
    public static void main(String[] args) {
        System.out.println("path " + System.getProperty("java.class.path") + " arguments " + String.join(" ", args));
    }
}
END
"$mpijavac" -d . Paths.java
path() # wanted arguments-of-corunna-run...
{
    wanted=$1
    shift
    same "path $wanted" "$("$bin/corunna" run -n 1 "$@")"
}
path "a:.:$lib/corunna.jar arguments -cp b" "$java" -cp a:. Paths -cp b
path "x/corunna.jar:. arguments " "$java" -cp x/corunna.jar:. Paths
path "corunna.jar:. arguments " "$java" -classpath corunna.jar:. Paths
path "mycorunna.jar:.:$lib/corunna.jar arguments " "$java" -cp mycorunna.jar:. Paths
path ".:$lib/corunna.jar arguments java -jar" "$java" --add-modules java.base Paths java -jar
CLASSPATH=y/corunna.jar:. path "y/corunna.jar:. arguments " "$java" Paths
same "-cp Paths" "$("$bin/corunna" run -n 1 echo -cp Paths)"
echo "mpijavac and the launchers are right"
