// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/** A reader and a writer thread on one connection. */
final class ReaderWriter {
    private static final int READER = 0;
    private static final int WRITER = 1;
    private static final int PAUSES = 40; // one call of so many comes late

    private ReaderWriter() {
    }

    /** A virtual one where Java has them, and that is asked for. */
    static Thread start(boolean isVirtual, Runnable work) throws ReflectiveOperationException {
        if (isVirtual && hasVirtual()) {
            Method method = Thread.class.getMethod("startVirtualThread", Runnable.class);
            return Watch.known((Thread) method.invoke(null, work));
        }
        Thread thread = Watch.known(new Thread(work));
        thread.start();
        return thread;
    }

    static boolean hasVirtual() {
        return Runtime.version().feature() >= 21;
    }

    private static void pause(Dice dice) throws InterruptedException {
        if (dice.below(PAUSES) == 0) {
            Thread.sleep(0, dice.size(999_999));
        }
    }

    private static void read(BlockingLink link, Plan plan, int end) throws IOException, InterruptedException {
        Dice dice = plan.dice(end, READER);
        int from = 1 - end;
        for (int at = 0; at < plan.total(from);) {
            ByteBuffer bytes = ByteBuffer.allocate(dice.size(plan.limit));
            pause(dice);
            int got = link.read(bytes);
            if (got <= 0) {
                throw new AssertionError("read: " + got + " after " + at + " of " + plan.total(from) + " bytes");
            }
            plan.compare(from, at, bytes.flip());
            at += got;
            Watch.moved(got);
        }
        int last = link.read(ByteBuffer.allocate(1));
        if (last != -1) {
            throw new AssertionError("a byte too many");
        }
    }

    private static void write(BlockingLink link, Plan plan, int end) throws IOException, InterruptedException {
        Dice dice = plan.dice(end, WRITER);
        for (int at = 0; at < plan.total(end);) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.min(dice.size(plan.limit), plan.total(end) - at));
            plan.fill(end, at, bytes);
            pause(dice);
            link.write(bytes.flip());
            at += bytes.limit();
            Watch.moved(bytes.limit());
        }
        link.endOutput();
    }

    /** Until both have ended; closes the connection. */
    static void run(BlockingLink link, Plan plan, int end, boolean isVirtual) throws Exception {
        Thread reader = start(isVirtual, Watch.guarded(() -> read(link, plan, end)));
        Thread writer = start(isVirtual, Watch.guarded(() -> write(link, plan, end)));
        reader.join();
        writer.join();
        link.close();
    }
}
