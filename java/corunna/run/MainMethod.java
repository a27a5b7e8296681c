// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.Uncaught;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** Finds and runs the {@code main} of a user's class; what is wrong with it is said in one sentence. */
final class MainMethod {
    private final Method method;

    private MainMethod(Method method) {
        this.method = method;
    }

    /** Loads the class, but does not initialise it: that is the program's own business, in its own thread. */
    static MainMethod find(String className, ClassLoader loader, String classPath) {
        try {
            Class<?> type = Class.forName(className.replace('/', '.'), false, loader);
            Method method = type.getMethod("main", String[].class);
            if (!Modifier.isStatic(method.getModifiers()) || method.getReturnType() != void.class) {
                throw new UsageException("class " + className + " has a main method, but it is not `static void`");
            }
            method.setAccessible(true); // the class need not be public
            return new MainMethod(method);
        } catch (ClassNotFoundException e) {
            throw new UsageException("class " + className + " was not found on the class path " + classPath);
        } catch (NoSuchMethodException e) {
            throw new UsageException("class " + className + " has no method `public static void main(String[])`");
        } catch (LinkageError e) {
            Uncaught.explain(e);
            throw new UsageException("class " + className + " cannot be loaded: " + e);
        }
    }

    /** The main class that a jar's manifest names. */
    static String ofJar(String jar) {
        try (JarFile file = new JarFile(new File(jar))) {
            Manifest manifest = file.getManifest();
            String name = manifest == null ? null : manifest.getMainAttributes().getValue("Main-Class");
            if (name == null) {
                throw new UsageException("the manifest of " + jar + " has no Main-Class");
            }
            return name.trim();
        } catch (IOException e) {
            throw new UsageException("jar " + jar + " cannot be opened: " + e.getMessage());
        }
    }

    /** Runs it; what it throws comes out as it is. */
    void run(String[] arguments) throws Throwable {
        try {
            method.invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            for (Throwable failure = e.getCause(); failure != null; failure = failure.getCause()) {
                hideCallers(failure);
            }
            throw e.getCause();
        }
    }

    /** A trace ends with the program's main, as it would had Java called it. */
    private void hideCallers(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        String name = method.getDeclaringClass().getName();
        for (int end = trace.length; end > 0; end--) {
            if (trace[end - 1].getClassName().equals(name) && trace[end - 1].getMethodName().equals("main")) {
                failure.setStackTrace(Arrays.copyOf(trace, end));
                return;
            }
        }
    }
}
