package mpi;

/** What {@link Graphcomm#Get} tells of a graph. */
public class GraphParms {
    /** For each rank where in {@link #edges} its neighbours end; they begin where those of the rank before do. */
    public int[] index;
    /** The neighbours, rank by rank. */
    public int[] edges;

    /** Parameters yet unknown. */
    public GraphParms() {
    }
}
