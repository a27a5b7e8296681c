#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpjrun's options, seen from the JVM that it starts: a JVM of our own that prints how it was called.
. "$(dirname "$0")/launcher_lib.sh"

mkdir -p jdk/bin classes
cat >jdk/bin/java <<'END'
#!/bin/sh
echo "${PMI_RANK-none}: $*"
exit "${FAKE_STATUS:-0}"
END
chmod +x jdk/bin/java
export JAVA_HOME="$scratch/jdk"
export CORUNNA_JAR="$scratch/corunna.jar"
unset CLASSPATH
run "$bin/mpjrun" -np 2 Hello
expect_status 2
expect_err "^mpjrun: cannot read $scratch/corunna.jar"
: >corunna.jar
: >user.jar
threads="-jar $scratch/corunna.jar"

run "$bin/mpjrun.sh" -np 3 Hello one two
expect_status 0
expect_out "none: $threads -np 3 -cp . Hello one two"

run "$bin/mpjrun.sh" -np 2 -dev multicore -cp classes -Xmx512m -Dkey=value -ea Hello -np 7
expect_status 0
expect_out "none: -Xmx512m -Dkey=value -ea $threads -np 2 -cp classes -dev multicore Hello -np 7"

run env CLASSPATH=classes "$bin/mpjrun" -np 2 Hello
expect_out "none: $threads -np 2 -cp classes Hello"

run "$corunna" mpjrun -np 2 -jar user.jar argument
expect_out "none: $threads -np 2 -cp . -jar user.jar argument"
# What follows the jar is the program's own, even what we would know.
run "$corunna" mpjrun -np 2 -jar user.jar -d file -np 3
expect_out "none: $threads -np 2 -cp . -jar user.jar -d file -np 3"

run env FAKE_STATUS=42 "$bin/mpjrun" -np 2 Hello
expect_status 42

processes="-cp $scratch/corunna.jar:classes -Dcorunna.mpjrun=true corunna.run.RankJob"
for device in niodev hybdev native smdev tcpdev ibvdev ucxdev ofidev; do
    run "$bin/mpjrun.sh" -np 2 -dev $device -cp classes -Xss1m --add-opens a/b=c Hello one
    expect_status 0
    [ "$(sort out)" = "0: -Xss1m --add-opens a/b=c $processes -dev $device Hello one
1: -Xss1m --add-opens a/b=c $processes -dev $device Hello one" ] || fail "$label: $(cat out)"
done

# From 24 on a JVM warns of native libraries unless it is told; the option that tells it, one before 17 does not know.
told=--enable-native-access=ALL-UNNAMED
for version in 25.0.3 24 23.0.2 17.0.21 11.0.2 1.8.0_292 '' none; do
    case $version in
    none) rm -f jdk/release ;;
    *) printf '%s\n' 'IMPLEMENTOR="Nobody"' "JAVA_VERSION=\"$version\"" 'OS_NAME="Linux"' >jdk/release ;;
    esac
    case $version in 2[45]*) option="$told " ;; *) option= ;; esac
    run "$bin/mpjrun" -np 1 -dev native -cp classes -Xss1m Hello
    expect_status 0
    expect_out "0: $option-Xss1m $processes -dev native Hello"
    # The jar itself tells it, where that is what is run.
    run "$bin/mpjrun" -np 2 -cp classes Hello
    expect_out "none: $threads -np 2 -cp classes Hello"
    # Found by PATH, through links, as distributions have it.
    mkdir -p links && ln -sf "$scratch/jdk/bin/java" links/java
    run env -u JAVA_HOME PATH="$scratch/links:$PATH" "$bin/mpjrun" -np 1 -dev native -cp classes Hello
    expect_status 0
    expect_out "0: $option$processes -dev native Hello"
done

# Machines: threads are not asked for then, and other machines are reached.
echo localhost >machines
run "$bin/mpjrun.sh" -np 2 -machinesfile machines -wdir . -dport 10000 -psl 64 Hello
expect_status 0
[ "$(grep -c 'corunna.run.RankJob Hello$' out)" -eq 2 ] || fail "$label: $(cat out)"
# Of Java on other machines nothing is known.
echo 'JAVA_VERSION="25"' >jdk/release
echo node2 >>machines
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpjrun.sh" -np 2 -machinesfile machines Hello
expect_status 0
[ "$(sort out)" = "0: -cp $scratch/corunna.jar:. -Dcorunna.mpjrun=true corunna.run.RankJob Hello
1: -cp $scratch/corunna.jar:. -Dcorunna.mpjrun=true corunna.run.RankJob Hello" ] || fail "$label: $(cat out)"
rm jdk/release
echo "node2 four" >machines
run "$bin/mpjrun.sh" -np 2 -machinesfile machines Hello
expect_status 2
expect_sentence \
    'mpjrun.sh: machines, line 1: unknown word "four"; after the name, slots=, max_slots=, user= and ifhn= are allowed'

run "$bin/fmpjrun" -np 2 -dev smdev -npernode 2 -cp classes -class Hello one
expect_status 0
[ "$(grep -c 'corunna.run.RankJob -dev smdev Hello one$' out)" -eq 2 ] || fail "$label: $(cat out)"

# A class of a module.
run "$bin/mpjrun" -np 1 -p mods -Xss1m -m app/demo.hello.Main one -m two
expect_status 0
expect_out "0: -Xss1m -p mods:$scratch/corunna.jar --add-modules app --add-exports app/demo.hello=ALL-UNNAMED,corunna \
-cp $scratch/corunna.jar:. -Dcorunna.mpjrun=true corunna.run.RankJob demo.hello.Main one -m two"
run "$bin/mpjrun" -np 2 --module-path=mods --add-modules app Hello
expect_out "none: --add-modules app -p mods $threads -np 2 -cp . Hello"
jar=$bin/../lib/corunna.jar
if [ -r "$jar" ] && command -v javac >/dev/null; then
    mkdir -p app/demo
    echo 'module app { requires corunna; }' >app/module-info.java
    cat >app/demo/Main.java <<'END'
package demo;
public class Main {
    public static void main(String[] args) {
        String[] words = mpi.MPI.Init(args);
        int rank = mpi.MPI.COMM_WORLD.Rank();
        System.out.println(Main.class.getModule() + ", rank " + rank + ": " + String.join(" ", words));
        mpi.MPI.Finalize();
    }
}
END
    javac -p "$jar" -d mods/app app/module-info.java app/demo/Main.java || fail "javac of a module"
    run env -u JAVA_HOME -u CORUNNA_JAR "$bin/mpjrun" -np 2 -p mods -m app/demo.Main one two
    expect_status 0
    [ "$(sort out)" = "$(printf 'module app, rank 0: one two\nmodule app, rank 1: one two')" ] ||
        fail "$label: $(cat out) $(cat err)"
fi

run env FAKE_STATUS=3 "$bin/mpjrun" -np 1 -dev niodev Hello
expect_status 3
expect_err "^mpjrun: rank 0 on host $host exited with status 3"

for words in '' '-np 2' '-np two Hello' '-np 0 Hello' '-dev carrier-pigeon Hello' '-cp /nonexistent Hello' \
    '-jar missing.jar' '-wdir missing Hello' '-machinesfile missing Hello' '-yarn Hello' '-np' '-m app' '-m app/Main' \
    '-m /a.B' '-dev multicore -m app/a.B'; do
    # shellcheck disable=SC2086
    run "$bin/mpjrun" $words
    expect_status 2
    expect_err '^mpjrun: '
done

# A wrong device: all that there are.
run "$bin/mpjrun" -dev carrier-pigeon Hello
for device in multicore smpdev native iodev $("$corunna" info | sed -n 's/^device \([a-z]*\):.*/\1/p'); do
    expect_err "must be one of .*\<$device\>"
done
# The jar's own front says the same.
if [ -r "$jar" ] && command -v java >/dev/null; then
    said=$(sed 's/^mpjrun: //' err)
    run env -u JAVA_HOME java -jar "$jar" -np 2 -dev carrier-pigeon Hello
    expect_status 2
    grep -qF -- "$said" err || fail "$label: \"$(cat err)\" instead of \"$said\""
fi

run env JAVA_HOME=/nonexistent "$bin/mpjrun" Hello
expect_status 127
expect_sentence 'mpjrun: cannot run /nonexistent/bin/java: No such file or directory'
run env JAVA_HOME=/nonexistent "$bin/mpjrun" -np 2 -dev niodev Hello
expect_status 127
expect_sentence 'mpjrun: cannot run /nonexistent/bin/java: No such file or directory'

run "$bin/mpjrun" -h
expect_status 0
grep -q 'usage: mpjrun' out || fail "$label: $(cat out)"
run "$bin/mpjrun.sh" -v
expect_status 0

# Commands of other libraries that scripts call beside it.
for name in mpjboot mpjhalt prunjava; do
    run "$bin/$name" machines
    expect_status 0
    expect_quiet
    [ "$(wc -l <out)" -eq 1 ] && grep -q "^$name is not needed: " out || fail "$label: $(cat out)"
done

finish
