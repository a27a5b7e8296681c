// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;

/** One number for the serialised form of a class: its version and its fields. Found out once a class. */
final class Fingerprint {
    private static final ClassValue<Long> KNOWN = new ClassValue<>() {
        @Override
        protected Long computeValue(Class<?> type) {
            return compute(ObjectStreamClass.lookupAny(type));
        }
    };

    private Fingerprint() {
    }

    static long of(ObjectStreamClass description) {
        return KNOWN.get(description.forClass());
    }

    private static long compute(ObjectStreamClass description) {
        long print = description.getSerialVersionUID();
        for (ObjectStreamField field : description.getFields()) {
            print = print * 31 + field.getName().hashCode();
            print = print * 31 + (field.getTypeString() == null ? field.getTypeCode()
                    : field.getTypeString().hashCode());
        }
        return print;
    }
}
