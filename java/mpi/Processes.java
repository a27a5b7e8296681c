// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ports, names and new processes, for {@link Intracomm}. Where arguments count on the root only, the other ranks may
 * pass null.
 */
final class Processes {
    private Processes() {
    }

    // ---- new processes ----

    static Intercomm spawn(Comm comm, String call, String command, String[] argv, int maxprocs, Info info, int root,
            int[] errcodes) {
        boolean isRoot = isRoot(comm, call, root);
        return start(comm, call, isRoot ? new String[] {command} : null, new String[][] {argv}, new int[] {maxprocs},
                new Info[] {info}, root, errcodes);
    }

    static Intercomm spawnMultiple(Comm comm, String call, String[] commands, String[][] argvs, int[] maxprocsOfEach,
            Info[] infos, int root, int[] errcodes) {
        if (!isRoot(comm, call, root)) {
            return start(comm, call, null, null, null, null, root, errcodes);
        }
        if (commands == null || maxprocsOfEach == null || commands.length != maxprocsOfEach.length
                || argvs != null && argvs.length != commands.length
                || infos != null && infos.length != commands.length || commands.length == 0) {
            throw new MPIException(ErrorClass.ARG, call + ": the arrays must have one length, at least 1");
        }
        return start(comm, call, commands, argvs, maxprocsOfEach, infos, root, errcodes);
    }

    private static boolean isRoot(Comm comm, String call, int root) {
        comm.handle(call);
        if (root < 0 || root >= comm.size) {
            throw new MPIException(ErrorClass.ROOT, call + ": root is " + root + ", but the communicator has "
                    + comm.size + (comm.size == 1 ? " rank" : " ranks"));
        }
        return comm.rank == root;
    }

    private static Intercomm start(Comm comm, String call, String[] commands, String[][] argvs, int[] counts,
            Info[] infos, int root, int[] errcodes) {
        List<String> arguments = new ArrayList<>();
        List<String> hints = new ArrayList<>();
        int[] numbers = commands == null ? null : new int[3 * commands.length];
        for (int i = 0; commands != null && i < commands.length; i++) {
            check(call, commands[i], counts[i]);
            int argumentsBefore = arguments.size();
            int hintsBefore = hints.size();
            addArguments(call, argvs == null ? null : argvs[i], arguments);
            addHints(infos == null ? null : infos[i], hints);
            numbers[3 * i] = counts[i];
            numbers[3 * i + 1] = arguments.size() - argumentsBefore;
            numbers[3 * i + 2] = hints.size() - hintsBefore;
        }
        if (errcodes != null) {
            Arrays.fill(errcodes, ErrorClass.SPAWN);
        }
        long made = Native.commSpawn(comm.handle(call), root, commands,
                commands == null ? null : arguments.toArray(new String[0]),
                commands == null ? null : hints.toArray(new String[0]), numbers);
        if (errcodes != null) {
            Arrays.fill(errcodes, 0);
        }
        return comm.adopt(new Intercomm(comm.name + " children"), made);
    }

    private static void check(String call, String command, int count) {
        require(call, "command", command);
        if (count < 1) {
            throw new MPIException(ErrorClass.ARG, call + ": maxprocs is " + count + "; it must be at least 1");
        }
    }

    private static void addArguments(String call, String[] argv, List<String> arguments) {
        for (int i = 0; argv != null && i < argv.length; i++) {
            arguments.add(require(call, "argv[" + i + "]", argv[i]));
        }
    }

    private static void addHints(Info info, List<String> hints) {
        for (int i = 0; info != null && !info.isNull() && i < info.size(); i++) {
            hints.add(info.getKey(i));
            hints.add(info.get(info.getKey(i)));
        }
    }

    private static String require(String call, String what, String text) {
        if (text == null) {
            throw new MPIException(ErrorClass.ARG, call + ": " + what + " is null");
        }
        return text;
    }

    // ---- accept and connect ----

    /** Accepts a connection of another job, or connects with one that accepts. */
    static Intercomm meet(Comm comm, String call, boolean accepts, String port, int root) {
        String used = isRoot(comm, call, root) ? require(call, "port", port) : null;
        return comm.adopt(new Intercomm(comm.name + " " + call),
                Native.commMeet(comm.handle(call), accepts, used, root));
    }

    // ---- ports and names ----

    static String openPort(String call) {
        return Native.portOpen(MPI.current(call).handle(call));
    }

    static void closePort(String call, String port) {
        Native.portClose(MPI.current(call).handle(call), require(call, "port", port));
    }

    /** Publishes a name, or withdraws it. */
    static void setName(String call, boolean isThere, String service, String port) {
        Native.nameSet(MPI.current(call).handle(call), isThere, require(call, "service", service),
                require(call, "port", port));
    }

    static String lookupName(String call, String service) {
        return Native.nameFind(MPI.current(call).handle(call), require(call, "service", service));
    }
}
