// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What {@link Cartcomm#Get} tells of a grid. */
public class CartParms {
    /** The length of each dimension. */
    public int[] dims;
    /** Which dimensions are rings. */
    public boolean[] periods;
    /** Where this rank is. */
    public int[] coords;

    /** Parameters yet unknown. */
    public CartParms() {
    }

    /**
     * The parameters of a grid.
     *
     * @param dims the length of each dimension
     * @param periods which dimensions are rings
     * @param coords where this rank is
     */
    protected CartParms(int[] dims, boolean[] periods, int[] coords) {
        this.dims = dims;
        this.periods = periods;
        this.coords = coords;
    }

    /**
     * How many dimensions there are.
     *
     * @return 0 or more
     */
    public int getDimCount() {
        return dims.length;
    }

    /**
     * The length of a dimension.
     *
     * @param index which
     * @return its length
     */
    public int getDim(int index) {
        return dims[index];
    }

    /**
     * Is a dimension a ring?
     *
     * @param index which
     * @return true if so
     */
    public boolean getPeriod(int index) {
        return periods[index];
    }

    /**
     * Where this rank is in a dimension.
     *
     * @param index which
     * @return the coordinate
     */
    public int getCoord(int index) {
        return coords[index];
    }
}
