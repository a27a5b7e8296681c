// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.LauncherArguments;
import corunna.engine.Settings;
import corunna.engine.Uncaught;

/**
 * Runs one rank in a JVM of its own, as {@code mpjrun} starts it:
 * {@code java -cp path corunna.run.RankJob [-dev name] [-plain-args] (-jar jar | Class) arguments}.
 *
 * <p>An exception that {@code main} lets out goes on from here, so that it ends the rank as it would without us.
 */
public final class RankJob {
    /** Among the leading words of main, where no device was asked for: what messages then go by. */
    private static final String DEVICE = "hybdev";

    private RankJob() {
    }

    /**
     * Runs the rank.
     *
     * @param arguments as above
     * @throws Throwable what the program's {@code main} throws
     */
    public static void main(String[] arguments) throws Throwable {
        Settings.setMpjrun();
        MainMethod main;
        String[] mainArguments;
        try {
            JobOptions options = JobOptions.parse(arguments);
            String name = options.jar != null ? MainMethod.ofJar(options.jar) : options.mainClass;
            main = MainMethod.find(name, ClassLoader.getSystemClassLoader(), System.getProperty("java.class.path"));
            options.giveLauncherArguments(told("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", 1), DEVICE);
            mainArguments = LauncherArguments.before(told("PMI_RANK", "OMPI_COMM_WORLD_RANK", 0), options.arguments);
        } catch (UsageException e) {
            e.exit();
            return;
        }
        try {
            main.run(mainArguments);
        } catch (LinkageError e) {
            if (Thread.getDefaultUncaughtExceptionHandler() == null) {
                Uncaught.explain(e); // before MPI.Init no handler does
            }
            throw e;
        }
    }

    /** What the launcher, ours or Open MPI's, tells in the environment; {@code alone} where there is none. */
    private static int told(String ours, String openMpi, int alone) {
        String variable = System.getenv(ours) != null ? ours : openMpi;
        String text = System.getenv(variable);
        try {
            return text == null ? alone : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException(variable + " is \"" + text + "\", but it must be a number");
        }
    }
}
