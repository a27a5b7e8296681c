// SPDX-License-Identifier: Apache-2.0
package conform;

import mpi.Intracomm;
import mpi.MPI;

/** Sizes in bytes around everything that might be a threshold of a protocol. */
final class Sizes {
    static final int[] BYTES = {
        0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 1023, 1024, 1025,
        4095, 4096, 4097, 8191, 8192, 8193, 16383, 16384, 16385, 32767, 32768, 32769,
        65535, 65536, 65537, 262143, 262144, 262145, 1048579,
    };
    /** One for each way a message may travel: in the slot, in pieces, by rendezvous. */
    static final int[] FEW = {0, 8, 200, 3000, 20000, 300000};
    /** With little volume: on machines that are emulated, and where tests have to be quick. */
    static final boolean IS_SLOW = System.getenv("CORUNNA_TEST_SLOW") != null;
    /** For what is tried in many ways. */
    static final int[] SOME = IS_SLOW ? FEW : BYTES;

    private Sizes() {
    }

    /** How many messages or calls a case of volume takes. */
    static int volume(int usual) {
        return IS_SLOW ? usual / 10 : usual;
    }

    /** Waits for the partner to come here too. */
    static void meet(Intracomm comm, int partner) {
        byte[] nothing = new byte[0];
        comm.Sendrecv(nothing, 0, 0, MPI.BYTE, partner, 12345, nothing, 0, 0, MPI.BYTE, partner, 12345);
    }

    /**
     * The rank this one talks to where two talk: 0 with 1, 2 with 3...; -1 for the last of an odd number, and in the
     * middle of many, where more pairs would only do the same again.
     */
    static int partner(Intracomm comm) {
        int other = comm.Rank() ^ 1;
        boolean isSpare = comm.Size() > 8 && comm.Rank() / 2 > 1 && comm.Rank() / 2 < (comm.Size() - 1) / 2;
        return other < comm.Size() && !isSpare ? other : -1;
    }
}
