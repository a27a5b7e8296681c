// SPDX-License-Identifier: Apache-2.0
package nbody;

import mpi.Intracomm;
import mpi.MPI;

/**
 * Brings to every rank what its bodies need of the others': the tree that is locally essential. Each rank builds the
 * tree of its own bodies, and sends to each other one the cubes that none of that one's bodies opens, and the bodies
 * where all cubes are opened. A cube in which several ranks have bodies is not sent; the receiver adds it up from its
 * parts. So the tree that a rank builds from all this is that of all bodies, but for branches that it does not enter:
 * forces have the same bits.
 */
final class Essential {
    private final Intracomm comm;
    private final Domain domain;
    private final Tree tree;

    Essential(Intracomm comm, Domain domain, Tree tree) {
        this.comm = comm;
        this.domain = domain;
        this.tree = tree;
    }

    /** Appends to this rank's bodies what acts on them from other ranks; the tree is another one afterwards. */
    void gather(Masses masses) {
        int ranks = comm.Size();
        if (ranks == 1) {
            return;
        }
        double[] boxes = new double[6 * ranks];
        comm.Allgather(masses.box(), 0, 6, MPI.DOUBLE, boxes, 0, 6, MPI.DOUBLE);
        tree.build(masses, domain.corner, domain.size);
        Masses out = new Masses(masses.count);
        int[] counts = new int[ranks];
        for (int peer = 0; peer < ranks; peer++) {
            int before = out.count;
            boolean hasBodies = boxes[6 * peer] <= boxes[6 * peer + 3];
            if (peer != comm.Rank() && hasBodies && masses.count > 0) {
                tree.collect(boxes, 6 * peer, domain, out);
            }
            counts[peer] = Masses.NUMBERS * (out.count - before);
        }
        masses.addAll(domain.exchange(out.data, counts));
    }
}
