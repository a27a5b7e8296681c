// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The parameters and the result of a method, as kinds: the letters of its descriptor, {@code L} for all references. */
final class Signature {
    private final char[] parameters;
    private final char result;

    Signature(Method method) {
        Class<?>[] types = method.getParameterTypes();
        parameters = new char[types.length];
        for (int i = 0; i < types.length; i++) {
            parameters[i] = kind(types[i]);
        }
        result = kind(method.getReturnType());
    }

    private static char kind(Class<?> type) {
        return type.isPrimitive() ? MethodType.methodType(type).toMethodDescriptorString().charAt(2) : 'L';
    }

    char result() {
        return result;
    }

    void putArguments(Output out, Object[] arguments) throws IOException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] == 'L') {
                out.announce(arguments[i]);
            }
        }
        for (int i = 0; i < parameters.length; i++) {
            out.putValue(parameters[i], arguments[i]);
        }
    }

    Object[] getArguments(Input in) throws IOException, ClassNotFoundException {
        Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            arguments[i] = in.getValue(parameters[i]);
        }
        return arguments;
    }

    /** The number by which RMI names a method: the first bytes of the SHA-1 of its name and descriptor, lowest
     * first. */
    static long hash(Method method) {
        String descriptor = MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .toMethodDescriptorString();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            new DataOutputStream(text).writeUTF(method.getName() + descriptor);
            byte[] digest = MessageDigest.getInstance("SHA").digest(text.toByteArray());
            long hash = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                hash |= (digest[i] & 0xFFL) << (i * Byte.SIZE);
            }
            return hash;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-1, by which RMI names methods", e);
        }
    }
}
