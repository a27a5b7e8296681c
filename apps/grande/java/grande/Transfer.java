// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import mpi.Datatype;
import mpi.MPI;

/** The transfers of section 1, and what each leaves where. An array has {@code count} numbers for each rank. */
enum Transfer {
    PINGPONG {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            if (job.rank == 0) {
                job.comm.Send(out, 0, count, type, 1, TAG);
                job.comm.Recv(in, 0, count, type, 1, TAG);
            } else if (job.rank == 1) {
                job.comm.Recv(in, 0, count, type, 0, TAG);
                job.comm.Send(in, 0, count, type, 0, TAG); // back, so that rank 0 sees what came here
            }
        }

        @Override
        int arrived(Job job, int count) {
            return job.rank <= 1 ? count : 0;
        }

        @Override
        double wanted(Job job, int count, int i) {
            return Payload.value(0, i);
        }
    },

    BARRIER {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Barrier();
        }

        @Override
        int arrived(Job job, int count) {
            return 0;
        }

        @Override
        double wanted(Job job, int count, int i) {
            throw new AssertionError("a barrier brings nothing");
        }
    },

    BCAST {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Bcast(job.rank == 0 ? out : in, 0, count, type, 0);
        }

        @Override
        int arrived(Job job, int count) {
            return job.rank == 0 ? 0 : count;
        }

        @Override
        double wanted(Job job, int count, int i) {
            return Payload.value(0, i);
        }
    },

    GATHER {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Gather(out, 0, count, type, in, 0, count, type, 0);
        }

        @Override
        int arrived(Job job, int count) {
            return job.rank == 0 ? count * job.size : 0;
        }

        @Override
        double wanted(Job job, int count, int i) {
            return Payload.value(i / count, i % count);
        }
    },

    SCATTER {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Scatter(out, 0, count, type, in, 0, count, type, 0);
        }

        @Override
        int arrived(Job job, int count) {
            return count;
        }

        @Override
        double wanted(Job job, int count, int i) {
            return Payload.value(0, job.rank * count + i);
        }
    },

    REDUCE {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Reduce(out, 0, in, 0, count, type, MPI.SUM, 0);
        }

        @Override
        int arrived(Job job, int count) {
            return job.rank == 0 ? count : 0;
        }

        @Override
        double wanted(Job job, int count, int i) {
            double sum = 0;
            for (int peer = 0; peer < job.size; peer++) {
                sum += Payload.value(peer, i);
            }
            return sum;
        }
    },

    ALLTOALL {
        @Override
        void run(Job job, Datatype type, Object out, Object in, int count) {
            job.comm.Alltoall(out, 0, count, type, in, 0, count, type);
        }

        @Override
        int arrived(Job job, int count) {
            return count * job.size;
        }

        @Override
        double wanted(Job job, int count, int i) {
            return Payload.value(i / count, job.rank * count + i % count);
        }
    };

    private static final int TAG = 1;

    abstract void run(Job job, Datatype type, Object out, Object in, int count);

    /** How many numbers have come to this rank, and what each of them should be. */
    abstract int arrived(Job job, int count);

    abstract double wanted(Job job, int count, int i);

    boolean isRight(Job job, Payload kind, Object in, int count) {
        int arrived = arrived(job, count);
        for (int i = 0; i < arrived; i++) {
            if (kind.get(in, i) != wanted(job, count, i)) {
                return false;
            }
        }
        return true;
    }

    /** Ranks that have done their part early would start the next one, so collective operations end in a barrier. */
    boolean hasBarrier() {
        return this != PINGPONG && this != BARRIER;
    }

    /** Objects have no sum, and a barrier no numbers at all. */
    Payload[] kinds() {
        return this == REDUCE || this == BARRIER ? new Payload[] {Payload.DOUBLES} : Payload.values();
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String words() {
        return Arrays.stream(values()).map(Transfer::word).collect(Collectors.joining(", "));
    }
}
