// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import mpi.CartParms;
import mpi.Cartcomm;
import mpi.GraphParms;
import mpi.Graphcomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.ShiftParms;

/** Grids and graphs. */
final class Topologies {
    private static final int RANK = 6;
    private static final int DIMS = 12;
    private static final int ARG = 13;

    private Topologies() {
    }

    static void grids(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] dims = new int[2];
        Cartcomm.Dims_create(size, dims);
        Check.equal(size, dims[0] * dims[1], "product of the dimensions");
        Check.that(dims[0] >= dims[1], "the larger first");
        Cartcomm grid = comm.Create_cart(dims, new boolean[] {true, false}, true);
        Check.equal(MPI.CART, grid.Topo_test(), "kind");
        CartParms parms = grid.Get();
        Check.that(Arrays.equals(dims, parms.dims) && parms.periods[0] && !parms.periods[1], "dimensions");
        Check.equal(me, grid.Rank(), "rank");
        Check.equal(me, grid.Rank(parms.coords), "rank at our place");
        Check.that(Arrays.equals(new int[] {me / dims[1], me % dims[1]}, parms.coords), "row-major");
        for (int i = 0; i < size; i++) {
            Check.equal(i, grid.Rank(grid.Coords(i)), "there and back");
        }
        Check.equal(grid.Rank(new int[] {0, 0}), grid.Rank(new int[] {dims[0], 0}), "a ring");
        ShiftParms down = grid.Shift(0, 1);
        Check.equal((me + dims[1]) % size, down.rank_dest, "down");
        Check.equal((me + size - dims[1]) % size, down.rank_source, "from above");
        Check.that(down.rankDest == down.rank_dest && down.rankSource == down.rank_source, "both names");
        ShiftParms right = grid.Shift(1, 1);
        Check.equal(me % dims[1] == dims[1] - 1 ? MPI.PROC_NULL : me + 1, right.rank_dest, "right");
        Check.equal(me % dims[1] == 0 ? MPI.PROC_NULL : me - 1, right.rank_source, "from the left");
        int[] in = {-1};
        grid.Sendrecv(new int[] {me}, 0, 1, MPI.INT, right.rank_dest, 1, in, 0, 1, MPI.INT, right.rank_source, 1);
        Check.equal(right.rank_source == MPI.PROC_NULL ? -1 : me - 1, in[0], "a step to the right");
        Cartcomm row = grid.Sub(new boolean[] {false, true});
        Check.equal(dims[1], row.Size(), "a row");
        Check.equal(me % dims[1], row.Rank(), "rank in the row");
        Check.equal(1, row.Get().dims.length, "dimensions of a row");
        row.Free();
        Cartcomm copy = grid.clone();
        Check.that(copy.Topo_test() == MPI.CART && Arrays.equals(dims, copy.Get().dims), "clone");
        Check.that(copy.Get_name().equals(grid.Get_name() + " clone"), "the name of a clone");
        copy.Free();
        Check.equal(me, grid.Map(dims, new boolean[2]), "map");
        Check.equal(me == 0 ? 0 : MPI.UNDEFINED, grid.Map(new int[] {1}, new boolean[1]), "map of a grid of one");
        grid.Free();
        Cartcomm small = comm.Create_cart(new int[] {1, 1, 1}, new boolean[3], false);
        Check.that((small == null) == (me > 0), "a grid of one");
        if (small != null) {
            small.Free();
        }
        wrongGrids(comm);
    }

    private static void wrongGrids(Intracomm comm) {
        int size = comm.Size();
        Cartcomm line = comm.Create_cart(new int[] {size}, new boolean[1], false);
        Check.fails(DIMS,
                "Create_cart: the grid has " + 2 * size + " positions, but the communicator has " + size + " ranks",
                () -> comm.Create_cart(new int[] {size, 2}, new boolean[2], false));
        Check.fails(DIMS, "Create_cart: a dimension is 0; ",
                () -> comm.Create_cart(new int[] {0}, new boolean[1], false));
        Check.fails(ARG, "Create_cart: there are 1 dimensions, but 2 periods",
                () -> comm.Create_cart(new int[] {1}, new boolean[2], false));
        Check.fails(ARG, "Create_cart: the array of dimensions is null",
                () -> comm.Create_cart(null, new boolean[2], false));
        Check.fails(ARG, "Rank: \\[" + size + "\\] is off the grid of \\[" + size + "\\]",
                () -> line.Rank(new int[] {size}));
        Check.fails(ARG, "Rank: the grid has 1 dimensions, but there are 2 coordinates", () -> line.Rank(new int[2]));
        Check.fails(RANK, "Coords: rank is " + size + ", ", () -> line.Coords(size));
        Check.fails(ARG, "Shift: direction is 1, but the grid has 1 dimensions", () -> line.Shift(1, 1));
        Check.fails(ARG, "Sub: the grid has 1 dimensions, but the array has 2", () -> line.Sub(new boolean[2]));
        Check.fails(DIMS, "Dims_create: nnodes is 7; it must be positive and a multiple .* make 2",
                () -> Cartcomm.Dims_create(7, new int[] {2, 0}));
        Check.fails(DIMS, "Dims_create: a dimension is -1; ", () -> Cartcomm.Dims_create(7, new int[] {-1}));
        line.Free();
        int[] dims = {0, 2, 0};
        Cartcomm.Dims_create(24, dims);
        Check.that(Arrays.equals(new int[] {4, 2, 3}, dims), "dimensions beside one that is given");
    }

    /** A ring as a graph. */
    static void graphs(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] index = new int[size];
        int[] edges = new int[2 * size];
        for (int i = 0; i < size; i++) {
            index[i] = 2 * i + 2;
            edges[2 * i] = (i + size - 1) % size;
            edges[2 * i + 1] = (i + 1) % size;
        }
        Graphcomm ring = comm.Create_graph(index, edges, false);
        Check.equal(MPI.GRAPH, ring.Topo_test(), "kind");
        GraphParms parms = ring.Get();
        Check.that(Arrays.equals(index, parms.index) && Arrays.equals(edges, parms.edges), "the graph");
        int[] neighbours = ring.Neighbours(me);
        Check.that(Arrays.equals(new int[] {(me + size - 1) % size, (me + 1) % size}, neighbours), "neighbours");
        int[] in = new int[1];
        ring.Sendrecv(new int[] {me}, 0, 1, MPI.INT, neighbours[1], 1, in, 0, 1, MPI.INT, neighbours[0], 1);
        Check.equal(neighbours[0], in[0], "around the ring");
        Graphcomm copy = ring.clone();
        Check.that(Arrays.equals(edges, copy.Get().edges), "clone");
        Check.that(copy.Get_name().equals(ring.Get_name() + " clone"), "the name of a clone");
        copy.Free();
        Check.equal(me, ring.Map(index, edges), "map");
        ring.Free();
        Graphcomm single = comm.Create_graph(new int[] {0}, new int[0], false);
        Check.that((single == null) == (me > 0), "a graph of one node");
        if (single != null) {
            Check.equal(0, single.Neighbours(0).length, "without neighbours");
            single.Free();
        }
        Check.fails(ARG, "Create_graph: the graph has " + (size + 1) + " nodes, but the communicator has " + size
                + " ranks", () -> comm.Create_graph(new int[size + 1], new int[0], false));
        Check.fails(ARG, "Create_graph: index 0 is -1; it must be 0 to 0",
                () -> comm.Create_graph(new int[] {-1}, new int[0], false));
        Check.fails(ARG, "Create_graph: the last index is 0, but there are 1 edges",
                () -> comm.Create_graph(new int[] {0}, new int[1], false));
        Check.fails(ARG, "Create_graph: an edge leads to 1, but the graph has 1 nodes",
                () -> comm.Create_graph(new int[] {1}, new int[] {1}, false));
    }
}
