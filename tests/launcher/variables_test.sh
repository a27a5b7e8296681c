#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Variables of other MPIs: those that users set change nothing and are told of once, those by which a rank knows its
# place are set. $4 is hello_other_mpi.c.
. "$(dirname "$0")/launcher_lib.sh"
hello_source=$4
of_others='OMPI\|PRTE\|PMIX\|MPICH\|MPIR\|MPIEXEC\|I_MPI\|HYDRA\|HYDI'
for name in $(env | sed -n "s/^\(\($of_others\)_[A-Za-z0-9_]*\)=.*/\1/p"); do
    unset "$name"
done

# ---- what a user sets
# -------------------------------------------------------------------------------------------------

notice='corunna run: notice:'
run env OMPI_MCA_btl=self "$bin/mpirun" -n 2 true
expect_status 0
expect_sentence \
    "$notice OMPI_MCA_btl changes nothing: it is a variable of another MPI; corunna info lists the settings of Corunna"
run env -i PATH="$PATH" OMPI_MCA_btl=self PRTE_MCA_x=1 PMIX_MCA_x=1 MPICH_DEBUG=1 MPIR_CVAR_X=1 MPIEXEC_X=1 I_MPI_X=1 \
    HYDRA_X=1 "$bin/mpirun" -n 2 true
expect_status 0
expect_sentence "$notice OMPI_MCA_btl, PRTE_MCA_x, PMIX_MCA_x, MPICH_DEBUG, MPIR_CVAR_X, MPIEXEC_X, I_MPI_X, HYDRA_X \
change nothing: they are variables of another MPI; corunna info lists the settings of Corunna"
# One line, however many there are.
# shellcheck disable=SC2046
run env $(seq -f 'MPIR_CVAR_A_LONG_NAME_OF_A_VARIABLE_%g=1' 300) "$bin/mpirun" -n 1 true
expect_err ' and [0-9]* more change nothing: '
[ "$(wc -c <err)" -lt 600 ] || fail "$label: $(wc -c <err) bytes"
run env OMPI_MCA_btl=self "$bin/mpirun" -q -n 1 true
expect_quiet

# Where something is installed, and what is obeyed, is no matter.
run env MPICH_HOME=/opt/mpich I_MPI_ROOT=/opt/intel MPICH_DIR=/opt/cray OMPI_ALLOW_RUN_AS_ROOT=1 MPICH_CC=gcc \
    MPIEXEC_TIMEOUT=$hang_s "$bin/mpirun" -n 1 true
expect_quiet
printf 'a:2\nb:1\n' >hosts
# shellcheck disable=SC2016
run env HYDRA_HOST_FILE=hosts CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" sh -c 'echo $PMI_RANK:$AT'
expect_status 0
expect_quiet
[ "$(sort out | tr '\n' ' ')" = "0:a 1:a 2:b " ] || fail "$label: $(cat out)"
# shellcheck disable=SC2016
run env HYDRA_HOST_FILE=hosts CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --hosts c sh -c 'echo $PMI_RANK:$AT'
expect_out 0:c
run env HYDRA_HOST_FILE=none "$bin/mpirun" true
expect_status 2
expect_sentence 'corunna run: HYDRA_HOST_FILE: cannot read none: No such file or directory'

# What another launcher sets for its children is not the user's.
run env PMI_FD=9 MPIR_CVAR_X=1 "$bin/mpirun" -n 1 true
expect_quiet
run env PMIX_RANK=0 OMPI_MCA_x=1 "$bin/mpirun" -n 1 true
expect_quiet
run "$bin/mpirun" -n 1 env OMPI_MCA_x=1 "$bin/mpirun" -n 1 true
expect_quiet

# ---- a launcher inside another job
# ------------------------------------------------------------------------------------

# What an outer launcher has set is not for the ranks, nor for the launcher of another MPI (mpidev), and what the user
# has set for that MPI is: the same names, where Open MPI's launcher has not started this one.
mkdir fake
printf '#!/bin/sh\nexec env\n' >fake/mpirun.openmpi
chmod +x fake/mpirun.openmpi
settings="OMPI_MCA_ess=1 OMPI_MCA_pmix=1 OMPI_MCA_orte_x=1 OMPI_FIRST_RANKS=1 PRTE_MCA_prte_x=1 PMIX_MCA_x=1"
outer="PMI_FD=9 PMIX_NAMESPACE=x PMIX_RANK=0 HYDI_CONTROL_FD=9 PMI_PORT=a:1"
# inherited COMMAND...: how many of the settings, and of the outer launcher's variables, this finds.
inherited() {
    # shellcheck disable=SC2086
    run env $also $settings "$@"
    found=$(grep -cE '^(OMPI_MCA_|OMPI_FIRST|PRTE_MCA_|PMIX_MCA_)' out)
    outer_found=$(grep -cE '^(PMIX_NAMESPACE|PMIX_RANK|HYDI_CONTROL_FD|PMI_PORT)=|^PMI_FD=9$' out)
    expect_status 0
}
for way in "run -n 1 env" "run -n 1 --dev mpidev true"; do
    if [ "$way" != "run -n 1 env" ] && [ ! -e "$bin/../lib/libcorunna_mpi_openmpi.so" ]; then
        echo "not tried: mpidev, which this build has not for Open MPI"
        continue
    fi
    also="PATH=$PWD/fake:$PATH CORUNNA_MPI_LIBRARY=openmpi"
    # shellcheck disable=SC2086
    inherited "$corunna" $way
    [ "$found" -eq 6 ] || fail "$label: $found of 6 settings of the user are left: $(head -c 600 out)"
    also="$also $outer"
    # shellcheck disable=SC2086
    inherited "$corunna" $way
    [ "$found.$outer_found" = 6.0 ] ||
        fail "$label: $found of 6 settings of the user are left, and $outer_found of the outer launcher's"
    also="$also OMPI_COMM_WORLD_RANK=0"
    # shellcheck disable=SC2086
    inherited "$corunna" $way
    [ "$found.$outer_found" = 1.0 ] ||
        fail "$label: $found settings, instead of PMIX_MCA_x alone, and $outer_found of the outer launcher's"
done

# ---- what a rank finds
# ------------------------------------------------------------------------------------------------

# shellcheck disable=SC2016
places='echo $PMI_RANK: $OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE \
$OMPI_COMM_WORLD_LOCAL_RANK/$OMPI_COMM_WORLD_LOCAL_SIZE \
$OMPI_COMM_WORLD_NODE_RANK $MPI_LOCALRANKID/$MPI_LOCALNRANKS'
expect_places() {
    [ "$(sort out)" = "$1" ] || fail "$label: $(sort out)"
}
run "$bin/mpirun" -n 3 sh -c "$places"
expect_places '0: 0/3 0/3 0 0/3
1: 1/3 1/3 1 1/3
2: 2/3 2/3 2 2/3'
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --hosts a:1,b:2 sh -c "$places"
expect_places '0: 0/3 0/1 0 0/1
1: 1/3 0/2 0 0/2
2: 2/3 1/2 1 1/2'
# A rank that calls the launcher: its job is another.
run "$bin/mpirun" -n 1 "$bin/mpirun" -n 2 sh -c "$places"
expect_places '0: 0/2 0/2 0 0/2
1: 1/2 1/2 1 1/2'

# ---- launchers in each other
# ------------------------------------------------------------------------------------------

# boots LAUNCHER...: two of our ranks below it are one job of two.
boots() {
    run "$@" "$probe"
    expect_status 0
    [ "$(grep -c 'of 2' out)" -eq 2 ] || fail "$label: $(cat out err)"
}
root=
[ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
boots "$bin/mpirun" -n 2
boots "$bin/mpirun" -n 1 "$bin/mpirun" -n 2
if command -v mpiexec.hydra >/dev/null; then
    boots mpiexec.hydra -n 1 "$bin/mpirun" -n 2
    boots "$bin/mpirun" -n 1 mpiexec.hydra -n 2
else
    echo "not tried: mpiexec.hydra (Debian package mpich)"
fi
if command -v mpirun.openmpi >/dev/null && command -v mpicc.openmpi >/dev/null; then
    boots mpirun.openmpi $root --oversubscribe -n 1 "$bin/mpirun" -n 2
    # Programs of Open MPI see no launcher in ours, and their own within it.
    mpicc.openmpi -o hello "$hello_source" || fail "mpicc.openmpi fails"
    run "$bin/mpirun" -q -n 1 ./hello
    expect_status 0
    grep -q 'of 1, the ranks sum up to 0$' out || fail "$label: $(cat out err)"
    run "$bin/mpirun" -q -n 1 mpirun.openmpi $root --oversubscribe -n 2 ./hello
    expect_status 0
    [ "$(grep -c 'of 2, the ranks sum up to 1$' out)" -eq 2 ] || fail "$label: $(cat out err)"
else
    echo "not tried: Open MPI's mpirun (Debian packages openmpi-bin, libopenmpi-dev)"
fi

finish
