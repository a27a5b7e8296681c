// SPDX-License-Identifier: Apache-2.0
package rmi;

import corunna.rmi.FastRmi;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Array;
import java.rmi.ConnectException;
import java.rmi.MarshalException;
import java.rmi.NoSuchObjectException;
import java.rmi.RemoteException;
import java.rmi.ServerError;
import java.rmi.ServerException;
import java.rmi.UnmarshalException;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What must hold, whichever way the calls go. */
final class Cases {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(600);

    private final Desk desk;
    private final Desk filtered;

    Cases(Desk desk, Desk filtered) {
        this.desk = desk;
        this.filtered = filtered;
    }

    Desk desk() {
        return desk;
    }

    private static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    private static void same(Object expected, Object found) {
        if (!Objects.deepEquals(expected, found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    /** The exception of this class that the call throws. */
    private static <E extends Throwable> E thrown(Class<E> type, Callable<?> call) {
        Object result;
        try {
            result = call.call();
        } catch (Throwable e) {
            if (type.isInstance(e)) {
                return type.cast(e);
            }
            throw new AssertionError("expected " + type + ", caught " + e, e);
        }
        throw new AssertionError("expected " + type + ", the call returned " + result);
    }

    private static Callable<Void> fails(Desk desk, String how) {
        return () -> {
            desk.fail(how);
            return null;
        };
    }

    private static void await(Callable<Boolean> condition, String what) throws Exception {
        for (long begin = System.nanoTime(); !condition.call(); Thread.sleep(10)) {
            check(System.nanoTime() - begin < PATIENCE_NS, what);
        }
    }

    // ---- arguments and results ----

    void values() throws Exception {
        desk.nothing();
        same("true -1 \u00e4 -300 70000 5000000000 1.5 -0.25",
                desk.primitives(true, (byte) -1, '\u00e4', (short) -300, 70000, 5_000_000_000L, 1.5f, -0.25));
        same(false, desk.not(true));
        same(Byte.MIN_VALUE, desk.next(Byte.MAX_VALUE));
        same('b', desk.next('a'));
        same((short) 8, desk.next((short) 7));
        same(Integer.MIN_VALUE, desk.next(Integer.MAX_VALUE));
        same(6_000_000_001L, desk.next(6_000_000_000L));
        same(2.5f, desk.next(1.5f));
        same(-1.5, desk.next(-2.5));
        same("Hello you", desk.greet("you")); // of an interface above
        same(null, desk.echo(null));
    }

    void arrays() throws Exception {
        Class<?>[] types = {boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class,
            double.class};
        for (Class<?> type : types) {
            for (int length : new int[] {0, 1, 7, 129, 100_003}) {
                Object array = Array.newInstance(type, length);
                if (length > 0 && type != boolean.class && type != char.class) {
                    Array.setByte(array, length - 1, (byte) 77);
                }
                Object back = desk.echo(array);
                same(array.getClass(), back.getClass());
                same(array, back);
            }
        }
        double[] values = new double[131072];
        Arrays.setAll(values, i -> i * 0.5);
        same(Arrays.stream(values).sum(), desk.sum(values));
        values[1] = Double.MAX_VALUE; // the server must see it
        check(desk.sum(values) >= Double.MAX_VALUE, "the array as it was before");
        same(new int[][] {{1}, new int[1000], null}, desk.echo(new int[][] {{1}, new int[1000], null}));
    }

    void strings() throws Exception {
        for (String text : new String[] {"", "a", "\u00ff\u0000", "\u0100", "lone \ud800", "x".repeat(100_000),
            "\u20ac".repeat(70_000)}) {
            same(text, desk.echo(text));
        }
        check(thrown(NullPointerException.class, () -> desk.sum(null)) != null, "null is an array");
    }

    void objects() throws Exception {
        Parcel parcel = new Parcel("one", new double[] {1, 2, 3}, Thread.State.BLOCKED);
        for (int i = 0; i < 3; i++) { // the second time the class is known
            Parcel back = (Parcel) desk.echo(parcel);
            same(parcel, back);
            same(Thread.State.BLOCKED, back.more);
            parcel.values[0] += i; // the next call must not send what was sent before
        }
        Parcel large = new Parcel("large", new double[100_000], parcel);
        large.values[99_999] = 5;
        same(large, desk.echo(large));
        same(int.class, desk.echo(int.class));
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            many.add(new Parcel("number " + i, new double[i % 100], null));
        }
        same(many, desk.echo(many));
        Object[] ring = {"ring", null};
        ring[1] = ring;
        Object[] back = (Object[]) desk.echo(ring);
        check(back[1] == back, "a ring is none any more");
    }

    void sharing() throws Exception {
        double[] small = {1};
        double[] large = new double[1000];
        check(desk.isSame(small, small), "one array came as two");
        check(!desk.isSame(small, small.clone()), "two arrays came as one");
        Parcel parcel = new Parcel("shared", large, null);
        check(desk.isSame(parcel, parcel), "one object came as two");
        check(desk.isInside(parcel, large), "an array came twice: in an object, and alone");
        check(desk.isInside(new Parcel("shared", small, null), small), "a small array came twice");
        Parcel[] two = (Parcel[]) desk.echo(new Parcel[] {parcel, new Parcel("other", large, null)});
        check(two[0].values == two[1].values, "an array of two objects came twice");
        String text = new String("shared");
        check(desk.isSame(text, text), "one string came as two");
        check(!desk.isSame(text, new String("shared")), "two strings came as one");
        check(desk.isFirst(text, new Object[] {text}), "a string came twice: alone, and in an object after it");
        check(desk.isFirst(new Object[] {text}, text), "a string came twice: in an object, and alone after it");
        String foreign = new String("\u4e2d");
        check(desk.isSame(foreign, foreign), "one string of long characters came as two");
        check(desk.isFirst(foreign, new Object[] {foreign}), "a string of long characters came twice");
    }

    // ---- failures ----

    void exceptions() throws Exception {
        FileNotFoundException checked = thrown(FileNotFoundException.class, fails(desk, "checked"));
        same("no such desk", checked.getMessage());
        String trace = Arrays.toString(checked.getStackTrace());
        check(trace.contains("rmi.DeskServer.fail"), "no server in the stack: " + trace);
        check(trace.contains("rmi.Cases"), "no client in the stack: " + trace);
        IllegalStateException runtime = thrown(IllegalStateException.class, fails(desk, "runtime"));
        same("the cause", runtime.getCause().getMessage());
        same("wrong", thrown(ServerError.class, fails(desk, "error")).getCause().getMessage());
        check(thrown(ServerException.class, fails(desk, "remote")).getCause() instanceof RemoteException, "no cause");
        desk.nothing();
    }

    void unwritable() throws Exception {
        MarshalException argument = thrown(MarshalException.class, () -> desk.echo(new Object()));
        check(argument.getCause() instanceof NotSerializableException, "the cause is " + argument.getCause());
        UnmarshalException result = thrown(UnmarshalException.class, () -> desk.unwritable());
        check(String.valueOf(result.getCause()).contains("java.lang.Object"), "the cause is " + result.getCause());
        desk.nothing();
    }

    void filter() throws Exception {
        same("fine", filtered.echo("fine"));
        rejected(new Forbidden());
        rejected(List.of(new Forbidden()));
        for (Object large : new Object[] {new double[200_000], new Parcel("large", new double[200_000], null)}) {
            if (FastRmi.isFast(filtered)) {
                rejected(large);
            } else {
                thrown(RemoteException.class, () -> filtered.echo(large)); // an ordinary server closes the connection
            }
        }
        Parcel parcel = new Parcel("allowed", new double[140_000], null);
        same(parcel, filtered.echo(parcel));
        check(desk.echo(new Forbidden()) instanceof Forbidden, "the filter is for the other object");
        if (Boolean.getBoolean("test.banned")) { // by the server's JVM
            Throwable cause = thrown(ServerException.class, () -> desk.echo(new Banned())).getCause().getCause();
            check(cause instanceof InvalidClassException, "the cause is " + cause);
        } else {
            check(desk.echo(new Banned()) instanceof Banned, "no filter is for this class");
        }
    }

    private void rejected(Object argument) {
        Throwable cause = thrown(ServerException.class, () -> filtered.echo(argument)).getCause().getCause();
        check(cause instanceof InvalidClassException, "the cause is " + cause);
    }

    // ---- threads and callbacks ----

    void threads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<Void>> all = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            int seed = thread;
            all.add(threads.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    same(seed * 1000 + i + 1, desk.next(seed * 1000 + i));
                    double[] values = new double[i * 10];
                    Arrays.fill(values, seed);
                    same((double) seed * i * 10, desk.sum(values));
                    same(List.of(seed, i), desk.echo(List.of(seed, i)));
                }
                return null;
            }));
        }
        for (Future<Void> one : all) {
            one.get();
        }
        threads.shutdown();
    }

    private final class Calling implements Back {
        @Override
        public int again(int depth) throws RemoteException {
            return depth == 0 ? 0 : 1 + desk.call(this, depth - 1);
        }
    }

    void callbacks() throws Exception {
        Calling fast = new Calling();
        FastRmi.export(fast, 0);
        same(10, desk.call(fast, 10));
        same(5, desk.call(fast, 5));
        Calling ordinary = new Calling();
        UnicastRemoteObject.exportObject(ordinary, 0);
        same(10, desk.call(ordinary, 10));
        FastRmi.unexport(fast, true);
        UnicastRemoteObject.unexportObject(ordinary, true);
    }

    // ---- stubs ----

    void stubs() throws Exception {
        Desk back = (Desk) desk.echo(desk); // through the server
        same(desk, back);
        same(desk.hashCode(), back.hashCode());
        same("Hello again", back.greet("again"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(desk);
        check(!bytes.toString("ISO-8859-1").contains("corunna"), "a stub names classes of Corunna when it travels");
        Desk read = (Desk) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        same(desk.toString(), read.toString());
        same(desk.hashCode(), read.hashCode());
        check(FastRmi.accelerate(read).equals(desk), "a fast stub is not equal to the one it was made of");
        check(desk.equals(read), "a stub is not equal to the same from elsewhere");
    }

    void context() throws Exception {
        same(System.getProperty("test.client", "127.0.0.1"), desk.clientHost());
        check(desk.contextLoader().contains("AppClassLoader"), "the loader is " + desk.contextLoader());
    }

    void unexport() throws Exception {
        Counter first = desk.counter("kept", "kept");
        same(1, first.next());
        await(() -> desk.unexport(first, false), "no call is under way"); // the last one ends after its reply
        thrown(NoSuchObjectException.class, first::next);
        Counter second = desk.counter("kept", "kept");
        check(desk.unexport(second, true), "by force");
        thrown(NoSuchObjectException.class, second::next);
        Counter third = desk.counter("kept", "kept");
        same(1, third.next());
        same(2, desk.reexport(third).next());
        thrown(NoSuchObjectException.class, third::next); // though the object is there
        desk.nothing();
    }

    void unexportBusy() throws Exception {
        Counter busy = desk.counter("kept", "kept");
        ExecutorService threads = Executors.newCachedThreadPool();
        Future<Integer> waits = threads.submit(busy::nextAfterOpen);
        await(() -> desk.waiting() == 1, "a call that waits");
        check(!desk.unexport(busy, false), "unexported while a call is under way");
        same(1, busy.next());
        desk.open();
        same(2, waits.get());
        await(() -> desk.unexport(busy, false), "no call is under way any more");
        thrown(NoSuchObjectException.class, busy::next);
        threads.shutdown();
    }

    /** A new object whose stub is on its way must not be collected before the client has it. */
    void transit() throws Exception {
        Thread collector = new Thread(() -> {
            try {
                for (int i = 0; i < 20; i++) {
                    desk.collect();
                }
            } catch (RemoteException e) {
                throw new IllegalStateException(e);
            }
        });
        collector.start();
        while (collector.isAlive()) {
            same(1, desk.counter("object", "transit").next());
        }
        collector.join();
    }

    void leases() throws Exception {
        List<Counter> counters = new ArrayList<>();
        for (String how : new String[] {"object", "stub", "ordinary"}) {
            counters.add(desk.counter(how, "leased"));
        }
        long lease = Long.getLong("java.rmi.dgc.leaseValue");
        for (long begin = System.nanoTime(); System.nanoTime() - begin < lease * 1_500_000; Thread.sleep(500)) {
            System.gc();
            desk.collect();
            for (Counter counter : counters) {
                counter.next();
            }
        }
        same(0, desk.abandoned("leased"));
        counters.clear();
        await(() -> {
            System.gc();
            return desk.abandoned("leased") == 3;
        }, "the server must hear that no stub is left");
    }

    void death() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Future<Void> waits = threads.submit(() -> {
            desk.waitForOpen();
            return null;
        });
        await(() -> desk.waiting() == 1, "a call that waits");
        desk.open();
        waits.get();
        thrown(UnmarshalException.class, () -> {
            desk.halt();
            return null;
        });
        await(() -> {
            try {
                desk.nothing();
                return false;
            } catch (RemoteException e) {
                return e instanceof ConnectException; // another one: a connection whose end was not known yet
            }
        }, "a server that is gone refuses connections");
        threads.shutdown();
        same(Collections.emptyList(), threads.shutdownNow());
    }
}
