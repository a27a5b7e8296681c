// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.CartComm;
import mpi.CartParms;
import mpi.Comm;
import mpi.DistGraphNeighbors;
import mpi.GraphComm;
import mpi.GraphParms;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.ShiftParms;

/** Topologies, neighbours, groups and other communicators of the Open MPI dialect. */
final class OpenTopologies {
    private OpenTopologies() {
    }

    static void grids(Intracomm comm) {
        int size = comm.getSize();
        int[] dims = new int[2];
        CartComm.createDims(size, dims);
        Check.equal(size, dims[0] * dims[1], "dimensions");
        CartComm grid = comm.createCart(dims, new boolean[] {true, false}, true);
        CartParms parms = grid.getTopo();
        Check.that(parms.getDimCount() == 2 && parms.getDim(1) == dims[1] && parms.getPeriod(0) && !parms.getPeriod(1),
                "what the grid is like");
        int[] coords = grid.getCoords(grid.getRank());
        Check.that(coords[1] == parms.getCoord(1) && grid.getRank(coords) == grid.getRank(), "where a rank is");
        Check.equal(MPI.CART, grid.getTopology(), "a grid");
        ShiftParms shift = grid.shift(1, 1);
        Check.that(coords[1] + 1 < dims[1] || shift.getRankDest() == MPI.PROC_NULL, "the edge of a grid");
        CartComm row = grid.sub(new boolean[] {false, true});
        Check.equal(dims[1], row.getSize(), "a row");
        Check.equal(grid.getRank(), grid.map(dims, new boolean[2]), "map");
        neighbours(grid, new int[] {grid.shift(0, 1).getRankSource(), grid.shift(0, 1).getRankDest(),
            shift.getRankSource(), shift.getRankDest()});
        CartComm dup = grid.dup();
        CartComm copy = grid.clone();
        CartComm late = grid.iDup();
        late.getRequest().waitFor();
        Check.that(Arrays.equals(coords, late.getCoords(late.getRank())), "a dup that came later");
        Check.equal(MPI.CONGRUENT, Comm.compare(dup, copy), "copies");
        late.barrier();
        Check.fails(MPI.ERR_DIMS, "createCart: the grid has", () -> comm.createCart(new int[] {size + 1},
                new boolean[1], false));
        Check.fails(MPI.ERR_TOPOLOGY, "neighborAllGather: the communicator has no topology",
                () -> comm.neighborAllGather(new int[1], 1, MPI.INT, new int[1], 1, MPI.INT));
        for (Comm each : new Comm[] {row, dup, copy, late, grid}) {
            each.free();
        }
        CartComm first = comm.createCart(new int[] {1}, new boolean[1], false);
        Check.that(first.isNull() == (comm.getRank() != 0), "a rank beyond the grid");
        if (!first.isNull()) {
            CartComm point = first.sub(new boolean[1]);
            for (boolean[] remain : new boolean[][] {{}, {true, false}, null}) {
                CartComm same = point.sub(remain);
                Check.that(same.getSize() == 1 && same.getTopo().getDimCount() == 0, "a part of a point");
                same.free();
            }
            point.free();
            first.free();
        }
    }

    /** All calls among neighbours, whose ranks are the same in both directions. */
    private static void neighbours(Comm comm, int[] ranks) {
        int me = comm.getRank();
        int[] in = new int[2 * ranks.length];
        Arrays.fill(in, -9);
        comm.neighborAllGather(new int[] {me, 50 + me}, 2, MPI.INT, in, 2, MPI.INT);
        for (int i = 0; i < ranks.length; i++) {
            Check.equal(ranks[i] < 0 ? -9 : 50 + ranks[i], in[2 * i + 1], "neighborAllGather, neighbour " + i);
        }
        int[] counts = new int[ranks.length];
        int[] displs = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            counts[i] = 1;
            displs[i] = 2 * (ranks.length - 1 - i);
        }
        IntBuffer out = MPI.newIntBuffer(2 * ranks.length);
        IntBuffer back = MPI.newIntBuffer(2 * ranks.length);
        for (int i = 0; i < out.capacity(); i++) {
            out.put(i, 100 * me + i);
            back.put(i, -9);
        }
        comm.iNeighborAllGatherv(out, 1, MPI.INT, back, counts, displs, MPI.INT).waitFor();
        for (int i = 0; i < ranks.length; i++) {
            Check.equal(ranks[i] < 0 ? -9 : 100 * ranks[i], back.get(displs[i]), "iNeighborAllGatherv " + i);
            Check.equal(-9, back.get(displs[i] + 1), "what lies between");
        }
        int[] values = new int[ranks.length];
        int[] exchanged = new int[ranks.length];
        Arrays.fill(values, me);
        comm.neighborAllToAll(values, 1, MPI.INT, exchanged, 1, MPI.INT);
        int[] others = new int[2 * ranks.length];
        comm.neighborAllToAllv(values, counts, range(ranks.length), MPI.INT, others, counts, displs, MPI.INT);
        IntBuffer direct = MPI.newIntBuffer(ranks.length);
        comm.iNeighborAllToAll(out, 1, MPI.INT, direct, 1, MPI.INT).waitFor();
        comm.iNeighborAllToAllv(out, counts, displs, MPI.INT, back, counts, displs, MPI.INT).waitFor();
        for (int i = 0; i < ranks.length; i++) {
            Check.equal(Math.max(0, ranks[i]), exchanged[i], "neighborAllToAll " + i);
            Check.equal(Math.max(0, ranks[i]), others[displs[i]], "neighborAllToAllv " + i);
            Check.equal(Math.max(0, ranks[i]), direct.get(i) / 100, "iNeighborAllToAll " + i);
            Check.that(ranks[i] < 0 || back.get(displs[i]) / 100 == ranks[i], "iNeighborAllToAllv " + i);
        }
    }

    private static int[] range(int length) {
        int[] range = new int[length];
        for (int i = 0; i < length; i++) {
            range[i] = i;
        }
        return range;
    }

    static void graphs(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        int left = (me + size - 1) % size;
        int right = (me + 1) % size;
        int[] index = new int[size];
        int[] edges = new int[2 * size];
        for (int i = 0; i < size; i++) {
            index[i] = 2 * (i + 1);
            edges[2 * i] = (i + size - 1) % size;
            edges[2 * i + 1] = (i + 1) % size;
        }
        GraphComm graph = comm.createGraph(index, edges, false);
        GraphParms parms = graph.getDims();
        Check.that(parms.getIndexCount() == size && parms.getEdgeCount() == 2 * size && parms.getIndex(0) == 2
                && parms.getEdge(1) == 1 % size, "what the graph is like");
        Check.that(Arrays.equals(new int[] {left, right}, graph.getNeighbors(me)), "neighbours");
        Check.equal(me, graph.map(index, edges), "map");
        neighbours(graph, new int[] {left, right});
        graph.free();

        int[] weights = {me, me + 1};
        GraphComm ring = comm.createDistGraphAdjacent(new int[] {left, right}, weights, new int[] {left, right},
                weights, MPI.INFO_NULL, false);
        DistGraphNeighbors known = ring.getDistGraphNeighbors();
        Check.that(known.isWeighted() && known.getInDegree() == 2 && known.getOutDegree() == 2
                && known.getSource(0) == left && known.getDestination(1) == right && known.getSourceWeight(1) == me + 1
                && known.getDestinationWeight(0) == me, "a graph of parts");
        Check.equal(MPI.DIST_GRAPH, ring.getTopology(), "its kind");
        Check.fails(MPI.ERR_TOPOLOGY, "getDims: the graph is one of which", ring::getDims);
        ring.free();
        GraphComm plain = comm.createDistGraph(new int[] {me}, new int[] {1}, new int[] {right}, new mpi.Info(), false);
        Check.that(!plain.getDistGraphNeighbors().isWeighted() && plain.getDistGraphNeighbors().getSource(0) == left,
                "edges that any rank names");
        int[] one = new int[1];
        plain.neighborAllGather(new int[] {me}, 1, MPI.INT, one, 1, MPI.INT);
        Check.equal(left, one[0], "along one edge");
        plain.free();
        GraphComm weighted = comm.createDistGraph(me == 0 ? new int[] {0} : new int[0],
                me == 0 ? new int[] {1} : new int[0], me == 0 ? new int[] {size - 1} : new int[0],
                me == 0 ? new int[] {7} : new int[0], MPI.INFO_NULL, false);
        Check.equal(me == size - 1 ? 1 : 0, weighted.getDistGraphNeighbors().getInDegree(), "one edge in all");
        weighted.free();
        Check.fails(MPI.ERR_ARG, "createDistGraph: degrees need", () -> comm.createDistGraph(new int[] {0},
                new int[] {2}, new int[] {0}, MPI.INFO_NULL, false));
    }

    static void communicators(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        Group all = comm.getGroup();
        Group some = all.incl(new int[] {size - 1});
        Group rest = Group.difference(all, some);
        Check.that(Group.compare(Group.union(rest, some), all) == MPI.IDENT && rest.getSize() == size - 1, "groups");
        Check.equal(MPI.UNDEFINED, Group.translateRanks(some, new int[] {0}, rest)[0], "a rank that is not there");
        Check.equal(0, Group.intersection(some, rest).getSize(), "nothing in common");
        Check.equal(size - 1, all.rangeExcl(new int[][] {{0, 0, 1}}).getSize(), "a range");
        Check.that(all.rangeIncl(new int[][] {{0, size - 1, 1}}).getRank() == me && !all.isNull(), "all as a range");
        Check.equal(size - 1, all.excl(new int[] {0}).getSize(), "all but one");
        Intracomm last = comm.create(some);
        Check.that(last.isNull() == (me != size - 1), "create");
        if (!last.isNull()) {
            last.free();
            Intracomm alone = comm.createGroup(some, 5);
            Check.equal(1, alone.getSize(), "createGroup");
            alone.free();
        }
        Intracomm host = comm.splitType(Comm.TYPE_SHARED, me, MPI.INFO_NULL);
        Check.that(host.getSize() >= 1 && host.getSize() <= size, "the ranks of a host");
        host.free();
        Intracomm none = comm.split(MPI.UNDEFINED, 0);
        Check.that(none.isNull(), "no communicator");
        Intracomm other = comm.split(0, -me);
        Check.that(other.getRank() == size - 1 - me
                && (size == 1 || Comm.compare(comm, other) == MPI.SIMILAR), "split");
        other.setName("turned");
        Check.that(other.getName().equals("turned") && !other.isInter(), "its name");
        other.free();
        Check.that(mpi.Intercomm.getParent().isNull(), "no parent");
    }
}
