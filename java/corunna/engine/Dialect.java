// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains why a program does not find a member of package {@code mpi}: it was compiled against a library that has a
 * package of this name with other members.
 */
public final class Dialect {
    /** {@code 'int mpi.Comm.place()'}, or {@code mpi.Comm.place()I} before Java 13. */
    private static final Pattern METHOD = Pattern.compile("(?<![\\w.$])(mpi\\.\\w+\\.[\\w<>]+)\\(");
    /** {@code mpi/Torus}. */
    private static final Pattern TYPE = Pattern.compile("(mpi/\\w+)(\\$\\w+)?");
    /** {@code Class mpi.MPI does not have member field 'mpi.Datatype INT2X'}, since Java 21. */
    private static final Pattern FIELD = Pattern.compile("Class (mpi\\.\\w+) does not have member field '.* (\\w+)'");
    private Dialect() {
    }

    /**
     * What to tell beside a failure.
     *
     * @param failure what the program let out
     * @return one sentence, or null if the failure is another
     */
    public static String hint(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String text = cause.getMessage();
            String hint = cause instanceof LinkageError && text != null ? hint((LinkageError) cause, text) : null;
            if (hint != null) {
                return hint;
            }
        }
        return null;
    }

    private static String hint(LinkageError failure, String text) {
        Matcher method = METHOD.matcher(text);
        if (failure instanceof NoSuchMethodError && method.find()) {
            return sentence(method.group(1) + "()");
        }
        Matcher type = TYPE.matcher(text);
        if (failure instanceof NoClassDefFoundError && type.matches()) {
            return sentence(type.group(1).replace('/', '.'));
        }
        Matcher field = FIELD.matcher(text);
        if (failure instanceof NoSuchFieldError && field.find()) {
            return sentence(field.group(1) + "." + field.group(2));
        }
        return null;
    }

    private static String sentence(String missing) {
        return "corunna: there is no " + missing + ": the program was compiled against another library; "
                + "this one has the names of mpiJava 1.2, as MPJ Express and FastMPJ do, "
                + "and those of the Open MPI Java bindings";
    }
}
