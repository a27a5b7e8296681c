// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Random;

/**
 * Two disc galaxies that are about to meet: each has a heavy centre and light bodies on circles around it; the second
 * one is tilted. Units make the constant of gravity 1.
 */
final class Galaxies {
    private static final double CENTRE = 0.5;    // mass of the middle body of a galaxy of mass 1
    private static final double RADIUS = 1;
    private static final double SMOOTHED = 0.05; // no body is nearer to the middle
    private static final long SEED = 20150611;

    private Galaxies() {
    }

    /** Circles are those of the softened force. */
    static Bodies make(int count, double softening) {
        Bodies bodies = new Bodies(count);
        Random random = new Random(SEED);
        int half = count / 2;
        fill(bodies, 0, half, random, softening, 0, new double[] {-1.6, -0.6, 0}, new double[] {0.45, 0.1, 0});
        fill(bodies, half, count, random, softening, 1, new double[] {1.6, 0.6, 0}, new double[] {-0.45, -0.1, 0});
        for (int i = 0; i < count; i++) {
            bodies.data[Bodies.NUMBERS * i + Bodies.COST] = 1;
            bodies.data[Bodies.NUMBERS * i + Bodies.NAME] = i;
        }
        return bodies;
    }

    private static void fill(Bodies bodies, int first, int end, Random random, double softening, double tilt,
            double[] place, double[] speed) {
        double light = (1 - CENTRE) / Math.max(1, end - first - 1);
        for (int i = first; i < end; i++) {
            double radius = i == first ? 0 : SMOOTHED + (RADIUS - SMOOTHED) * Math.sqrt(random.nextDouble());
            double angle = 2 * Math.PI * random.nextDouble();
            double height = i == first ? 0 : 0.02 * random.nextGaussian();
            double inside = CENTRE + (1 - CENTRE) * radius * radius / (RADIUS * RADIUS);
            double soft = radius * radius + softening * softening;
            double turn = radius * Math.sqrt(inside / (soft * Math.sqrt(soft)));
            double[] at = {radius * Math.cos(angle), radius * Math.sin(angle), height};
            double[] moves = {-turn * Math.sin(angle), turn * Math.cos(angle), 0};
            int c = Bodies.NUMBERS * i;
            put(bodies.data, c + Bodies.PLACE, at, tilt, place);
            put(bodies.data, c + Bodies.VELOCITY, moves, tilt, speed);
            bodies.data[c + Bodies.MASS] = i == first ? CENTRE : light;
        }
    }

    /** Turned about the x axis, and moved. */
    private static void put(double[] data, int c, double[] vector, double tilt, double[] offset) {
        data[c] = vector[0] + offset[0];
        data[c + 1] = vector[1] * Math.cos(tilt) - vector[2] * Math.sin(tilt) + offset[1];
        data[c + 2] = vector[1] * Math.sin(tilt) + vector[2] * Math.cos(tilt) + offset[2];
    }
}
