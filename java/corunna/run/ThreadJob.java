// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.BufferPool;
import corunna.engine.Settings;
import corunna.engine.Uncaught;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a whole job in this JVM, each rank a thread with a class loader of its own:
 * {@code java -jar corunna.jar -np 4 [-cp path] (-jar jar | Class) arguments}.
 *
 * <p>{@link #main} may be called again and again, one call after the other: it returns when all ranks have ended, and
 * nothing of a job is left behind then but what its program keeps. It ends the JVM, though, where a rank fails or the
 * command line is wrong.
 *
 * <p>The job ends well if every rank does. If one fails, its trace and one sentence are printed and the JVM ends with
 * status 1, whatever the other ranks are doing; {@link Leaving} says what System.exit does.
 */
public final class ThreadJob {
    /** Among the leading words of main: as MPJ Express calls its mode of threads. */
    private static final String DEVICE = "multicore";
    /** How long shutdown hooks of the program may take once the job has failed. */
    private static final long HOOKS_MS = 1000;

    private final Team team;
    /** No rank can join any more. Guarded by this. */
    private boolean isOver;
    private final List<RankThread> ranks = new ArrayList<>();
    private final Leaving leaving = new Leaving(this, ranks);
    /** Guarded by this: the job is being ended by us. */
    private boolean isEnding;

    private ThreadJob(JobOptions options) {
        String classPath = classPath(options);
        URL[] urls = urls(classPath);
        String mainClass = options.jar != null ? MainMethod.ofJar(options.jar) : options.mainClass;
        int count = options.ranks == 0 ? 1 : options.ranks;
        options.giveLauncherArguments(count, DEVICE);
        for (int number = 0; number < count; number++) {
            RankLoader loader = new RankLoader(this, number, urls);
            ranks.add(new RankThread(this, loader, MainMethod.find(mainClass, loader, classPath),
                    options.arguments));
        }
        team = new Team(count);
        ranks.forEach(rank -> team.keepFor(rank.loader()));
    }

    /**
     * Runs the job.
     *
     * @param arguments as above
     * @throws InterruptedException never
     */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length == 0 || Arrays.asList("-h", "-help", "--help").contains(arguments[0])) {
            System.out.println(JobOptions.USAGE);
            System.exit(arguments.length == 0 ? 2 : 0);
        }
        Settings.setMpjrun();
        try {
            new ThreadJob(JobOptions.parse(arguments)).run();
        } catch (UsageException e) {
            e.exit();
        } catch (UnsatisfiedLinkError e) {
            new UsageException(e.getMessage()).exit();
        }
    }

    private void run() throws InterruptedException {
        ExitHook.add(this);
        for (RankThread rank : ranks) {
            rank.start();
        }
        for (RankThread rank : ranks) {
            rank.join();
        }
        // A rank may still have threads of its own, and those may call Init again; the JVM ends with the last of them.
        ExitHook.forget();
    }

    /** If no rank is in MPI or in a thread that we know, none may be any more. */
    synchronized boolean endIfOver() {
        for (RankThread rank : ranks) {
            if (rank.isRankInUse() || rank.hasThreads()) {
                return false;
            }
        }
        isOver = true;
        BufferPool.ONLY.clear();
        return true;
    }

    Leaving leaving() {
        return leaving;
    }

    /** A rank is in MPI.Init; returns the engine's team. */
    synchronized long enter(RankLoader rank) {
        if (isOver) {
            throw new IllegalStateException("MPI.Init: the job of this rank is over");
        }
        rank.setOpening();
        return team.handle();
    }

    // ---- the class path ----

    /** What {@code java} itself would take: the jar; the option; the variable; the directory we are in. */
    private static String classPath(JobOptions options) {
        if (options.jar != null) {
            return options.jar;
        }
        if (options.classPath != null) {
            return options.classPath;
        }
        String given = System.getProperty("java.class.path");
        if (!isOurJar(given)) {
            return given; // java -cp corunna.jar:... corunna.run.ThreadJob
        }
        String variable = System.getenv("CLASSPATH");
        return variable == null || variable.isEmpty() ? "." : variable;
    }

    /** Is the class path of this JVM the file that this class is from, and nothing else? So it is with {@code -jar}. */
    private static boolean isOurJar(String classPath) {
        try {
            URI ours = ThreadJob.class.getProtectionDomain().getCodeSource().getLocation().toURI();
            return Files.isSameFile(Path.of(classPath), Path.of(ours));
        } catch (IOException | URISyntaxException | InvalidPathException e) {
            return false; // several entries
        }
    }

    private static URL[] urls(String classPath) {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            for (File file : expand(entry.isEmpty() ? "." : entry)) {
                try {
                    urls.add(file.toURI().toURL());
                } catch (MalformedURLException e) {
                    throw new UsageException("class path entry " + entry + " cannot be used: " + e.getMessage());
                }
            }
        }
        return urls.toArray(new URL[0]);
    }

    /** {@code directory/*} stands for the jars in it, as for {@code java -cp}. */
    private static File[] expand(String entry) {
        if (!entry.equals("*") && !entry.endsWith(File.separator + "*")) {
            return new File[] {new File(entry)};
        }
        File directory = new File(entry.equals("*") ? "." : entry.substring(0, entry.length() - 2));
        File[] jars = directory.listFiles((dir, name) -> name.endsWith(".jar") || name.endsWith(".JAR"));
        if (jars == null) {
            return new File[0];
        }
        Arrays.sort(jars);
        return jars;
    }

    // ---- the end ----

    /** A rank has failed: say so and end the job. Called by the rank's thread, which does not survive it. */
    void fail(int number, String cause) {
        if (tell(number, cause)) {
            end(1);
        }
    }

    /** Likewise, with the trace before; if another rank was first, that of this one says little. */
    void fail(RankThread rank, Throwable failure) {
        synchronized (this) {
            if (!isEnding || Settings.isInfo()) {
                Uncaught.print(rank, failure);
            }
            if (!tell(rank.number(), Uncaught.describe(rank, failure))) {
                return;
            }
        }
        end(1);
    }

    /** The one sentence of a job that ends because of a rank; false if another one was first, and has told why. */
    synchronized boolean tell(int number, String cause) {
        if (isEnding) {
            return false;
        }
        isEnding = true;
        System.err.println("corunna: rank " + number + " failed: " + cause + "; the job ends");
        return true;
    }

    synchronized boolean isEnding() {
        return isEnding;
    }

    /** Ends the JVM with this status, even if a shutdown hook of the program hangs. Does not return. */
    void end(int status) {
        synchronized (this) {
            isEnding = true;
        }
        limitHooks(status);
        System.exit(status);
    }

    /** The JVM ends: shutdown hooks of the program that take too long cost it its status, and it gets this one. */
    void limitHooks(int status) {
        Thread watchdog = new Thread(() -> {
            pause(HOOKS_MS);
            Runtime.getRuntime().halt(status);
        }, "corunna watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
    }

    static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
