// SPDX-License-Identifier: Apache-2.0
package rmi;

import corunna.rmi.FastRmi;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;
import java.rmi.server.UnicastRemoteObject;
import java.rmi.server.Unreferenced;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server of the tests: {@code DeskServer fast|plain PORT}, the port of a registry. A desk is bound there, and one
 * whose export has a filter. The JVM ends with its standard input.
 */
public final class DeskServer implements Desk {
    private static final String FILTER = "!rmi.Forbidden;maxarray=150000";

    private final boolean isFast;
    private final Map<String, Integer> abandoned = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile CountDownLatch door = new CountDownLatch(1);
    /** Counters that are unexported by name. They are made for that, and kept. */
    private final Map<Integer, Remote> kept = new ConcurrentHashMap<>();

    private DeskServer(boolean isFast) {
        this.isFast = isFast;
    }

    public static void main(String[] arguments) throws Exception {
        boolean isFast = arguments[0].equals("fast");
        int port = Integer.parseInt(arguments[1]);
        DeskServer open = new DeskServer(isFast);
        DeskServer filtered = new DeskServer(isFast);
        ObjectInputFilter filter = ObjectInputFilter.Config.createFilter(FILTER);
        Remote filteredStub = isFast ? FastRmi.export(filtered, 0, filter)
                : UnicastRemoteObject.exportObject(filtered, 0, filter);
        LocateRegistry.getRegistry("127.0.0.1", port).rebind("filtered", filteredStub);
        LocateRegistry.getRegistry("127.0.0.1", port).rebind("desk", open.export(open));
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    private Remote export(Remote object) throws RemoteException {
        return isFast ? FastRmi.export(object, 0) : UnicastRemoteObject.exportObject(object, 0);
    }

    @Override
    public String greet(String name) {
        return "Hello " + name;
    }

    @Override
    public void nothing() {
    }

    @Override
    public String primitives(boolean a, byte b, char c, short d, int e, long f, float g, double h) {
        return a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + g + " " + h;
    }

    @Override
    public boolean not(boolean value) {
        return !value;
    }

    @Override
    public byte next(byte value) {
        return (byte) (value + 1);
    }

    @Override
    public char next(char value) {
        return (char) (value + 1);
    }

    @Override
    public short next(short value) {
        return (short) (value + 1);
    }

    @Override
    public int next(int value) {
        return value + 1;
    }

    @Override
    public long next(long value) {
        return value + 1;
    }

    @Override
    public float next(float value) {
        return value + 1;
    }

    @Override
    public double next(double value) {
        return value + 1;
    }

    @Override
    public double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }

    @Override
    public Object echo(Object value) {
        return value;
    }

    @Override
    public boolean isSame(Object first, Object second) {
        return first == second;
    }

    @Override
    public boolean isFirst(Object one, Object other) {
        return one instanceof Object[] ? ((Object[]) one)[0] == other : ((Object[]) other)[0] == one;
    }

    @Override
    public boolean isInside(Parcel parcel, double[] values) {
        return parcel.values == values;
    }

    @Override
    public void fail(String how) throws IOException {
        switch (how) {
        case "checked":
            throw new FileNotFoundException("no such desk");
        case "runtime":
            throw new IllegalStateException("not now", new IllegalArgumentException("the cause"));
        case "error":
            throw new AssertionError("wrong");
        default:
            throw new RemoteException("further away");
        }
    }

    @Override
    public int call(Back back, int depth) throws RemoteException {
        return depth == 0 ? 0 : 1 + back.again(depth - 1);
    }

    private final class Counting implements Counter, Unreferenced {
        private final AtomicInteger count = new AtomicInteger();
        private final String group;

        Counting(String group) {
            this.group = group;
        }

        @Override
        public int next() {
            return count.incrementAndGet();
        }

        @Override
        public int nextAfterOpen() throws RemoteException {
            waitForOpen();
            return next();
        }

        @Override
        public void unreferenced() {
            abandoned.merge(group, 1, Integer::sum);
        }
    }

    @Override
    public Counter counter(String how, String group) throws RemoteException {
        Counting made = new Counting(group);
        Remote stub = how.equals("ordinary") ? UnicastRemoteObject.exportObject(made, 0) : export(made);
        if (how.equals("kept")) {
            kept.put(stub.hashCode(), made);
        }
        return how.equals("object") ? made : (Counter) stub;
    }

    @Override
    public int abandoned(String group) {
        return abandoned.getOrDefault(group, 0);
    }

    @Override
    public void collect() {
        System.gc();
    }

    @Override
    public String clientHost() throws RemoteException {
        try {
            return RemoteServer.getClientHost();
        } catch (ServerNotActiveException e) {
            throw new RemoteException("no client", e);
        }
    }

    @Override
    public String contextLoader() {
        return String.valueOf(Thread.currentThread().getContextClassLoader().getClass());
    }

    @Override
    public Object unwritable() {
        return new Object();
    }

    @Override
    public boolean unexport(Counter counter, boolean isForced) throws RemoteException {
        Remote object = kept.get(counter.hashCode());
        return isFast && !isForced ? FastRmi.unexport(object, false)
                : UnicastRemoteObject.unexportObject(object, isForced);
    }

    @Override
    public Counter reexport(Counter counter) throws RemoteException {
        Remote object = kept.get(counter.hashCode());
        UnicastRemoteObject.unexportObject(object, true);
        return (Counter) export(object);
    }

    @Override
    public void waitForOpen() throws RemoteException {
        waiting.incrementAndGet();
        try {
            door.await();
        } catch (InterruptedException e) {
            throw new RemoteException("interrupted", e);
        }
        waiting.decrementAndGet();
    }

    @Override
    public int waiting() {
        return waiting.get();
    }

    @Override
    public void open() {
        CountDownLatch old = door;
        door = new CountDownLatch(1);
        old.countDown();
    }

    @Override
    public void halt() {
        Runtime.getRuntime().halt(0);
    }
}
