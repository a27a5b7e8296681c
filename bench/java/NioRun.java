// SPDX-License-Identifier: Apache-2.0
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts ranks of MPJ Express as processes that talk by niodev, its device for TCP, on this machine and without the
 * daemons that its own launcher needs: each rank tells the starter which ports it has opened and is told those of all
 * others. Arguments: number of ranks, class path, program, its arguments. Ends with the first status that is not 0;
 * the other ranks are ended then. NIORUN_CPUS, if set, is the list of the CPUs that the ranks are bound to.
 */
public final class NioRun {
    private static final int SWITCH_LIMIT = 128 * 1024; // where niodev changes its protocol, its launcher's default
    private static final int LOOK_MS = 20;

    private final List<Process> ranks = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        NioRun run = new NioRun();
        Runtime.getRuntime().addShutdownHook(new Thread(run::end));
        System.exit(run.run(Integer.parseInt(args[0]), args[1], List.of(args).subList(2, args.length)));
    }

    private int run(int count, String classPath, List<String> program) throws Exception {
        try (ServerSocket meeting = new ServerSocket(0, count, InetAddress.getLoopbackAddress())) {
            String setting = "#Number of Processes;" + count + ";#Protocol Switch Limit;" + SWITCH_LIMIT
                    + ";#Server Name;" + meeting.getInetAddress().getHostAddress()
                    + ";#Server Port;" + meeting.getLocalPort();
            for (int rank = 0; rank < count; rank++)
                ranks.add(start(classPath, program, rank, setting));
            meeting.setSoTimeout(LOOK_MS);
            if (!introduce(meeting, count))
                return status();
        }
        while (ranks.stream().anyMatch(Process::isAlive) && status() == 0)
            Thread.sleep(LOOK_MS);
        return status();
    }

    private static Process start(String classPath, List<String> program, int rank, String setting) throws IOException {
        List<String> command = new ArrayList<>();
        String cpus = System.getenv("NIORUN_CPUS");
        if (cpus != null)
            command.addAll(List.of("taskset", "-c", cpus.split(" ")[rank]));
        command.addAll(List.of("java", "-cp", classPath, program.get(0)));
        command.addAll(List.of(Integer.toString(rank), setting, "niodev"));
        command.addAll(program.subList(1, program.size()));
        return new ProcessBuilder(command).inheritIO().start();
    }

    /** False when a rank has ended before all of them had come. */
    private boolean introduce(ServerSocket meeting, int count) throws IOException {
        String[] places = new String[count];
        List<Socket> callers = new ArrayList<>();
        while (callers.size() < count) {
            try {
                Socket caller = meeting.accept();
                DataInputStream in = new DataInputStream(caller.getInputStream());
                in.readUTF();
                int writePort = in.readInt();
                int readPort = in.readInt();
                int rank = in.readInt();
                String host = caller.getInetAddress().getHostAddress();
                places[rank] = host + "@" + readPort + "@" + writePort + "@" + rank;
                callers.add(caller);
            } catch (SocketTimeoutException nobodyYet) {
                if (ranks.stream().anyMatch(rank -> !rank.isAlive()))
                    return false;
            }
        }
        for (Socket caller : callers) {
            new DataOutputStream(caller.getOutputStream()).writeUTF("#Peer Information;" + String.join(";", places));
            caller.close();
        }
        return true;
    }

    private int status() {
        for (Process rank : ranks)
            if (!rank.isAlive() && rank.exitValue() != 0)
                return rank.exitValue();
        return 0;
    }

    private void end() {
        ranks.forEach(Process::destroyForcibly);
    }
}
