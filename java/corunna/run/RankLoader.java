// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.Seat;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * The class loader of one rank among several in a JVM. It defines the program's classes and package {@code mpi} anew,
 * so that each rank has its own static variables, {@code MPI.COMM_WORLD} among them. Only the platform and package
 * {@code corunna}, which carries the native library, are shared.
 */
final class RankLoader extends URLClassLoader implements Seat {
    static {
        registerAsParallelCapable();
    }

    private static final String[] SHARED = {"java.", "javax.", "jdk.", "sun.", "corunna."};
    private static final String[] OURS = {"mpi.", "mpjbuf.", "mpjdev."};

    private final ThreadJob job;
    private final int number;
    private volatile boolean isOpening;
    private volatile boolean isOpen;
    private volatile boolean isDone;

    RankLoader(ThreadJob job, int number, URL[] classPath) {
        super("rank " + number, classPath, RankLoader.class.getClassLoader());
        this.job = job;
        this.number = number;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (startsWith(name, SHARED)) {
            return super.loadClass(name, resolve); // parent first, as usual
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> type = findLoadedClass(name);
            if (type == null) {
                type = define(name);
            }
            if (resolve) {
                resolveClass(type);
            }
            return type;
        }
    }

    private static boolean startsWith(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        Class<?> type = startsWith(name, OURS) ? defineOurs(name) : null;
        if (type != null) {
            return type;
        }
        try {
            return findClass(name);
        } catch (ClassNotFoundException e) {
            return getParent().loadClass(name);
        }
    }

    /** Package mpi and its like come from where we come from, even if the class path has another library with them. */
    private Class<?> defineOurs(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                return null;
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length, RankLoader.class.getProtectionDomain());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    // ---- the seat ----

    @Override
    public long enter() {
        return job.enter(this);
    }

    @Override
    public void giveUp() {
        isOpening = false;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void setOpen(boolean isOpenNow) {
        isDone = !isOpenNow;
        isOpen = isOpenNow;
        isOpening = false;
    }

    /** The rank is in Init from here on, whichever thread of it. Under the job's lock. */
    void setOpening() {
        isOpening = true;
    }

    /** Is the rank between the beginning of Init and Finalize? */
    boolean isInUse() {
        return isOpening || isOpen;
    }

    /** Has the rank been through Finalize? */
    boolean isDone() {
        return isDone;
    }

    /** Is the rank between Init and Finalize? */
    boolean isOpen() {
        return isOpen;
    }

    @Override
    public void end(int status) {
        job.end(status);
    }
}
