// SPDX-License-Identifier: Apache-2.0
package mpi;

/** A value of type {@code float} and the {@code int} behind it, the struct of {@link MPI#FLOAT_INT}. */
public final class FloatInt extends Struct {
    private final int value;
    private final int index;

    /**
     * The struct, with the sizes and places that C gives its fields.
     *
     * @param iOff where the {@code int} is
     * @param iSize the bytes of the {@code int}
     */
    protected FloatInt(int iOff, int iSize) {
        value = addFloat();
        setOffset(iOff);
        index = addInt();
    }

    /**
     * A view for {@link #getData(byte[])} and its like.
     *
     * @return the view
     */
    @Override
    protected FloatInt.Data newData() {
        return new Data();
    }

    /** A value and an index in a buffer. */
    public final class Data extends Struct.Data {
        /** A view yet without a buffer. */
        public Data() {
        }

        /**
         * The value.
         *
         * @return the value
         */
        public float getValue() {
            return getFloat(value);
        }

        /**
         * The index.
         *
         * @return the index
         */
        public int getIndex() {
            return getInt(index);
        }

        /**
         * Sets the value.
         *
         * @param v its value
         */
        public void putValue(float v) {
            putFloat(value, v);
        }

        /**
         * Sets the index.
         *
         * @param v its value
         */
        public void putIndex(int v) {
            putInt(index, v);
        }
    }
}
