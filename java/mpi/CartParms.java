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
}
