# Completion for bash of corunna and the other names of its launchers; made by `corunna options --bash`.
_corunna()
{
    local word=${COMP_WORDS[COMP_CWORD]} name=${1##*/} at=1 options valued
    name=${name%.corunna}
    if [ "$name" = corunna ]; then
        if [[ $COMP_CWORD -eq 1 || ($COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help) ]]; then
            mapfile -t COMPREPLY < <(compgen -W "run mpjrun info ps bench model tune apps sock java help version" -- "$word")
            return
        fi
        name=${COMP_WORDS[1]} at=2
    fi
    case $name in
    run | mpirun | mpiexec)
        options=" -n --np -c --ntasks --app --configfile --allow-run-as-root --disable-recovery --enable-auto-cleanup --kill-on-bad-exit -K --quit-on-interrupt --disable-status -X --hosts --host -H --nodelist -w --hostfile --machinefile -f --default-hostfile --nodefile -F --ppn --npernode -N --perhost --ntasks-per-node --usize --pernode --oversubscribe --overcommit -O --nooversubscribe --nolocal --skip-launch-node --launcher --bootstrap --launcher-exec --bootstrap-exec --rmk --prefix --iface --fan --host-timeout --spawn-timeout --map --map-by --bynode --byslot --bycore --ppr --npersocket --cpus-per-proc --cpus-per-rank --cpus-per-task --distribution -m --rank-by --bind --bind-to --bind-to-core --bind-to-socket --cpu-set --cpu-list --rankfile --rf --report-bindings --use-hwthread-cpus -x --env --set-env --genv --envlist --genvlist --envnone --genvnone --envall --genvall --export --wdir --wd --chdir -D --gwdir --path --gpath --abi --tag-output -l --prepend-rank --label --timestamp-output --prepend-pattern --output --output-filename --output-directory --outfile-pattern --outfile -o --errfile-pattern --errfile --error -e --merge-stderr-to-stdout --stdin --input -i --display --display-map --print-rank-map --display-devel-map --display-diffable-map --display-allocation --display-devel-allocation --do-not-launch --test-only --print-all-exitcodes --report-pid --verbose -v --quiet -q -Q --timeout --report-state-on-timeout --trace --stats --html --stall --gdb --debug --tv --debugger --xterm --dev --tune --sim --help -h --usage --version -V --info "
        valued=" -n --np -c --ntasks --app --configfile --wait -W --soft --arch --file --pset --initial-errhandler --memory-alloc-kinds --max-restarts --with-ft --hosts --host -H --nodelist -w --hostfile --machinefile -f --default-hostfile --nodefile -F --ppn --npernode -N --perhost --ntasks-per-node --usize --launcher --bootstrap --launcher-exec --bootstrap-exec --rmk --prefix --iface --fan --host-timeout --spawn-timeout --pmix-prefix --app-pmix-prefix --app-prefix --nodes --order-nodes --localhost --max-vm-size --personality --ompi-server --hnp --dvm-uri --nameserver --keepalive --singleton --tmpdir --demux --topolib --runtime-options --report-uri --report-events --cartofile --cf --mpi --msg-timeout --threads -T --add-host --add-hostfile --dvm-hostfile --launcher-hostfile --exclude --relative -r --het-group --container --launch-agent --preload-files --partition -p --account -A --job-name -J --time -t --mem --mem-per-cpu --gres --gpus --gpus-per-node --gpus-per-task --gpus-per-socket -G --constraint -C --prefer --qos --reservation --dependency --begin -b --deadline --time-min --clusters -M --comment --licenses -L --mail-type --mail-user --mem-per-gpu --mincpus --cpus-per-gpu --ntasks-per-gpu --core-spec -S --thread-spec --sockets-per-node --extra-node-info -B --switches --tmp --priority --signal --wckey --bb --bbf --jobid --uid --gid --network --power --gres-flags --cpu-freq --gpu-freq --acctg-freq --delay-boot --cluster-constraint --mcs-label --map --map-by --ppr --npersocket --cpus-per-proc --cpus-per-rank --cpus-per-task --distribution -m --rank-by --bind --bind-to --cpu-set --cpu-list --rankfile --rf --membind --cpu-bind --mem-bind --hint --threads-per-core --cores-per-socket --ntasks-per-socket --ntasks-per-core --gpu-bind --accel-bind --gpus-per-proc --gpu-subdevs-per-proc --gpu-support -x --env --set-env --genv --envlist --genvlist --export --wdir --wd --chdir -D --gwdir --path --gpath --prolog --epilog --task-prolog --task-epilog --unset-env --append-env --prepend-env --umask --gumask --prepend-pattern --output --output-filename --output-directory --outfile-pattern --outfile -o --errfile-pattern --errfile --error -e --stdin --input -i --display --report-pid --stream-buffering --open-mode --xml-file --timeout --trace --html --stall --debugger --xterm --forward-signals --slurmd-debug --dev --tune --sim --mca --gmca --omca --gomca --prtemca --pmixmca --am --amca "
        ;;
    mpjrun | mpjrun.sh | fmpjrun)
        options=" --np -n --dev --machinesfile --machinefile --hostfile --wdir --cp --classpath --class-path --jar --class -m --module -p --module-path --npernode --plain-args --dport --sport --port --mpjport --psl --mxboardnum --profile --src --localloader --remoteloader --debug --yarn --debugYarn -h --help -v --version "
        valued=" --np -n --dev --machinesfile --machinefile --hostfile --wdir --cp --classpath --class-path --jar --class -m --module -p --module-path --npernode --dport --sport --port --mpjport --psl --mxboardnum --debug "
        ;;
    *)
        # The other commands, and their verbs, tell their options in their help.
        local tell=("${COMP_WORDS[@]:0:2}")
        if [[ $name == @(model|apps) && $COMP_CWORD -gt 2 ]]; then tell+=("${COMP_WORDS[2]}"); fi
        if [[ $word == -* ]]; then
            options=$("${tell[@]}" --help 2>/dev/null | sed -n 's/^  *\(-[^ ]*\).*/\1/p')
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        return
        ;;
    esac
    # Options end at the program; a ":" begins those of the next one.
    local in_program=0
    for (( ; at < COMP_CWORD; at++)); do
        case ${COMP_WORDS[at]} in
        :) in_program=0 ;;
        -*)
            if [ $in_program = 0 ] && [[ $valued == *" ${COMP_WORDS[at]} "* || $valued == *" -${COMP_WORDS[at]} "* ]]; then
                at=$((at + 1))
            fi
            ;;
        *) in_program=1 ;;
        esac
    done
    if [ $in_program = 0 ] && [ "$at" -eq "$COMP_CWORD" ] && [[ $word == -* ]]; then
        # One dash or two make no difference.
        if [[ $word == -[!-]?* ]]; then options=${options//--/-}; fi
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [ $in_program = 0 ] && [ "$at" -eq "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -f -- "$word" | sort -u)
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _corunna corunna mpirun mpiexec mpirun.corunna mpiexec.corunna mpjrun mpjrun.sh fmpjrun mpjrun.corunna mpjrun.sh.corunna
