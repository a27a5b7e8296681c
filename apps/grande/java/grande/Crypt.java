// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Arrays;
import java.util.Random;
import mpi.MPI;

/**
 * Crypt: encrypts many bytes with IDEA, and decrypts them. Rank 0 scatters the bytes, and gathers the encrypted and the
 * decrypted ones. The result must be what it was, and a block whose cipher is published must have it.
 */
public final class Crypt {
    private static final int[] SIZES = {3000000, 20000000, 50000000};
    private static final long SEED = 136506717;
    private static final int BLOCK = 8;
    private static final int[] KNOWN_KEY = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final byte[] KNOWN_PLAIN = {0, 0, 0, 1, 0, 2, 0, 3};
    private static final byte[] KNOWN_CIPHER =
            {0x11, (byte) 0xfb, (byte) 0xed, 0x2b, 0x01, (byte) 0x98, 0x6d, (byte) 0xe5};

    private final Job job;

    private Crypt(Job job) {
        this.job = job;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "Crypt", args);
        job.run(() -> new Crypt(job).run());
    }

    private void run() {
        int length = SIZES[job.index];
        int[] counts = new int[job.size];
        int[] starts = new int[job.size];
        for (int peer = 0; peer < job.size; peer++) {
            starts[peer] = (int) ((long) (length / BLOCK) * peer / job.size) * BLOCK;
            counts[peer] = (int) ((long) (length / BLOCK) * (peer + 1) / job.size) * BLOCK - starts[peer];
        }
        int count = counts[job.rank];
        byte[] plain = new byte[job.rank == 0 ? length : 0];
        byte[] cipher = new byte[job.rank == 0 ? length : 0];
        byte[] back = new byte[job.rank == 0 ? length : 0];
        byte[] own = new byte[count];
        byte[] hidden = new byte[count];
        Random random = new Random(SEED);
        int[] key = new int[8];
        for (int i = 0; i < key.length; i++) {
            key[i] = random.nextInt() & 0xffff;
        }
        random.nextBytes(plain);
        int[] keys = Idea.encryptionKeys(key);
        int[] inverse = Idea.decryptionKeys(keys);
        job.title(Integer.toString(length), 1);

        job.startTimer();
        job.comm.Scatterv(plain, 0, counts, starts, MPI.BYTE, own, 0, count, MPI.BYTE, 0);
        Idea.run(own, hidden, count, keys);
        job.comm.Gatherv(hidden, 0, count, MPI.BYTE, cipher, 0, counts, starts, MPI.BYTE, 0);
        Idea.run(hidden, own, count, inverse);
        job.comm.Gatherv(own, 0, count, MPI.BYTE, back, 0, counts, starts, MPI.BYTE, 0);
        double seconds = job.stopTimer();

        boolean isRight = isKnownRight();
        if (job.rank == 0) {
            boolean isBack = Arrays.equals(plain, back);
            boolean isHidden = !Arrays.equals(plain, cipher);
            job.say(" decrypted bytes are %s, encrypted ones %s, a published block is %s", isBack ? "right" : "WRONG",
                    isHidden ? "differ" : "DO NOT DIFFER", isRight ? "right" : "WRONG");
            isRight &= isBack && isHidden;
        }
        job.report(Integer.toString(length), 1, seconds, 2.0 * length, "bytes", isRight);
    }

    private static boolean isKnownRight() {
        byte[] out = new byte[BLOCK];
        Idea.run(KNOWN_PLAIN, out, BLOCK, Idea.encryptionKeys(KNOWN_KEY));
        return Arrays.equals(out, KNOWN_CIPHER);
    }
}
