// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/**
 * Random messages between random ranks. All ranks draw the same plan from the same seed, so each knows what it has to
 * send and what it must receive.
 */
final class RandomTraffic {
    private static final int WINDOW = 250;

    /** One message of the plan. */
    private static final class Message {
        final int number;
        final int source;
        final int dest;
        final Kind kind;
        final int count;
        final int way;

        Message(int number, Random random, int size) {
            this.number = number;
            this.source = random.nextInt(size);
            this.dest = random.nextInt(size);
            this.kind = Kind.values()[random.nextInt(Kind.values().length)];
            int range = random.nextInt(100);
            int bytes = range < 70 ? random.nextInt(300) : range < 95 ? random.nextInt(10000) : random.nextInt(120000);
            this.count = bytes / kind.bytes;
            this.way = random.nextInt(4);
        }
    }

    private RandomTraffic() {
    }

    static void run(Intracomm comm) {
        int total = Sizes.volume(Integer.getInteger("test.messages", 100000));
        long[] seed = {Long.getLong("test.seed", System.nanoTime() & 0xffffff)};
        if (comm.Rank() == 0) {
            System.out.println("  random: " + total + " messages, -Dtest.seed=" + seed[0]);
            for (int i = 1; i < comm.Size(); i++) {
                comm.Send(seed, 0, 1, MPI.LONG, i, 0);
            }
        } else {
            comm.Recv(seed, 0, 1, MPI.LONG, 0, 0);
        }
        Random random = new Random(seed[0]);
        for (int first = 0; first < total; first += WINDOW) {
            List<Message> plan = new ArrayList<>();
            for (int i = first; i < Math.min(total, first + WINDOW); i++) {
                plan.add(new Message(i, random, comm.Size()));
            }
            exchange(comm, plan, seed[0]);
        }
    }

    /** All receives first; so even a synchronous send to a rank that is itself sending comes to its end. */
    private static void exchange(Intracomm comm, List<Message> plan, long seed) {
        List<Message> mine = new ArrayList<>();
        List<Object> buffers = new ArrayList<>();
        List<Request> receives = new ArrayList<>();
        for (Message m : plan) {
            if (m.dest == comm.Rank()) {
                Object in = m.kind.make(m.count);
                mine.add(m);
                buffers.add(in);
                int source = m.way == 0 ? MPI.ANY_SOURCE : m.source;
                receives.add(comm.Irecv(in, 0, m.count, m.kind.type, source, m.number));
            }
        }
        List<Request> sends = new ArrayList<>();
        for (Message m : plan) {
            if (m.source == comm.Rank()) {
                send(comm, m, seed, sends);
            }
        }
        Status[] statuses = Request.Waitall(receives.toArray(new Request[0]));
        for (int i = 0; i < statuses.length; i++) {
            Message m = mine.get(i);
            String what = "message " + m.number + " from " + m.source + " to " + m.dest;
            Check.equal(m.source, statuses[i].source, "source of " + what);
            Check.equal(m.number, statuses[i].tag, "tag of " + what);
            Check.equal(m.count, statuses[i].count, "count of " + what);
            m.kind.verify(buffers.get(i), 0, m.count, seed + m.number, what);
        }
        Request.Waitall(sends.toArray(new Request[0]));
    }

    private static void send(Intracomm comm, Message m, long seed, List<Request> sends) {
        Object out = m.kind.filled(m.count, seed + m.number);
        switch (m.way) {
        case 0:
            comm.Send(out, 0, m.count, m.kind.type, m.dest, m.number);
            break;
        case 1:
            comm.Ssend(out, 0, m.count, m.kind.type, m.dest, m.number);
            break;
        case 2:
            sends.add(comm.Issend(out, 0, m.count, m.kind.type, m.dest, m.number));
            break;
        default:
            sends.add(comm.Isend(out, 0, m.count, m.kind.type, m.dest, m.number));
            break;
        }
    }
}
