// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.LockSupport;

/**
 * Point-to-point calls that wait.
 *
 * <p>A platform thread waits in native code. A virtual thread there would keep its carrier, of which a JVM has as many
 * as there are CPUs: a few that wait for messages would keep others from sending them. So a virtual thread starts the
 * call, looks now and then how far it is, and lets its carrier go in between. Where Java has no virtual threads nothing
 * of this is left in compiled code.
 */
public final class Blocking {
    /** {@code Thread.isVirtual}, or null before Java 21. */
    private static final MethodHandle IS_VIRTUAL = findIsVirtual();
    private static final boolean HAS_VIRTUAL = IS_VIRTUAL != null;
    private static final boolean IS_ALWAYS = Settings.isVirtual();

    /** A waiting thread yields so often, then sleeps, each time longer by this, up to this. */
    private static final int YIELDS = 64;
    private static final long SLEEP_STEP_NS = 20_000;
    private static final long SLEEP_MAX_NS = 1_000_000;

    private static final String[] SEND_NAMES = {"Send", "Ssend", "Bsend", "Rsend"};

    private Blocking() {
    }

    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual",
                    MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    /** Must the calling thread not wait in native code? */
    public static boolean isVirtual() {
        return IS_ALWAYS || HAS_VIRTUAL && isVirtual(Thread.currentThread());
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new AssertionError(e); // it declares nothing
        }
    }

    // ---- as in Native ----

    public static void send(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag, int mode) {
        if (isVirtual()) {
            String call = SEND_NAMES[mode];
            await(Native.rankOf(comm), Native.isend(comm, buffer, offset, bytes, kind, dest, tag, mode, call), null,
                    call);
        } else {
            Native.send(comm, buffer, offset, bytes, kind, dest, tag, mode);
        }
    }

    public static long recv(long comm, Object buffer, long offset, long bytes, int kind, int source, int tag,
            long[] envelope) {
        if (isVirtual()) {
            String call = "Recv";
            return await(Native.rankOf(comm), Native.irecv(comm, buffer, offset, bytes, kind, source, tag, call),
                    envelope, call);
        }
        return Native.recv(comm, buffer, offset, bytes, kind, source, tag, envelope);
    }

    public static void sendrecv(long comm, int kinds, long to, Object out, long outOffset, long outBytes, long from,
            Object in, long inOffset, long inBytes, long[] envelope) {
        if (!isVirtual()) {
            Native.sendrecv(comm, kinds, to, out, outOffset, outBytes, from, in, inOffset, inBytes, envelope);
            return;
        }
        String call = "Sendrecv";
        long received = Native.irecv(comm, in, inOffset, inBytes, Native.kindsIn(kinds), Native.partnerRank(from),
                Native.partnerTag(from), call);
        long sent = 0;
        try {
            sent = Native.isend(comm, out, outOffset, outBytes, Native.kindsOut(kinds), Native.partnerRank(to),
                    Native.partnerTag(to), Native.STANDARD, call);
        } finally {
            if (sent == 0) {
                Native.cancel(received);
                await(Native.rankOf(comm), received, null, call);
            }
        }
        awaitBoth(comm, sent, received, envelope, call);
    }

    public static void sendrecvReplace(long comm, Object buffer, long offset, long bytes, int kind, long to, long from,
            long[] envelope) {
        if (!isVirtual()) {
            Native.sendrecvReplace(comm, buffer, offset, bytes, kind, to, from, envelope);
            return;
        }
        String call = "Sendrecv_replace";
        long sent = Native.isendCopy(comm, buffer, offset, bytes, kind, Native.partnerRank(to), Native.partnerTag(to),
                call);
        long received = 0;
        try {
            received = Native.irecv(comm, buffer, offset, bytes, kind, Native.partnerRank(from),
                    Native.partnerTag(from), call);
        } finally {
            if (received == 0) {
                Native.requestFree(sent); // it goes its way, as it would if the receive failed later
            }
        }
        awaitBoth(comm, sent, received, envelope, call);
    }

    public static void probe(long comm, int source, int tag, long[] envelope) {
        if (!isVirtual()) {
            Native.probe(comm, source, tag, envelope);
            return;
        }
        for (int round = 0; !Native.iprobe(comm, source, tag, envelope, "Probe"); round++) {
            pause(round);
        }
    }

    public static long await(long rank, long request, long[] envelope) {
        return isVirtual() ? await(rank, request, envelope, "Wait") : Native.await(rank, request, envelope);
    }

    /** Also with the {@code TEST_} numbers, which never wait. */
    public static int complete(long rank, int how, long[] requests, long[] envelopes) {
        boolean isWait = how == Native.WAIT_ALL || how == Native.WAIT_ANY || how == Native.WAIT_SOME;
        if (!isWait || !isVirtual()) {
            return Native.complete(rank, how, requests, envelopes);
        }
        int done = Native.complete(rank, how | Native.TRY, requests, envelopes);
        for (int round = 0; done == Native.PENDING || done == 0 && requests.length > 0; round++) {
            pause(round);
            done = Native.complete(rank, how | Native.TRY, requests, envelopes);
        }
        return done;
    }

    // ---- waiting ----

    /** Both end, whatever becomes of either. */
    private static void awaitBoth(long comm, long sent, long received, long[] envelope, String call) {
        long rank = Native.rankOf(comm);
        try {
            await(rank, sent, null, call);
        } finally {
            await(rank, received, envelope, call);
        }
    }

    private static long await(long rank, long request, long[] envelope, String call) {
        long bytes = Native.test(rank, request, envelope, call);
        for (int round = 0; bytes == Native.PENDING; round++) {
            pause(round);
            bytes = Native.test(rank, request, envelope, call);
        }
        return bytes;
    }

    /** Lets the carrier go, for longer in later rounds. An interrupt is left to the program, as in native code. */
    public static void pause(int round) {
        if (round < YIELDS || Thread.currentThread().isInterrupted()) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(Math.min(SLEEP_STEP_NS * (round - YIELDS + 1), SLEEP_MAX_NS));
        }
    }
}
