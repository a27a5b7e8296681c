#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Options as people who come from Open MPI, Hydra and srun write them. $4 is the folder of the sources.
. "$(dirname "$0")/launcher_lib.sh"
source=$4
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE CORUNNA_RUN_LAUNCHER MPIEXEC_TIMEOUT DISPLAY

# expect_sorted TEXT: the lines of stdout, sorted.
expect_sorted() {
    [ "$(LC_ALL=C sort out)" = "$1" ] ||
        fail "$label: stdout is \"$(head -c 400 out)\" instead of \"$1\"; $(head -c 300 err)"
}

# ---- one table -------------------------------------------------------------------------------------------------------

# What the table says is what is committed.
between() { # FILE: the lines between its two marks
    sed -n '/options: begin/,/options: end/p' "$1" | sed '1d;$d'
}
same() { # KIND FILE: what `corunna options` prints against the file committed
    "$corunna" options "--$1" >made || fail "corunna options --$1 fails"
    diff made committed >difference ||
        fail "$2 is not what \`corunna options --$1\` prints: $(head -n 5 difference)"
}
between "$source/docs/launching.md" >committed
same markdown docs/launching.md
between "$source/docs/man/corunna-run.1" >committed
same man docs/man/corunna-run.1
cp "$source/packaging/completion/corunna.bash" committed
same bash packaging/completion/corunna.bash
cp "$source/packaging/completion/_corunna" committed
same zsh packaging/completion/_corunna

# Manual pages of the other commands have every option that their help has; corunna(1) has every command.
plain() { # PAGE: its text without fonts
    sed 's/\\f[BIRP]//g; s/\\-/-/g' "$source/docs/man/$1"
}
explained() { # PAGE COMMAND...
    page=$1
    shift
    "$corunna" "$@" --help | sed -n 's/^  *--*\([a-zA-Z-]*\) .*/\1/p' >options
    [ -s options ] || fail "corunna $* --help lists no options"
    plain "$page" >text
    while read -r option; do
        grep -qE -e "(^|[^a-z-])--?$option([^a-z-]|\$)" text ||
            fail "docs/man/$page lacks the option $option of corunna $*"
    done <options
}
explained corunna.1 info
explained mpjrun.1 mpjrun
explained corunna-bench.1 bench
explained corunna-tune.1 tune
explained corunna-sock.1 sock
for verb in fit predict show replace; do explained corunna-model.1 model $verb; done
for verb in run matrix; do explained corunna-apps.1 apps $verb; done
plain corunna.1 >text
"$corunna" help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 12 ] || fail "corunna help lists $(wc -l <commands) commands"
while read -r command; do
    grep -qE "^\.BR? $command( |\$)" text || fail "docs/man/corunna.1 lacks the command $command"
done <commands

# No spelling stands there twice.
"$corunna" options --markdown | sed '/^### mpjrun/,$d' | grep '^| `' | cut -d'|' -f2 | grep -o '`-[^`]*`' |
    sort >spellings
[ -z "$(uniq -d spellings)" ] || fail "spelled twice: $(uniq -d spellings)"
[ "$(wc -l <spellings)" -ge 145 ] || fail "only $(wc -l <spellings) spellings"

# What the other launchers list is there, as far as they are installed.
tr -d '`' <spellings | sed 's/^--*//' | sort -u >known
lists() { # LAUNCHER: the names of options in its output
    sed 's/^--*//' | sort -u | comm -23 - known >lacking
    [ ! -s lacking ] || fail "options of $1 that the table lacks: $(tr '\n' ' ' <lacking)"
}
if command -v mpiexec.hydra >/dev/null; then
    mpiexec.hydra --help 2>/dev/null | grep -oE '^ +-[a-zA-Z][a-zA-Z-]*' | tr -d ' ' | lists Hydra
fi
manual() { # NAME: its manual page without fonts
    gzip -dc "/usr/share/man/man1/$1.1.gz" | sed 's/\\f[BIRP]//g; s/\\-/-/g'
}
if [ -r /usr/share/man/man1/srun.1.gz ]; then
    manual srun | sed -n 's/^\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9][a-z0-9-]*\).*/\2/p' | lists srun
fi
if [ -r /usr/share/man/man1/mpirun.openmpi.1.gz ]; then
    manual mpirun.openmpi | sed -n 's/^\.B //p' | grep -oE '^--?[a-zA-Z][a-zA-Z-]*' | lists 'Open MPI'
fi

# Every option of the table that works as the parser knows it: none is refused as unknown.
tr -d '`' <spellings | while read -r spelling; do
    [ "$spelling" = '-?' ] || "$corunna" run "$spelling" 2>&1 </dev/null | grep 'unknown option'
done >unknown
[ ! -s unknown ] || fail "in the table and unknown: $(cat unknown)"

run "$corunna" options
expect_status 2
for words in '-n 2 -c 4' '-c 4 -n 2'; do # as with srun
    # shellcheck disable=SC2086
    run "$bin/mpirun" $words true
    expect_status 2
    expect_err \
        "^corunna run: the number of ranks is given twice, .*; srun's -c, the CPUs of a rank, is --cpus-per-task here"
done
run "$bin/mpirun" -n 2 -np 2 true
expect_status 0
run "$corunna" run --help
expect_status 0
for words in '--hosts NAMES' '\* --wdir FOLDER' '--timeout SECONDS' 'Mapping and binding:'; do
    grep -q -- "$words" out || fail "--help lacks $words"
done
awk 'length > 122' out >long
[ ! -s long ] || fail "--help has long lines: $(cat long)"

# Completion.
if command -v bash >/dev/null; then
    complete() { # WORDS...: what bash offers for the last one
        bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _corunna "$1"; printf "%s\n" "${COMPREPLY[@]}"' \
            "$source/packaging/completion/corunna.bash" "$@" >out 2>err
        label="completion of $*"
        expect_quiet
    }
    complete corunna mpj
    expect_out mpjrun
    complete mpirun --timest
    expect_out --timestamp-output
    complete corunna run -n 2 --timest
    expect_out --timestamp-output
    complete mpirun -np 2 -timest
    expect_out -timestamp-output
    complete mpirun -n 2 ./a.out --timest
    expect_out ''
    complete mpirun -n 2 ./a.out : --timest
    expect_out --timestamp-output
    complete mpjrun.sh -machinesf
    expect_out -machinesfile
    complete mpjrun.sh.corunna -machinesf
    expect_out -machinesfile
    complete corunna help mpj
    expect_out mpjrun
    complete "$corunna" bench pingpong --targ
    expect_out --targets
    complete "$corunna" model predict --devi
    expect_out --device
    complete "$corunna" nothing --devi
    expect_out ''
    for name in mpirun.corunna mpjrun.corunna mpjrun.sh.corunna; do
        bash -c '. "$0"; complete -p "$1"' "$source/packaging/completion/corunna.bash" $name >out 2>err ||
            fail "bash completes no $name"
    done
else
    echo "SKIPPED: there is no bash here, its completion was not tried"
fi
if command -v zsh >/dev/null; then
    complete_zsh() { # LINE: what zsh makes of it at a tab
        label="zsh's completion of $1"
        timeout $hang_s zsh -f "$source/tests/launcher/complete.zsh" "$source/packaging/completion" "$1" >out 2>err
        expect_quiet
    }
    complete_zsh 'mpirun --timest'
    expect_out 'mpirun --timestamp-output'
    complete_zsh 'corunna mpj'
    expect_out 'corunna mpjrun'
    complete_zsh 'corunna run -n 2 --timest'
    expect_out 'corunna run -n 2 --timestamp-output'
    complete_zsh 'mpirun -np 2 -timest'
    expect_out 'mpirun -np 2 -timestamp-output'
    complete_zsh 'mpjrun -machinesf'
    expect_out 'mpjrun -machinesfile'
    complete_zsh 'corunna help mpj'
    expect_out 'corunna help mpjrun'
    complete_zsh "$corunna bench pingpong --targ"
    expect_out "$corunna bench pingpong --targets"
    complete_zsh "$corunna model predict --devi"
    expect_out "$corunna model predict --device"
elif [ "${CI:-}" = true ]; then
    fail "zsh is missing"
else
    echo "SKIPPED: there is no zsh here, its completion was not tried"
fi

# ---- notices and refusals --------------------------------------------------------------------------------------------

run "$bin/mpirun" --mca btl self,vader --mca pml ob1 --mca btl self,vader -n 2 echo fine
expect_status 0
expect_out "$(printf 'fine\nfine')"
expect_err '^corunna run: notice: --mca changes nothing: it sets a parameter of Open MPI; .*--tune NAME=VALUE'
run "$bin/mpirun" --mca btl tcp -q -n 1 echo fine
expect_status 0
expect_quiet
run "$bin/mpirun" --allow-run-as-root --kill-on-bad-exit=1 --nooversubscribe -n 1 echo fine
expect_status 0
expect_quiet
run "$bin/mpirun" --preload-binary -n 1 true
expect_status 2
expect_sentence \
    'corunna run: --preload-binary is not supported: copy the program first (scp), or keep it in a shared folder'
run "$bin/mpirun" --map-by socket:PE=2 -n 1 true
expect_status 0
for words in '-psl 64' '-mpjport 10000' '-profile' '-src' '-dport 10000'; do
    mkdir -p jdk/bin
    printf '#!/bin/sh\nexit 0\n' >jdk/bin/java
    chmod +x jdk/bin/java
    : >corunna.jar
    # shellcheck disable=SC2086
    run env JAVA_HOME="$scratch/jdk" CORUNNA_JAR="$scratch/corunna.jar" "$bin/mpjrun" -np 2 $words Hello
    expect_status 0
    expect_err "^mpjrun: notice: ${words%% *} changes nothing: "
done

# ---- how many
# ---------------------------------------------------------------------------------------------------------

for words in '-npernode 2' '-N 2' '-ppn 2' '-ppn=2' '--perhost 2' '--map-by ppr:2:node' '--ntasks-per-node=2' \
    '--ppr 2:node'; do
    # shellcheck disable=SC2086
    run "$bin/mpirun" $words sh -c 'echo $PMI_RANK of $PMI_SIZE'
    expect_status 0
    expect_sorted "$(printf '0 of 2\n1 of 2')"
    # shellcheck disable=SC2086
    run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --hosts a:7,b:1 $words \
        sh -c 'echo $AT $PMI_RANK of $PMI_SIZE'
    expect_status 0
    expect_sorted "$(printf 'a 0 of 4\na 1 of 4\nb 2 of 4\nb 3 of 4')"
done
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --pernode --hosts a:7,b:1 sh -c 'echo $AT'
expect_sorted "$(printf 'a\nb')"
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --bynode -n 3 -H a:2,b:2 sh -c 'echo $AT $PMI_RANK'
expect_sorted "$(printf 'a 0\na 2\nb 1')"
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --nolocal -n 2 -H localhost,b:2 sh -c 'echo $AT'
expect_sorted "$(printf 'b\nb')"
run "$bin/mpirun" --nolocal -n 2 true
expect_status 2
expect_sentence 'corunna run: --nolocal leaves no host; --hosts or --hostfile must name others'
run env SLURM_JOB_NODELIST=a,b SLURM_TASKS_PER_NODE=2 "$bin/mpirun" -rmk user sh -c 'echo $PMI_SIZE'
expect_out 1
run env -u AT "$bin/mpirun" -launcher-exec "env AT={host}" -hosts a sh -c 'echo $AT'
expect_out a

# ---- the environment
# --------------------------------------------------------------------------------------------------

run env A=1 B=2 "$bin/mpirun" -genvlist A -n 1 sh -c 'echo "${A-no} ${B-no}"'
expect_out '1 no'
run env A=1 B=2 "$bin/mpirun" -genvnone -genv B 3 -n 1 sh -c 'echo "${A-no} ${B-no}"'
expect_out 'no 3'
run env A=1 B=2 "$bin/mpirun" --export=NONE -n 1 sh -c 'echo "${A-no} ${B-no}"'
expect_out 'no no'
run env A=1 B=2 "$bin/mpirun" --export=A,C=4 -n 1 sh -c 'echo "${A-no} ${B-no} ${C-no}"'
expect_out '1 no 4'
# To another host, which has none of it but what is carried.
there='env -i PATH=/usr/bin:/bin AT={host}'
run env A=1 CORUNNA_RUN_LAUNCHER="$there" "$bin/mpirun" -hosts a sh -c 'echo "${A-no}"'
expect_out no
run env A1=1 A2=2 B=3 CORUNNA_RUN_LAUNCHER="$there" "$bin/mpirun" -x 'A*' -hosts a \
    sh -c 'echo "${A1-no} ${A2-no} ${B-no}"'
expect_out '1 2 no'
run env A=1 CORUNNA_RUN_LAUNCHER="$there" "$bin/mpirun" -genvall -hosts a sh -c 'echo "${A-no}"'
expect_out 1
run env A=1 B=2 CORUNNA_RUN_LAUNCHER="$there" "$bin/mpirun" -envlist A -hosts a sh -c 'echo "${A-no} ${B-no} ${AT-no}"'
expect_out '1 no no'
mkdir -p tools
printf '#!/bin/sh\necho own tool\n' >tools/surely-my-tool
chmod +x tools/surely-my-tool
run "$bin/mpirun" --path "$scratch/tools" -n 1 surely-my-tool
expect_out 'own tool'

# ---- output
# -----------------------------------------------------------------------------------------------------------

say='echo out $PMI_RANK; echo err $PMI_RANK >&2'
for words in -prepend-rank -l --label '--output tag'; do
    # shellcheck disable=SC2086
    run "$bin/mpirun" $words -n 2 sh -c "$say"
    expect_sorted "$(printf '[0] out 0\n[1] out 1')"
done
run "$bin/mpirun" -prepend-pattern '%r of %h%%: ' -n 1 sh -c "$say"
expect_out "0 of $host%: out 0"
run "$bin/mpirun" --timestamp-output --tag-output -n 1 sh -c 'printf "one\ntwo"'
[ "$(grep -cE '^20[0-9]{2}-[01][0-9]-[0-3][0-9] [0-9:]{8}\.[0-9]{3} \[0\] (one|two)$' out)" -eq 2 ] ||
    fail "$label: $(cat out)"
run "$bin/mpirun" --merge-stderr-to-stdout -n 1 sh -c "$say"
expect_sorted "$(printf 'err 0\nout 0')"
expect_quiet
run "$bin/mpirun" --output-filename "files 100%" -n 11 sh -c "$say"
expect_status 0
[ "$(wc -l <out)" -eq 11 ] || fail "$label: $(cat out)"
[ "$(cat 'files 100%/1/rank.03/stdout' 'files 100%/1/rank.10/stderr')" = "$(printf 'out 3\nerr 10')" ] ||
    fail "$label: $(ls -R files*)"
run "$bin/mpirun" --output dir=there:nocopy,merge-stderr-to-stdout -n 2 sh -c "$say"
expect_status 0
expect_out ''
expect_quiet
[ "$(sort there/1/rank.1/stdout)" = "$(printf 'err 1\nout 1')" ] || fail "$label: $(cat there/1/rank.1/stdout)"
run "$bin/mpirun" -outfile-pattern 'o.%r.%h' -errfile-pattern e.%r -n 2 sh -c "$say"
expect_status 0
expect_out ''
expect_quiet
[ "$(cat "o.1.$host" e.0)" = "$(printf 'out 1\nerr 0')" ] || fail "$label: $(ls)"
run "$bin/mpirun" -outfile-pattern /dev/full -n 2 sh -c "echo x; sleep $forever"
expect_status 1
expect_sentence 'corunna run: cannot write /dev/full: No space left on device; ending the job'
run "$bin/mpirun" -outfile-pattern /proc/nowhere/file -n 2 true
expect_status 1
expect_err '^corunna run: cannot write /proc/nowhere/file: '
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" -outfile-pattern o.%h.%r -H a,b sh -c "$say"
[ "$(cat o.a.0 o.b.1)" = "$(printf 'out 0\nout 1')" ] || fail "$label: $(ls)"

run "$bin/mpirun" --display map -n 2 true
expect_out "$host: ranks 0-1 true"
run env CORUNNA_RUN_LAUNCHER=/nonexistent "$bin/mpirun" --do-not-launch --display-allocation \
    -n 3 -H a:2,b:2 cat x : -n 1 ls
expect_status 0
expect_out "$(printf 'a: 2 slots\nb: 2 slots\na: ranks 0-1 cat ...\nb: ranks 2 cat ..., 3 ls')"
run "$bin/mpirun" --report-pid pid -n 1 sh -c 'cat pid'
[ "$(cat out)" = "$(cat pid)" ] && [ "$(cat pid)" -gt 1 ] || fail "$label: $(cat out)"
run "$bin/mpirun" -print-all-exitcodes -n 2 sh -c 'exit 0'
[ "$(sort err)" = "$(printf 'corunna run: rank 0: status 0\ncorunna run: rank 1: status 0')" ] ||
    fail "$label: $(cat err)"

# ---- input
# ------------------------------------------------------------------------------------------------------------

for launcher in '' 'env AT={host}'; do
    label="stdin to rank 1, launcher '$launcher'"
    hosts=localhost:2
    [ -z "$launcher" ] || hosts=a,b
    echo words | CORUNNA_RUN_LAUNCHER=$launcher timeout $hang_s "$bin/mpirun" --stdin 1 -l -n 2 -H $hosts cat >out 2>err
    expect_out '[1] words'
    echo words |
        CORUNNA_RUN_LAUNCHER=$launcher timeout $hang_s "$bin/mpirun" --stdin all -l -n 2 -H $hosts cat >out 2>err
    expect_sorted "$(printf '[0] words\n[1] words')"
    echo words | CORUNNA_RUN_LAUNCHER=$launcher timeout $hang_s "$bin/mpirun" --stdin none -n 2 -H $hosts cat >out 2>err
    expect_out ''
    expect_quiet
done

# ---- debuggers
# --------------------------------------------------------------------------------------------------------

run "$bin/mpirun" --debugger "env 'MARK=of {rank}'" -n 2 sh -c 'echo $MARK'
expect_sorted "$(printf 'of 0\nof 1')"
printf '#!/bin/sh\necho xterm "$1" "$2" "$3"\nshift 3\nexec "$@"\n' >tools/xterm
chmod +x tools/xterm
run env PATH="$scratch/tools:$PATH" "$bin/mpirun" --xterm 1 -n 3 echo program
expect_sorted "$(printf 'program\nprogram\nprogram\nxterm -T rank 1 -e')"
run env PATH="$scratch/tools:$PATH" CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" --xterm 0-1 -H a,b,c echo program
expect_sorted "$(printf 'program\nprogram\nprogram\nxterm -T rank 0 -e\nxterm -T rank 1 -e')"
printf '#!/bin/sh\nwhile [ "$1" != --args ]; do shift; done\nshift\necho under gdb\nexec "$@"\n' >tools/gdb
chmod +x tools/gdb
for word in -gdb --debug -tv; do
    run env PATH="$scratch/tools:$PATH" "$bin/mpirun" $word -n 1 echo program
    expect_out "$(printf 'under gdb\nprogram')"
done
run "$bin/mpirun" --debugger surely-no-debugger -n 1 true
expect_status 127
expect_sentence 'corunna run: cannot run surely-no-debugger: No such file or directory'

run env MPIEXEC_TIMEOUT=0.5 "$bin/mpirun" --report-state-on-timeout -n 1 sleep $forever
expect_status 124
grep -q 'the job has run for 0.5 s' err || fail "$label: $(cat err)"
grep -q 'rank 0 on' err || fail "$label: $(cat err)"
run env MPIEXEC_TIMEOUT=soon "$bin/mpirun" -n 1 true
expect_status 2

finish
