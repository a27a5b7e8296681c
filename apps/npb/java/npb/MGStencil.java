// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * The four stencils of MG. Each adds up the neighbours of a whole row once, those that share a face or an edge across
 * the row's direction, and uses these sums for three cells. A row is a method of its own: what is called often is
 * compiled as a whole, while a compiler enters a long loop in its midst, and optimizes it less.
 */
final class MGStencil {
    private final double[] faces; // of each cell of a row: the four neighbours above, below, before and behind it
    private final double[] edges; // the four in between
    private final double a0;
    private final double a2;
    private final double a3;
    private final double c0;
    private final double c1;
    private final double c2;

    MGStencil(int longestRow, double[] operator, double[] smoother) {
        faces = new double[longestRow];
        edges = new double[longestRow];
        a0 = operator[0];
        a2 = operator[1];
        a3 = operator[2];
        c0 = smoother[0];
        c1 = smoother[1];
        c2 = smoother[2];
    }

    private void addUp(double[] u, int row, int m1, int plane) {
        double[] faces = this.faces;
        double[] edges = this.edges;
        for (int i = 0; i < m1; i++) {
            int at = row + i;
            faces[i] = u[at - m1] + u[at + m1] + u[at - plane] + u[at + plane];
            edges[i] = u[at - m1 - plane] + u[at + m1 - plane] + u[at - m1 + plane] + u[at + m1 + plane];
        }
    }

    /** r = v - A u; r and v may be the same. */
    void residual(MGGrid grid, double[] u, double[] v, double[] r) {
        for (int i3 = 1; i3 <= grid.n3; i3++) {
            for (int i2 = 1; i2 <= grid.n2; i2++) {
                int row = grid.row(i2, i3);
                addUp(u, row, grid.m1, grid.plane);
                residualRow(u, v, r, row, grid.n1);
            }
        }
        grid.fillHalo(r);
    }

    private void residualRow(double[] u, double[] v, double[] r, int row, int n1) {
        double[] faces = this.faces;
        double[] edges = this.edges;
        double a0 = this.a0;
        double a2 = this.a2;
        double a3 = this.a3;
        for (int i = 1; i <= n1; i++) {
            r[row + i] = v[row + i] - a0 * u[row + i] - a2 * (edges[i] + faces[i - 1] + faces[i + 1])
                    - a3 * (edges[i - 1] + edges[i + 1]);
        }
    }

    /** u = u + C r. */
    void smooth(MGGrid grid, double[] r, double[] u) {
        for (int i3 = 1; i3 <= grid.n3; i3++) {
            for (int i2 = 1; i2 <= grid.n2; i2++) {
                int row = grid.row(i2, i3);
                addUp(r, row, grid.m1, grid.plane);
                smoothRow(r, u, row, grid.n1);
            }
        }
        grid.fillHalo(u);
    }

    private void smoothRow(double[] r, double[] u, int row, int n1) {
        double[] faces = this.faces;
        double[] edges = this.edges;
        double c0 = this.c0;
        double c1 = this.c1;
        double c2 = this.c2;
        for (int i = 1; i <= n1; i++) {
            u[row + i] += c0 * r[row + i] + c1 * (r[row + i - 1] + r[row + i + 1] + faces[i])
                    + c2 * (edges[i] + faces[i - 1] + faces[i + 1]);
        }
    }

    /** The coarse cell i lies on the fine cell 2 i, and gets a weighted mean of the 27 around it; its halo is left. */
    void restrict(MGGrid fine, double[] r, MGGrid coarse, double[] s) {
        for (int j3 = 1; j3 <= coarse.n3; j3++) {
            for (int j2 = 1; j2 <= coarse.n2; j2++) {
                int row = fine.row(2 * j2, 2 * j3);
                addUp(r, row, fine.m1, fine.plane);
                restrictRow(r, row, s, coarse.row(j2, j3), coarse.n1);
            }
        }
    }

    private void restrictRow(double[] r, int row, double[] s, int to, int n1) {
        double[] faces = this.faces;
        double[] edges = this.edges;
        for (int j = 1; j <= n1; j++) {
            int i = 2 * j;
            s[to + j] = 0.5 * r[row + i] + 0.25 * (r[row + i - 1] + r[row + i + 1] + faces[i])
                    + 0.125 * (faces[i - 1] + faces[i + 1] + edges[i]) + 0.0625 * (edges[i - 1] + edges[i + 1]);
        }
    }

    /** Adds to each fine cell the mean of the coarse ones around it, in the halo too. */
    void interpolate(MGGrid coarse, double[] z, MGGrid fine, double[] u) {
        for (int j3 = 0; j3 <= coarse.n3; j3++) {
            for (int j2 = 0; j2 <= coarse.n2; j2++) {
                interpolateRow(coarse, z, coarse.row(j2, j3), fine, u, fine.row(2 * j2, 2 * j3));
            }
        }
    }

    private static void interpolateRow(MGGrid coarse, double[] z, int near, MGGrid fine, double[] u, int to) {
        int up = near + coarse.m1;
        int back = near + coarse.plane;
        int both = back + coarse.m1;
        int toUp = to + fine.m1;
        int toBack = to + fine.plane;
        int toBoth = toBack + fine.m1;
        int n1 = coarse.n1;
        double here = z[near];
        double hereUp = here + z[up];
        double hereBack = here + z[back];
        double hereAll = hereUp + z[back] + z[both];
        for (int j = 0; j <= n1; j++) {
            double next = z[near + j + 1];
            double nextUp = next + z[up + j + 1];
            double nextBack = next + z[back + j + 1];
            double nextAll = nextUp + z[back + j + 1] + z[both + j + 1];
            int i = 2 * j;
            u[to + i] += here;
            u[to + i + 1] += 0.5 * (here + next);
            u[toUp + i] += 0.5 * hereUp;
            u[toUp + i + 1] += 0.25 * (hereUp + nextUp);
            u[toBack + i] += 0.5 * hereBack;
            u[toBack + i + 1] += 0.25 * (hereBack + nextBack);
            u[toBoth + i] += 0.25 * hereAll;
            u[toBoth + i + 1] += 0.125 * (hereAll + nextAll);
            here = next;
            hereUp = nextUp;
            hereBack = nextBack;
            hereAll = nextAll;
        }
    }
}
