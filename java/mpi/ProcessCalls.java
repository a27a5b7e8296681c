// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ports, names and new processes, as the Open MPI Java bindings have them; they are methods of {@link Intracomm}. Where arguments count on
 * the root only, the other ranks may pass null.
 */
abstract class ProcessCalls extends IntracommCalls {
    ProcessCalls(String name) {
        super(name);
    }

    // ---- new processes ----

    /**
     * Starts processes of a program, by {@code corunna run}, and connects with them. Collective. They find this communicator's group by
     * {@link Intercomm#getParent}.
     *
     * @param command the program
     * @param argv its arguments, or null
     * @param maxprocs how many
     * @param info hints: {@code host}, {@code hostfile}, {@code wdir}, {@code path}, {@code map_by}, {@code bind_to}, {@code npernode}
     * @param root the rank whose arguments count
     * @param errcodes room for an error of each process, or null
     * @return the communicator with the processes
     * @throws MPIException if an argument is wrong, or the processes do not start
     */
    public final Intercomm spawn(String command, String[] argv, int maxprocs, Info info, int root, int[] errcodes)
            throws MPIException {
        boolean isRoot = isRoot("spawn", root);
        return start("spawn", isRoot ? new String[] {command} : null, new String[][] {argv}, new int[] {maxprocs},
                new Info[] {info}, root, errcodes);
    }

    /**
     * Starts processes of several programs, as {@link #spawn}; they are one job.
     *
     * @param commands the programs
     * @param argvs their arguments, or null
     * @param maxprocsOfEach how many of each
     * @param infos hints, or null
     * @param root the rank whose arguments count
     * @param errcodes room for an error of each process, or null
     * @return the communicator with the processes
     * @throws MPIException if an argument is wrong, or the processes do not start
     */
    public final Intercomm spawnMultiple(String[] commands, String[][] argvs, int[] maxprocsOfEach, Info[] infos,
            int root, int[] errcodes) throws MPIException {
        if (!isRoot("spawnMultiple", root)) {
            return start("spawnMultiple", null, null, null, null, root, errcodes);
        }
        if (commands == null || maxprocsOfEach == null || commands.length != maxprocsOfEach.length
                || argvs != null && argvs.length != commands.length
                || infos != null && infos.length != commands.length || commands.length == 0) {
            throw new MPIException(ErrorClass.ARG, "spawnMultiple: the arrays must have one length, at least 1");
        }
        return start("spawnMultiple", commands, argvs, maxprocsOfEach, infos, root, errcodes);
    }

    private boolean isRoot(String call, int root) {
        comm().handle(call);
        if (root < 0 || root >= comm().size) {
            throw new MPIException(ErrorClass.ROOT, call + ": root is " + root + ", but the communicator has "
                    + comm().size + (comm().size == 1 ? " rank" : " ranks"));
        }
        return comm().rank == root;
    }

    private Intercomm start(String call, String[] commands, String[][] argvs, int[] counts, Info[] infos, int root,
            int[] errcodes) {
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
        long made = Native.commSpawn(comm().handle(call), root, commands,
                commands == null ? null : arguments.toArray(new String[0]),
                commands == null ? null : hints.toArray(new String[0]), numbers);
        if (errcodes != null) {
            Arrays.fill(errcodes, 0);
        }
        return comm().adopt(new Intercomm(comm().Get_name() + " children"), made);
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

    /**
     * Waits until another job connects. Collective.
     *
     * @param port a port that the root has opened
     * @param root the rank whose port counts
     * @return the communicator with the other job's
     * @throws MPIException if an argument is wrong, or the connection breaks
     */
    public final Intercomm accept(String port, int root) throws MPIException {
        return meet("accept", true, port, root);
    }

    /**
     * Waits until another job connects. Collective.
     *
     * @param port a port that the root has opened
     * @param info hints, none of which is known
     * @param root the rank whose port counts
     * @return the communicator with the other job's
     * @throws MPIException if an argument is wrong, or the connection breaks
     */
    public final Intercomm accept(String port, Info info, int root) throws MPIException {
        return meet("accept", true, port, root);
    }

    /**
     * Connects with a job that accepts. Collective.
     *
     * @param port the port
     * @param root the rank whose port counts
     * @return the communicator with the other job's
     * @throws MPIException if an argument is wrong, or there is no such port
     */
    public final Intercomm connect(String port, int root) throws MPIException {
        return meet("connect", false, port, root);
    }

    /**
     * Connects with a job that accepts. Collective.
     *
     * @param port the port
     * @param info hints, none of which is known
     * @param root the rank whose port counts
     * @return the communicator with the other job's
     * @throws MPIException if an argument is wrong, or there is no such port
     */
    public final Intercomm connect(String port, Info info, int root) throws MPIException {
        return meet("connect", false, port, root);
    }

    private Intercomm meet(String call, boolean accepts, String port, int root) {
        String used = isRoot(call, root) ? require(call, "port", port) : null;
        return comm().adopt(new Intercomm(comm().Get_name() + " " + call),
                Native.commMeet(comm().handle(call), accepts, used, root));
    }

    // ---- ports and names ----

    /**
     * Opens a port, at which {@link #accept} waits for another job.
     *
     * @return its name, which the other job needs
     * @throws MPIException if the call fails
     */
    public static String openPort() throws MPIException {
        return Native.portOpen(MPI.current("openPort").handle("openPort"));
    }

    /**
     * Opens a port, at which {@link #accept} waits for another job.
     *
     * @param info hints, none of which is known
     * @return its name, which the other job needs
     * @throws MPIException if the call fails
     */
    public static String openPort(Info info) throws MPIException {
        return openPort();
    }

    /**
     * Closes a port.
     *
     * @param port its name
     * @throws MPIException if this rank has no such port
     */
    public static void closePort(String port) throws MPIException {
        Native.portClose(MPI.current("closePort").handle("closePort"), require("closePort", "port", port));
    }

    /**
     * Publishes a port for jobs that were started apart. The name ends with this process.
     *
     * @param service the name
     * @param port the port
     * @throws MPIException if the name is published already
     */
    public static void publishName(String service, String port) throws MPIException {
        Native.nameSet(MPI.current("publishName").handle("publishName"), true,
                require("publishName", "service", service), require("publishName", "port", port));
    }

    /**
     * Publishes a port for jobs that were started apart. The name ends with this process.
     *
     * @param service the name
     * @param info hints, none of which is known
     * @param port the port
     * @throws MPIException if the name is published already
     */
    public static void publishName(String service, Info info, String port) throws MPIException {
        publishName(service, port);
    }

    /**
     * Withdraws a name.
     *
     * @param service the name
     * @param port the port
     * @throws MPIException if this process has not published it
     */
    public static void unpublishName(String service, String port) throws MPIException {
        Native.nameSet(MPI.current("unpublishName").handle("unpublishName"), false,
                require("unpublishName", "service", service), require("unpublishName", "port", port));
    }

    /**
     * Withdraws a name.
     *
     * @param service the name
     * @param info hints, none of which is known
     * @param port the port
     * @throws MPIException if this process has not published it
     */
    public static void unpublishName(String service, Info info, String port) throws MPIException {
        unpublishName(service, port);
    }

    /**
     * Finds the port of a name.
     *
     * @param service the name
     * @return the port
     * @throws MPIException if no process has published it
     */
    public static String lookupName(String service) throws MPIException {
        return Native.nameFind(MPI.current("lookupName").handle("lookupName"),
                require("lookupName", "service", service));
    }

    /**
     * Finds the port of a name.
     *
     * @param service the name
     * @param info hints, none of which is known
     * @return the port
     * @throws MPIException if no process has published it
     */
    public static String lookupName(String service, Info info) throws MPIException {
        return lookupName(service);
    }
}
