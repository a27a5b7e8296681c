package corunna.run;

import corunna.engine.Settings;
import corunna.engine.Uncaught;

/**
 * Runs one rank in a JVM of its own, as {@code mpjrun} starts it:
 * {@code java -cp path corunna.run.RankJob [-dev name] (-jar jar | Class) arguments}.
 *
 * <p>An exception that {@code main} lets out goes on from here, so that it ends the rank as it would without us.
 */
public final class RankJob {
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
            mainArguments = Settings.withLeadingWords(number(), options.device("smdev"), options.arguments);
        } catch (UsageException e) {
            e.exit();
            return;
        }
        try {
            main.run(mainArguments);
        } catch (LinkageError e) {
            if (Thread.getDefaultUncaughtExceptionHandler() == null) {
                Uncaught.explain(e); // before MPI.Init nobody else does
            }
            throw e;
        }
    }

    /** The launcher tells it in the environment, as it tells the engine. */
    private static int number() {
        String text = System.getenv("PMI_RANK");
        try {
            return text == null ? 0 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException("PMI_RANK is \"" + text + "\", but a rank is a number");
        }
    }
}
