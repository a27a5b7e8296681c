// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Arrays;

/**
 * The tree of Barnes and Hut: a cube is parted into eight, and each of them again, until each has one body. A cube that
 * looks small enough from a body acts on it as one mass in its centre. Nodes are rows of flat arrays; a child is a
 * node, a mass of those given (as -2 - its number), or -1, none.
 *
 * <p>Cubes are those of the curve (Domain), as far as its keys tell them apart; smaller ones are told by places.
 */
final class Tree {
    private static final int DEPTH_MAX = 60; // bodies at one place share the last cube's mass

    private final double opening; // the square of size by distance above which a cube is opened
    private final double softening;
    private double[] mass = new double[0]; // and the mass's centre, and the size of the cube: five numbers a node
    private int[] children = new int[0];
    private double[] keys = new double[0]; // of something in the node
    private int nodes;
    private double[] masses;
    private int[] stack = new int[8 * DEPTH_MAX + 8];

    Tree(double theta, double softening) {
        this.opening = theta * theta;
        this.softening = softening * softening;
    }

    /** Of these masses, in a cube with this corner. */
    void build(Masses all, double[] corner, double size) {
        masses = all.data;
        nodes = 0;
        int root = node(size, 0);
        for (int i = 0; i < all.count; i++) {
            insert(root, i, corner, size);
        }
        addUp(root);
    }

    private int node(double size, double key) {
        if (nodes == keys.length) {
            keys = Arrays.copyOf(keys, Math.max(1024, 2 * nodes));
            mass = Arrays.copyOf(mass, 5 * keys.length);
            children = Arrays.copyOf(children, 8 * keys.length);
        }
        Arrays.fill(mass, 5 * nodes, 5 * nodes + 4, 0);
        Arrays.fill(children, 8 * nodes, 8 * nodes + 8, -1);
        mass[5 * nodes + 4] = size * size;
        keys[nodes] = key;
        return nodes++;
    }

    /** A body goes where no other mass is, another rank's cube to its level. */
    private void insert(int root, int item, double[] corner, double size) {
        double x = corner[0];
        double y = corner[1];
        double z = corner[2];
        double key = masses[Masses.NUMBERS * item + Masses.KEY];
        double level = masses[Masses.NUMBERS * item + Masses.LEVEL];
        int node = root;
        for (int depth = 0;; depth++) {
            size /= 2;
            int octant = octant(item, depth, x + size, y + size, z + size);
            x += (octant & 1) != 0 ? size : 0;
            y += (octant & 2) != 0 ? size : 0;
            z += (octant & 4) != 0 ? size : 0;
            int slot = 8 * node + octant;
            int child = children[slot];
            if (child == -1 && depth + 1 >= level) {
                children[slot] = -2 - item;
                return;
            }
            if (child < 0) { // another body is there, or a cube within is to come: part this cube
                if (depth == DEPTH_MAX) {
                    throw new IllegalStateException("two bodies are at one place");
                }
                int parted = node(size, key);
                children[slot] = parted;
                if (child != -1) {
                    double half = size / 2;
                    children[8 * parted + octant(-2 - child, depth + 1, x + half, y + half, z + half)] = child;
                }
                child = parted;
            }
            node = child;
        }
    }

    /** The part of a cube at this depth, with this middle, that a mass is in. */
    private int octant(int item, int depth, double x, double y, double z) {
        int at = Masses.NUMBERS * item;
        if (depth < Domain.BITS) {
            return (int) ((long) masses[at + Masses.KEY] >> 3 * (Domain.BITS - 1 - depth)) & 7;
        }
        return (masses[at] >= x ? 1 : 0) + (masses[at + 1] >= y ? 2 : 0) + (masses[at + 2] >= z ? 4 : 0);
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
                double[] from = child >= 0 ? mass : masses;
                int at = child >= 0 ? 5 * child : Masses.NUMBERS * (-2 - child);
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

    /** Adds to a list what bodies in a box need of this rank's tree: cubes that none of them opens, and bodies. */
    void collect(double[] boxes, int box, Domain domain, Masses out) {
        collect(0, 0, boxes, box, domain, out);
    }

    private void collect(int child, int level, double[] boxes, int box, Domain domain, Masses out) {
        if (child < 0) {
            int at = Masses.NUMBERS * (-2 - child);
            out.add(masses, at, masses[at + Masses.MASS], masses[at + Masses.KEY], 0);
            return;
        }
        int at = 5 * child;
        boolean isOpened = mass[at + 4] > opening * distance(at, boxes, box);
        if (!isOpened && level <= Domain.BITS && domain.owns(keys[child], level)) {
            out.add(mass, at, mass[at + 3], keys[child], level);
            return;
        }
        for (int slot = 8 * child; slot < 8 * child + 8; slot++) {
            if (children[slot] != -1) {
                collect(children[slot], level + 1, boxes, box, domain, out);
            }
        }
    }

    /** The square of the distance of a node's centre from a box: rounded as in act, so never more than from a body in
     * it. */
    private double distance(int at, double[] boxes, int box) {
        double dx = Math.max(0, Math.max(boxes[box] - mass[at], mass[at] - boxes[box + 3]));
        double dy = Math.max(0, Math.max(boxes[box + 1] - mass[at + 1], mass[at + 1] - boxes[box + 4]));
        double dz = Math.max(0, Math.max(boxes[box + 2] - mass[at + 2], mass[at + 2] - boxes[box + 5]));
        return dx * dx + dy * dy + dz * dz;
    }

    /** The acceleration at a place into three elements, the potential into the fourth; returns how many pairs it
     * took. */
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
            double[] from = child >= 0 ? mass : masses;
            int at = child >= 0 ? 5 * child : Masses.NUMBERS * (-2 - child);
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
