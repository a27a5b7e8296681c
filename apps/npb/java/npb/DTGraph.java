// SPDX-License-Identifier: Apache-2.0
package npb;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A graph of DT. Nodes are numbered so that edges lead to higher numbers, and node i runs on rank i. */
final class DTGraph {
    static final List<String> NAMES = Collections.unmodifiableList(Arrays.asList("BH", "WH", "SH"));

    private static final int DEGREE = 4; // of a comparator in the trees

    final String name;
    int nodes;
    int edges;
    int[] tails = new int[16]; // of edges, in the order in which nodes send and receive
    int[] heads = new int[16];
    int[][] incoming;
    int[][] outgoing;

    private DTGraph(String name) {
        this.name = name;
    }

    static DTGraph build(String name, int sources) {
        DTGraph graph = new DTGraph(name);
        if (name.equals("SH")) {
            graph.shuffle(sources);
        } else {
            graph.tree(sources);
            if (name.equals("WH")) {
                graph.turn();
            }
        }
        graph.list();
        return graph;
    }

    private void connect(int tail, int head) {
        if (edges == tails.length) {
            tails = Arrays.copyOf(tails, 2 * edges);
            heads = Arrays.copyOf(heads, 2 * edges);
        }
        tails[edges] = tail;
        heads[edges++] = head;
    }

    /** Sources, layers of comparators with up to four inputs each, and one sink. */
    private void tree(int sources) {
        int first = 0;
        int width = sources;
        nodes = sources;
        while (width > DEGREE) {
            int comparators = (width + DEGREE - 1) / DEGREE;
            for (int i = 0; i < width; i++) {
                connect(first + i, nodes + i / DEGREE);
            }
            first = nodes;
            nodes += comparators;
            width = comparators;
        }
        for (int i = 0; i < width; i++) {
            connect(first + i, nodes);
        }
        nodes++;
    }

    /** Turns all edges around; the last node is the first then. */
    private void turn() {
        for (int edge = 0; edge < edges; edge++) {
            int tail = tails[edge];
            tails[edge] = nodes - 1 - heads[edge];
            heads[edge] = nodes - 1 - tail;
        }
    }

    /** Layers as wide as there are sources; a node has inputs from two, whose numbers differ in one bit. */
    private void shuffle(int sources) {
        nodes = sources;
        for (int bit = 1; bit < sources; bit *= 2) {
            int first = nodes - sources;
            for (int i = 0; i < sources; i++) {
                connect(first + (i & ~bit), nodes + i);
                connect(first + (i | bit), nodes + i);
            }
            nodes += sources;
        }
    }

    private void list() {
        incoming = new int[nodes][0];
        outgoing = new int[nodes][0];
        for (int edge = 0; edge < edges; edge++) {
            incoming[heads[edge]] = append(incoming[heads[edge]], edge);
            outgoing[tails[edge]] = append(outgoing[tails[edge]], edge);
        }
    }

    private static int[] append(int[] list, int edge) {
        int[] longer = Arrays.copyOf(list, list.length + 1);
        longer[list.length] = edge;
        return longer;
    }
}
