// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;

/**
 * Which classes and arrays the arguments of a call may have: what both the filter given with the export and that of the
 * JVM let pass.
 */
final class CallFilter implements ObjectInputFilter {
    private final ObjectInputFilter exported;
    private final ObjectInputFilter general = ObjectInputFilter.Config.getSerialFilter();

    private CallFilter(ObjectInputFilter exported) {
        this.exported = exported;
    }

    /** The filter of an export, which may be null; null: everything passes. */
    static CallFilter of(ObjectInputFilter exported) {
        CallFilter filter = new CallFilter(exported);
        return exported == null && filter.general == null ? null : filter;
    }

    @Override
    public Status checkInput(FilterInfo info) {
        if (info.serialClass() == SentArray.class) {
            return Status.UNDECIDED; // the array itself was checked
        }
        Status first = exported == null ? Status.UNDECIDED : exported.checkInput(info);
        Status second = general == null || first == Status.REJECTED ? Status.UNDECIDED : general.checkInput(info);
        return second == Status.UNDECIDED ? first : second;
    }

    /** Checks an array before there is room for it. */
    void checkArray(Class<?> type, int length) throws InvalidClassException {
        if (checkInput(new Lone(type, length)) == Status.REJECTED) {
            throw new InvalidClassException(type.getName(), "filter status: REJECTED, length " + length);
        }
    }

    /** An array that is no part of an object. */
    private static final class Lone implements FilterInfo {
        private final Class<?> type;
        private final int length;

        Lone(Class<?> type, int length) {
            this.type = type;
            this.length = length;
        }

        @Override
        public Class<?> serialClass() {
            return type;
        }

        @Override
        public long arrayLength() {
            return length;
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
