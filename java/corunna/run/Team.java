// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.Native;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the engine has for the ranks of a job: their team, and what remains of each rank after {@code MPI.Finalize}.
 *
 * <p>A thread may come with the handle of a rank long after Finalize, and it may be one that the job does not know: a
 * virtual one, or one of a pool. It has the handle from an object of the rank's own classes, or is in one of their
 * methods. So nothing goes before the collector has taken the class loaders of all ranks.
 */
final class Team {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Memory memory;

    Team(int size) {
        memory = new Memory(Native.teamCreate(size, (code, sentence) -> new UsageException(sentence)), size);
    }

    long handle() {
        return memory.handle;
    }

    /** To be called once for each rank, with the loader of its classes. */
    void keepFor(ClassLoader loader) {
        CLEANER.register(loader, memory);
    }

    /** Knows nothing of the loaders, which could never be collected otherwise. */
    private static final class Memory implements Runnable {
        private final long handle;
        private final AtomicInteger loaders;

        Memory(long handle, int size) {
            this.handle = handle;
            loaders = new AtomicInteger(size);
        }

        @Override
        public void run() {
            if (loaders.decrementAndGet() == 0) {
                Native.teamFree(handle);
            }
        }
    }
}
