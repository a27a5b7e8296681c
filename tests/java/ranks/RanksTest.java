// SPDX-License-Identifier: Apache-2.0
package ranks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import mpi.MPI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What docs/java-development.md shows: every rank runs the tests, by JUnit's own launcher, which reads the arguments
 * of main. */
class RanksTest {
    @BeforeAll
    static void init() {
        MPI.Init(new String[0]);
    }

    @AfterAll
    static void leave() {
        MPI.Finalize();
    }

    @Test
    void addsUp() {
        int[] sum = {1};
        MPI.COMM_WORLD.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
        assertEquals(Integer.getInteger("test.ranks"), MPI.COMM_WORLD.Size());
        assertEquals(MPI.COMM_WORLD.Size(), sum[0]);
    }
}
