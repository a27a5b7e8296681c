// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.util.Arrays;
import mpi.MPI;
import mpi.MPIException;

/**
 * What differs between launchers, and what does not: static variables are each rank's own; COMM_WORLD before Init;
 * the arguments of main. Arguments: mpjrun, bare (mpjrun without its words) or plain, then two words.
 */
public final class Customs {
    private static int counter;

    private Customs() {
    }

    public static void main(String[] args) throws InterruptedException {
        counter++;
        boolean isBare = Arrays.asList(args).contains("bare");
        boolean isMpjrun = isBare || Arrays.asList(args).contains("mpjrun");
        boolean hasWords = isMpjrun && !isBare;
        require(Thread.currentThread().getContextClassLoader() == Customs.class.getClassLoader(), "context loader");
        require((MPI.COMM_WORLD == null) == isMpjrun, "COMM_WORLD before Init is " + MPI.COMM_WORLD);
        require(!MPI.Initialized() && !MPI.Finalized(), "not initialised");
        if (!isMpjrun) {
            requireFails("Rank: MPI is not initialised", () -> MPI.COMM_WORLD.Rank());
        }
        requireFails("Finalize: MPI is not initialised", MPI::Finalize);
        require(args.length == (hasWords ? 6 : 3), "arguments " + Arrays.toString(args));

        String[] own = MPI.Init(args);
        require(own.length == 3 && own[1].equals("one") && own[2].equals("two words"), Arrays.toString(own));
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        String[] words = {Integer.toString(rank), Integer.toString(size), hasWords ? args[2] : "niodev", "own"};
        require(!hasWords || args[0].equals(words[0]), "the first word is the rank: " + args[0]);
        require(!hasWords || args[1].equals(words[1]), "the second word is the number of ranks: " + args[1]);
        Thread other = new Thread(() -> counter++);
        MPI.COMM_WORLD.Barrier();
        require(counter == 1, "the static counter of rank " + rank + " is " + counter);
        MPI.COMM_WORLD.Barrier();
        other.start();
        other.join();
        require(counter == 2, "a rank's threads share its static variables");
        MPI.Finalize();
        // The same words, but the program's own; and those of main, copied, with fewer arguments behind them.
        require(MPI.Init(words) == words, "arguments that look like the launcher's words stay");
        MPI.Finalize();
        String[] some = Arrays.copyOf(args, hasWords ? 4 : 1);
        require(Arrays.equals(MPI.Init(some), new String[] {own[0]}), "a copy of the arguments of main");
        MPI.Finalize();
        if (rank == 0) {
            System.out.println("customs kept on " + size + " ranks" + (hasWords ? ", device " + args[2] : ""));
        }
    }

    private static void requireFails(String sentence, Runnable call) {
        try {
            call.run();
        } catch (MPIException e) {
            require(e.getMessage().equals(sentence), e.getMessage());
            return;
        }
        throw new AssertionError("no exception, expected " + sentence);
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }
}
