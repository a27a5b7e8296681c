// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import corunna.engine.Settings;
import java.io.ObjectInputFilter;

/**
 * Which classes may come out of a message. The knob {@code corunna.object.filter}, a pattern of the JDK's
 * {@code ObjectInputFilter}, has the first word; what it does not decide is decided by the JVM's own filter, if there
 * is one; and what that leaves open is allowed, because only classes the program's loader has can be named at all.
 */
public final class Gate implements ObjectInputFilter {
    private final ObjectInputFilter chosen;
    private final ObjectInputFilter general = ObjectInputFilter.Config.getSerialFilter();

    private Gate(String pattern) {
        chosen = pattern == null ? null : ObjectInputFilter.Config.createFilter(pattern);
    }

    /**
     * The gate that the settings describe.
     *
     * @throws IllegalArgumentException if the pattern is none
     */
    public static Gate open() {
        String pattern = Settings.objectFilter();
        try {
            return new Gate(pattern);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("corunna.object.filter is \"" + pattern
                    + "\", which is not a valid ObjectInputFilter pattern: " + e.getMessage(), e);
        }
    }

    @Override
    public Status checkInput(FilterInfo info) {
        Status status = chosen == null ? Status.UNDECIDED : chosen.checkInput(info);
        if (status == Status.UNDECIDED && general != null) {
            status = general.checkInput(info);
        }
        return status;
    }

    /** Is everything allowed? Then no class need be looked up. */
    boolean isOpen() {
        return chosen == null && general == null;
    }

    /** May this class be looked at at all? Asked before its static fields are touched. */
    boolean allows(Class<?> type) {
        return isOpen() || checkInput(new OnlyClass(type)) != Status.REJECTED;
    }

    /** A question about nothing but a class. */
    private static final class OnlyClass implements FilterInfo {
        private final Class<?> type;

        OnlyClass(Class<?> type) {
            this.type = type;
        }

        @Override
        public Class<?> serialClass() {
            return type;
        }

        @Override
        public long arrayLength() {
            return -1;
        }

        @Override
        public long depth() {
            return 1;
        }

        @Override
        public long references() {
            return 1;
        }

        @Override
        public long streamBytes() {
            return 0;
        }
    }
}
