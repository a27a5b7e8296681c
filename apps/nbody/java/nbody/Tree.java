// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Arrays;

/**
 * The tree of Barnes and Hut: a cube is parted into eight, and each of them again, until each has one body. A cube that looks
 * small enough from a body acts on it as one mass in its centre. Nodes are rows of flat arrays; a child is a node, a body
 * (as -2 - its number), or -1, none.
 */
final class Tree {
    private static final int DEPTH_MAX = 60; // bodies at one place share the last cube's mass

    private final double opening; // the square of size by distance above which a cube is opened
    private final double softening;
    private double[] mass = new double[0]; // and the mass's centre, and the size of the cube: five numbers a node
    private int[] children = new int[0];
    private int nodes;
    private double[] bodies; // x, y, z, mass
    private int[] stack = new int[8 * DEPTH_MAX + 8];

    Tree(double theta, double softening) {
        this.opening = theta * theta;
        this.softening = softening * softening;
    }

    /** Of so many bodies, four numbers each, in a cube with this corner. */
    void build(double[] bodies, int count, double[] corner, double size) {
        this.bodies = bodies;
        nodes = 0;
        int root = node(size);
        for (int i = 0; i < count; i++) {
            insert(root, i, corner, size);
        }
        addUp(root);
    }

    private int node(double size) {
        if (5 * (nodes + 1) > mass.length) {
            mass = Arrays.copyOf(mass, Math.max(5 * 1024, 2 * mass.length));
            children = Arrays.copyOf(children, mass.length / 5 * 8);
        }
        Arrays.fill(mass, 5 * nodes, 5 * nodes + 4, 0);
        Arrays.fill(children, 8 * nodes, 8 * nodes + 8, -1);
        mass[5 * nodes + 4] = size * size;
        return nodes++;
    }

    private void insert(int root, int body, double[] corner, double size) {
        double x = corner[0];
        double y = corner[1];
        double z = corner[2];
        int node = root;
        for (int depth = 0;; depth++) {
            size /= 2;
            int octant = octant(body, x + size, y + size, z + size);
            x += (octant & 1) != 0 ? size : 0;
            y += (octant & 2) != 0 ? size : 0;
            z += (octant & 4) != 0 ? size : 0;
            int slot = 8 * node + octant;
            int child = children[slot];
            if (child == -1) {
                children[slot] = -2 - body;
                return;
            }
            if (child <= -2) { // another body is there: part this cube for both
                if (depth == DEPTH_MAX) {
                    throw new IllegalStateException("two bodies are at one place");
                }
                int other = -2 - child;
                int parted = node(size);
                children[slot] = parted;
                double half = size / 2;
                children[8 * parted + octant(other, x + half, y + half, z + half)] = child;
                child = parted;
            }
            node = child;
        }
    }

    private int octant(int body, double x, double y, double z) {
        return (bodies[4 * body] >= x ? 1 : 0) + (bodies[4 * body + 1] >= y ? 2 : 0)
                + (bodies[4 * body + 2] >= z ? 4 : 0);
    }

    /** Masses and their centres; nodes are numbered so that children come after their parents. */
    private void addUp(int root) {
        for (int node = nodes - 1; node >= root; node--) {
            double sum = 0;
            double x = 0;
            double y = 0;
            double z = 0;
            for (int slot = 8 * node; slot < 8 * node + 8; slot++) {
                int child = children[slot];
                if (child == -1) {
                    continue;
                }
                double[] from = child >= 0 ? mass : bodies;
                int at = child >= 0 ? 5 * child : 4 * (-2 - child);
                double m = from[at + 3];
                sum += m;
                x += m * from[at];
                y += m * from[at + 1];
                z += m * from[at + 2];
            }
            mass[5 * node] = x / sum;
            mass[5 * node + 1] = y / sum;
            mass[5 * node + 2] = z / sum;
            mass[5 * node + 3] = sum;
        }
    }

    /** The acceleration at a place into three elements, the potential into the fourth; returns how many pairs it took. */
    int act(double x, double y, double z, double[] out) {
        double ax = 0;
        double ay = 0;
        double az = 0;
        double potential = 0;
        int pairs = 0;
        int top = 0;
        stack[top++] = 0;
        while (top > 0) {
            int child = stack[--top];
            double[] from = child >= 0 ? mass : bodies;
            int at = child >= 0 ? 5 * child : 4 * (-2 - child);
            double dx = from[at] - x;
            double dy = from[at + 1] - y;
            double dz = from[at + 2] - z;
            double distance = dx * dx + dy * dy + dz * dz;
            if (child >= 0 && mass[at + 4] > opening * distance) {
                for (int slot = 8 * child; slot < 8 * child + 8; slot++) {
                    if (children[slot] != -1) {
                        stack[top++] = children[slot];
                    }
                }
                continue;
            }
            pairs++;
            if (distance == 0) {
                continue; // the body itself
            }
            double inverse = 1 / Math.sqrt(distance + softening);
            double strength = from[at + 3] * inverse;
            potential -= strength;
            strength *= inverse * inverse;
            ax += strength * dx;
            ay += strength * dy;
            az += strength * dz;
        }
        out[0] = ax;
        out[1] = ay;
        out[2] = az;
        out[3] = potential;
        return pairs;
    }
}
