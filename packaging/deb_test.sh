#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb_test.sh DEBS SOURCE: lintian finds no error in the packages; they can be installed, used beside Open MPI and MPICH
# if these are there, and removed without a trace. In a root of its own: this system with a layer above it, which is
# thrown away. Needs root for that.
set -eu
debs=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
[ "$(id -u)" = 0 ] || { echo "deb_test.sh: only root can try packages"; exit 77; }

if [ "${3:-}" != inside ]; then
    work=$(mktemp -d)
    trap 'umount "$work/root" 2> /dev/null || true; umount "$work" 2> /dev/null || true; rm -rf "$work"' EXIT
    mount -t tmpfs none "$work" # an upper layer may not be on another overlay
    mkdir "$work/root" "$work/upper" "$work/scratch"
    mount -t overlay none -o "lowerdir=/,upperdir=$work/upper,workdir=$work/scratch" "$work/root" ||
        { echo "deb_test.sh: no overlay can be mounted here"; exit 77; }
    mkdir -p "$work/root/try"
    cp "$debs"/*.deb "$debs"/*.changes "$debs"/*.buildinfo "$source/examples/hello.c" "$source/examples/Hello.java" \
        "$0" "$work/root/try"
    status=0
    unshare --mount --pid --fork sh -c '
        for place in proc dev sys; do mount --rbind "/$place" "$1/$place"; done
        mount -t proc none "$1/proc"
        exec chroot "$1" sh /try/deb_test.sh /try /try inside' sh "$work/root" || status=$?
    exit $status
fi

cd /try
fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

lintian --allow-root --fail-on error ./*.changes > lint 2>&1 || fail "lintian: $(grep ^E: lint)"
find /usr /etc /var/lib -name '*corunna*' -not -path '*/dpkg/*' | sort > before
dpkg -i libcorunna1_*.deb libcorunna-dev_*.deb libcorunna-java_*.deb corunna_[0-9]*.deb > log 2>&1 ||
    fail "installing: $(cat log)"
chosen=$(update-alternatives --query mpirun | sed -n 's/^Value: //p')
[ "$chosen" = /usr/bin/mpirun.corunna ] || [ "$chosen" = /usr/bin/mpirun.openmpi ] ||
    [ "$chosen" = /usr/bin/mpirun.mpich ] ||
    fail "mpirun is $chosen"
mpicc.corunna hello.c -o hello || fail mpicc.corunna
[ "$(mpirun.corunna -n 3 ./hello | grep -c 'of 3')" = 3 ] || fail mpirun.corunna
[ "$(mpiexec.corunna -n 2 ./hello | grep -c 'of 2')" = 2 ] || fail mpiexec.corunna
update-alternatives --set mpirun /usr/bin/mpirun.corunna > log &&
    update-alternatives --set mpi /usr/bin/mpicc.corunna >> log
mpicc hello.c -o hello2 && [ "$(mpirun -n 2 ./hello2 | grep -c 'of 2')" = 2 ] || fail "mpicc and mpirun as alternatives"
mpicc --showme:version | grep -q Corunna || fail "mpicc is another one"
mpijavac.corunna Hello.java || fail mpijavac.corunna
javac -cp /usr/share/java/corunna.jar Hello.java
[ "$(mpjrun.corunna -np 2 -cp . Hello | grep -c 'of 2')" = 2 ] || fail mpjrun.corunna
[ "$(java -jar /usr/share/java/corunna.jar -np 2 -cp . Hello | grep -c 'of 2')" = 2 ] || fail "java -jar corunna.jar"
corunna info > log 2>&1 || fail "corunna info: $(cat log)"
# What finds its parts where the packages have put them: the launcher that a rank starts, applications, fast sockets,
# completion.
cat > spawn.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
        MPI_Comm_remote_size(children, &size);
        printf("%d children\n", size);
    }
    return MPI_Finalize();
}
END
mpicc.corunna spawn.c -o spawn && [ "$(./spawn 2>&1)" = "2 children" ] || fail "MPI_Comm_spawn: $(./spawn 2>&1)"
corunna apps run is --class S -n 2 --as c > log 2>&1 || fail "corunna apps in C: $(cat log)"
corunna apps run is --class S -n 2 > log 2>&1 || fail "corunna apps in Java: $(cat log)"
corunna sock true > log 2>&1 && [ ! -s log ] || fail "corunna sock: $(cat log)"
for name in corunna mpirun.corunna mpjrun.corunna mpjrun.sh.corunna; do
    bash -c '. /usr/share/bash-completion/completions/$0 && complete -p $0' $name > log 2>&1 ||
        fail "completion of $name: $(cat log)"
done
pages=$(corunna help | sed -n 's/^pages: *//p')
[ "$pages" = /usr/share/doc/corunna/docs/index.md ] && [ -s "$pages" ] &&
    [ -s /usr/share/doc/corunna/docs/launching.md ] &&
    [ -s /usr/share/doc/corunna/examples/hello.c ] || fail "corunna help names the pages $pages"
for name in corunna corunna-run corunna-sock mpirun.corunna mpicc.corunna mpjrun.corunna; do
    [ -e /usr/share/man/man1/$name.1.gz ] || fail "no manual page $name"
done
dpkg -P corunna libcorunna-dev libcorunna-java libcorunna1 > log 2>&1 || fail "removing: $(cat log)"
find /usr /etc /var/lib -name '*corunna*' -not -path '*/dpkg/*' | sort > after
cmp before after || fail "left behind: $(comm -13 before after)"
for name in mpirun mpi mpjrun; do
    case $(readlink /etc/alternatives/$name 2> /dev/null) in *corunna) fail "the alternative $name is left" ;; esac
done
echo "fine"
