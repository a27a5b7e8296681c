// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.lang.StackWalker.StackFrame;
import java.security.ProtectionDomain;
import java.util.stream.Stream;

/**
 * The method that a program called, by whose name a failure is reported. Both dialects share their checks and the
 * engine's calls, which know one name for each call; the stack has the other one. Only failures look there.
 */
final class CalledMethod {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** Everything in the jar has this one. A class of the same package from elsewhere is a program's. */
    private static final ProtectionDomain OURS = CalledMethod.class.getProtectionDomain();

    private CalledMethod() {
    }

    /**
     * A message under the name of the method that the program called. One that does not begin with the name of a call,
     * or that belongs to no call of this package, stays as it is.
     */
    static String named(String message) {
        int end = message.indexOf(": ");
        if (end < 0 || !message.chars().limit(end).allMatch(Character::isJavaIdentifierPart)) {
            return message;
        }
        String called = STACK.walk(CalledMethod::outermost);
        return called == null ? message : called + message.substring(end);
    }

    /** The last method of this package on the way to the program. What the JDK calls on the way is passed over. */
    private static String outermost(Stream<StackFrame> frames) {
        return frames.takeWhile(frame -> isOurs(frame) || frame.getDeclaringClass().getClassLoader() == null)
                .filter(CalledMethod::isCall).reduce((inner, outer) -> outer).map(CalledMethod::name).orElse(null);
    }

    private static boolean isOurs(StackFrame frame) {
        return frame.getDeclaringClass().getProtectionDomain() == OURS;
    }

    private static boolean isCall(StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        boolean isAside = type == CalledMethod.class || type == MPIException.class;
        return isOurs(frame) && !isAside && type.getPackageName().equals(CalledMethod.class.getPackageName());
    }

    private static String name(StackFrame frame) {
        boolean isConstructor = frame.getMethodName().startsWith("<");
        return isConstructor ? frame.getDeclaringClass().getSimpleName() : frame.getMethodName();
    }
}
