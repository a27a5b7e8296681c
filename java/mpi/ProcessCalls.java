// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * Ports, names and new processes, as the Open MPI Java bindings have them; they are methods of {@link Intracomm}. The
 * engine does not start or connect jobs, and these calls say so.
 */
abstract class ProcessCalls extends IntracommCalls {
    ProcessCalls(String name) {
        super(name);
    }

    /**
     * Would start processes.
     *
     * @param command the program
     * @param argv its arguments
     * @param maxprocs how many
     * @param info hints
     * @param root the root
     * @param errcodes room for errors
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm spawn(String command, String[] argv, int maxprocs, Info info, int root, int[] errcodes)
            throws MPIException {
        throw NotYet.call("spawn");
    }

    /**
     * Would start processes.
     *
     * @param commands the programs
     * @param argvs their arguments
     * @param maxprocsOfEach how many of each
     * @param infos hints
     * @param root the root
     * @param errcodes room for errors
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm spawnMultiple(String[] commands, String[][] argvs, int[] maxprocsOfEach, Info[] infos,
            int root, int[] errcodes) throws MPIException {
        throw NotYet.call("spawnMultiple");
    }

    /**
     * Would wait for another job.
     *
     * @param port the port
     * @param root the root
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm accept(String port, int root) throws MPIException {
        throw NotYet.call("accept");
    }

    /**
     * Would wait for another job.
     *
     * @param port the port
     * @param info hints
     * @param root the root
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm accept(String port, Info info, int root) throws MPIException {
        throw NotYet.call("accept");
    }

    /**
     * Would connect to another job.
     *
     * @param port the port
     * @param root the root
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm connect(String port, int root) throws MPIException {
        throw NotYet.call("connect");
    }

    /**
     * Would connect to another job.
     *
     * @param port the port
     * @param info hints
     * @param root the root
     * @return never
     * @throws MPIException if the call fails
     */
    public final Intercomm connect(String port, Info info, int root) throws MPIException {
        throw NotYet.call("connect");
    }

    /**
     * Would open a port for other jobs.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public static String openPort() throws MPIException {
        throw NotYet.call("openPort");
    }

    /**
     * Would open a port for other jobs.
     *
     * @param info hints
     * @return never
     * @throws MPIException if the call fails
     */
    public static String openPort(Info info) throws MPIException {
        throw NotYet.call("openPort");
    }

    /**
     * Would close a port.
     *
     * @param port the port
     * @throws MPIException if the call fails
     */
    public static void closePort(String port) throws MPIException {
        throw NotYet.call("closePort");
    }

    /**
     * Would tell other jobs of a port.
     *
     * @param service the name
     * @param port the port
     * @throws MPIException if the call fails
     */
    public static void publishName(String service, String port) throws MPIException {
        throw NotYet.call("publishName");
    }

    /**
     * Would tell other jobs of a port.
     *
     * @param service the name
     * @param info hints
     * @param port the port
     * @throws MPIException if the call fails
     */
    public static void publishName(String service, Info info, String port) throws MPIException {
        throw NotYet.call("publishName");
    }

    /**
     * Would take a name back.
     *
     * @param service the name
     * @param port the port
     * @throws MPIException if the call fails
     */
    public static void unpublishName(String service, String port) throws MPIException {
        throw NotYet.call("unpublishName");
    }

    /**
     * Would take a name back.
     *
     * @param service the name
     * @param info hints
     * @param port the port
     * @throws MPIException if the call fails
     */
    public static void unpublishName(String service, Info info, String port) throws MPIException {
        throw NotYet.call("unpublishName");
    }

    /**
     * Would look a port up.
     *
     * @param service the name
     * @return never
     * @throws MPIException if the call fails
     */
    public static String lookupName(String service) throws MPIException {
        throw NotYet.call("lookupName");
    }

    /**
     * Would look a port up.
     *
     * @param service the name
     * @param info hints
     * @return never
     * @throws MPIException if the call fails
     */
    public static String lookupName(String service, Info info) throws MPIException {
        throw NotYet.call("lookupName");
    }
}
