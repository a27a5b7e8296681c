// SPDX-License-Identifier: Apache-2.0
package grande;

/**
 * What RayTracer shows: 4 x 4 x 4 spheres, five lights, and a view. All spheres have a shade of blue, reflect half of
 * the light and let half of it through, without bending it. A ray makes no objects; what it finds is in arrays, by how
 * often it has been reflected or gone through a sphere.
 *
 * <p>The order of operations is the suite's wherever rounding could change a colour, and so are two peculiarities:
 * lights do not end shadows, and a ray that goes through a sphere starts where the last one behind the reflected ray
 * did.
 */
final class Scene {
    private static final int SPHERES_A_SIDE = 4;
    static final int SPHERES = SPHERES_A_SIDE * SPHERES_A_SIDE * SPHERES_A_SIDE;
    private static final double RADIUS = 3;
    private static final double REFLECTED = 0.5;
    private static final double LET_THROUGH = 0.5;
    private static final double SHINE = 15;
    private static final double[][] LIGHTS = {{100, 100, -50}, {-100, 100, -50}, {100, -100, -50}, {-100, -100, -50},
        {200, 200, 0}};
    private static final double ANGLE = 35.0 * 3.14159265 / 180.0; // with the suite's digits: its values depend on them
    private static final double[] EYE = {0, 20, -30};
    private static final int DEEPEST = 6;
    private static final double FAINTEST = 1e-3;
    private static final double NEAREST = 1e-6; // what is nearer is where the ray itself starts
    private static final double FARTHEST = 1e9;

    private final double[] centreX = new double[SPHERES];
    private final double[] centreY = new double[SPHERES];
    private final double[] centreZ = new double[SPHERES];
    private final double[] shade = new double[SPHERES]; // of blue
    private final double[] view = normal(-EYE[0], -EYE[1], -EYE[2]);
    private final double[] down;
    private final double[] left;

    // What a ray of each depth sees. Spheres have neither red nor green, so that both come from the lights alone.
    private final double[] white = new double[DEEPEST + 2];
    private final double[] blue = new double[DEEPEST + 2];
    // Where the last ray started that a sphere sent on.
    private double fromX;
    private double fromY;
    private double fromZ;
    private double distance; // to what nearest() found
    private long rays;

    Scene() {
        double gap = 20.0 / (SPHERES_A_SIDE - 1);
        int at = 0;
        for (int i = 0; i < SPHERES_A_SIDE; i++) {
            for (int j = 0; j < SPHERES_A_SIDE; j++) {
                for (int k = 0; k < SPHERES_A_SIDE; k++, at++) {
                    centreX[at] = gap * i - 10;
                    centreY[at] = gap * j - 10;
                    centreZ[at] = gap * k - 10;
                    shade[at] = (i + j) / (2.0 * SPHERES_A_SIDE - 2);
                }
            }
        }
        double width = Math.tan(ANGLE);
        double lift = view[1]; // up is the y axis
        down = scaled(normal(-lift * view[0], 1 - lift * view[1], -lift * view[2]), -width);
        left = scaled(normal(view[2], 0, -view[0]), width);
    }

    private static double[] normal(double x, double y, double z) {
        double length = Math.sqrt(x * x + y * y + z * z);
        return new double[] {x / length, y / length, z / length};
    }

    private static double[] scaled(double[] vector, double factor) {
        return new double[] {vector[0] * factor, vector[1] * factor, vector[2] * factor};
    }

    /** The colours of a pixel, 8 bits each: red, green, blue. */
    int pixel(int x, int y, int side) {
        double right = 2.0 * x / side - 1;
        double below = 2.0 * y / side - 1;
        double dx = right * left[0] + below * down[0] + view[0];
        double dy = right * left[1] + below * down[1] + view[1];
        double dz = right * left[2] + below * down[2] + view[2];
        double length = Math.sqrt(dx * dx + dy * dy + dz * dz);
        trace(0, 1, EYE[0], EYE[1], EYE[2], dx / length, dy / length, dz / length);
        int w = Math.min(255, (int) (white[0] * 255));
        int b = Math.min(255, (int) (blue[0] * 255));
        return w << 16 | w << 8 | b;
    }

    /** How many rays were compared with all spheres: from the eye, from spheres, and to lights. */
    long rays() {
        return rays;
    }

    /** Follows a ray, and leaves what it sees at its depth. */
    private void trace(int depth, double weight, double x, double y, double z, double dx, double dy, double dz) {
        white[depth] = 0;
        blue[depth] = 0;
        int sphere = depth > DEEPEST ? -1 : nearest(x, y, z, dx, dy, dz);
        if (sphere < 0) {
            return;
        }
        double px = x + dx * distance;
        double py = y + dy * distance;
        double pz = z + dz * distance;
        double nx = px - centreX[sphere];
        double ny = py - centreY[sphere];
        double nz = pz - centreZ[sphere];
        double length = Math.sqrt(nx * nx + ny * ny + nz * nz);
        nx /= length;
        ny /= length;
        nz /= length;
        if (dx * nx + dy * ny + dz * nz >= 0) {
            nx = -nx;
            ny = -ny;
            nz = -nz;
        }
        double along = dx * nx + dy * ny + dz * nz;
        double steep = 1 / Math.abs(along);
        double rx = steep * dx + 2 * nx;
        double ry = steep * dy + 2 * ny;
        double rz = steep * dz + 2 * nz;
        length = Math.sqrt(rx * rx + ry * ry + rz * rz);
        rx /= length;
        ry /= length;
        rz /= length;
        for (double[] light : LIGHTS) {
            addLight(depth, light, shade[sphere], px, py, pz, nx, ny, nz, rx, ry, rz);
        }

        fromX = px;
        fromY = py;
        fromZ = pz;
        if (REFLECTED * weight > FAINTEST) {
            trace(depth + 1, REFLECTED * weight, px, py, pz, rx, ry, rz);
            white[depth] += REFLECTED * white[depth + 1];
            blue[depth] += REFLECTED * blue[depth + 1];
        }
        if (LET_THROUGH * weight > FAINTEST) {
            double bend = -along - Math.sqrt(1 - (1 - along * along)); // but for rounding, 0
            double tx = dx + bend * nx;
            double ty = dy + bend * ny;
            double tz = dz + bend * nz;
            length = Math.sqrt(tx * tx + ty * ty + tz * tz);
            trace(depth + 1, LET_THROUGH * weight, fromX, fromY, fromZ, tx / length, ty / length, tz / length);
            white[depth] += LET_THROUGH * white[depth + 1];
            blue[depth] += LET_THROUGH * blue[depth + 1];
        }
    }

    /** What a light adds at a point with this normal and this reflected ray, unless a sphere is in between or
     * beyond. */
    private void addLight(int depth, double[] light, double shade, double px, double py, double pz,
            double nx, double ny, double nz, double rx, double ry, double rz) {
        double lx = light[0] - px;
        double ly = light[1] - py;
        double lz = light[2] - pz;
        if (nx * lx + ny * ly + nz * lz < 0) {
            return;
        }
        double length = Math.sqrt(lx * lx + ly * ly + lz * lz);
        lx /= length;
        ly /= length;
        lz /= length;
        if (nearest(px, py, pz, lx, ly, lz) >= 0) {
            return;
        }
        blue[depth] += (nx * lx + ny * ly + nz * lz) * shade;
        double shine = rx * lx + ry * ly + rz * lz;
        if (shine > 1e-6) {
            shine = Math.pow(shine, SHINE);
            white[depth] += shine;
            blue[depth] += shine;
        }
    }

    /** The sphere that a ray meets first, and the distance to it; -1: none. */
    private int nearest(double x, double y, double z, double dx, double dy, double dz) {
        int found = -1;
        distance = FARTHEST;
        rays++;
        for (int i = 0; i < SPHERES; i++) {
            double vx = centreX[i] - x;
            double vy = centreY[i] - y;
            double vz = centreZ[i] - z;
            double along = vx * dx + vy * dy + vz * dz;
            double square = along * along - (vx * vx + vy * vy + vz * vz) + RADIUS * RADIUS;
            if (square < 0) {
                continue;
            }
            double half = Math.sqrt(square);
            double t = along - half < NEAREST ? along + half : along - half;
            if (t >= NEAREST && t < distance) {
                distance = t;
                found = i;
            }
        }
        return found;
    }
}
