/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_check.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

enum { CHECK_PROBES = 50 };

static double check_size(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

nbody_conserved nbody_check_conserved(const nbody_bodies *bodies, double potential)
{
    nbody_conserved own = {.energy = potential}, sums;
    for (int i = 0; i < bodies->count; i++) {
        const double *x = bodies->all[i].place, *v = bodies->all[i].velocity;
        double m = bodies->all[i].mass, speed = check_size(v);
        double turn[] = {x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0]};
        own.energy += 0.5 * m * speed * speed;
        for (int axis = 0; axis < 3; axis++) {
            own.momentum[axis] += m * v[axis];
            own.angular[axis] += m * turn[axis];
        }
        own.momentum_size += m * speed;
        own.angular_size += m * check_size(turn);
    }
    MPI_Allreduce(&own, &sums, (int)(sizeof own / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sums;
}

static double check_distance(const double a[3], const double b[3])
{
    return check_size((double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

nbody_change nbody_check_change(const nbody_conserved *before, const nbody_conserved *after)
{
    return (nbody_change){fabs(after->energy / before->energy - 1),
                          check_distance(before->momentum, after->momentum) / after->momentum_size,
                          check_distance(before->angular, after->angular) / after->angular_size};
}

static void check_sum(const double place[3], const nbody_mass *all, int count, double softening, double exact[3])
{
    for (int k = 0; k < count; k++) {
        double d[3], square = softening * softening;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = all[k].place[axis] - place[axis];
            square += d[axis] * d[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            exact[axis] += all[k].mass * d[axis] / (square * sqrt(square));
    }
}

double nbody_check_forces(const nbody_bodies *bodies, const double *accelerations, const nbody_mass *all, int count,
                          double softening)
{
    double own[2] = {0}, sums[2];
    int probes = bodies->count < CHECK_PROBES ? bodies->count : CHECK_PROBES;
    for (int k = 0; k < probes; k++) {
        size_t i = (size_t)k * (size_t)bodies->count / (size_t)probes;
        double exact[3] = {0};
        check_sum(bodies->all[i].place, all, count, softening, exact);
        for (int axis = 0; axis < 3; axis++) {
            double error = accelerations[3 * i + (size_t)axis] - exact[axis];
            own[0] += error * error;
            own[1] += exact[axis] * exact[axis];
        }
    }
    MPI_Allreduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sums[0] / sums[1]);
}

uint64_t nbody_check_fingerprint(const nbody_bodies *bodies)
{
    uint64_t own = 0, sum;
    for (int i = 0; i < bodies->count; i++) {
        const double *numbers = (const double *)&bodies->all[i]; /* place and velocity are the first six */
        uint64_t factor = 2 * (uint64_t)bodies->all[i].name + 1, bits;
        for (unsigned k = 0; k < 6; k++) {
            factor = factor * UINT64_C(0x5851f42d4c957f2d) + 2 * k;
            memcpy(&bits, &numbers[k], sizeof bits);
            own += factor * bits;
        }
    }
    MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
