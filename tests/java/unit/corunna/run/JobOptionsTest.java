// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import corunna.engine.LauncherArguments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line of a job. */
class JobOptionsTest {
    private static JobOptions parse(String line) {
        return JobOptions.parse(line.isEmpty() ? new String[0] : line.split(" "));
    }

    @Test
    void takesClassAndItsArguments() {
        JobOptions options = parse("Hello -np 3 -jar x");
        assertEquals("Hello", options.mainClass);
        assertArrayEquals(new String[] {"-np", "3", "-jar", "x"}, options.arguments, "those behind are the program's");
        assertEquals(0, options.ranks, "not given");
        assertEquals("multicore", options.device("multicore"), "not given");
        assertNull(options.classPath);
        assertNull(options.jar);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-np 4 -dev niodev -cp a:b Hello", "-classpath a:b -n 4 -dev niodev Hello"})
    void takesOptionsInAnyOrder(String line) {
        JobOptions options = parse(line);
        assertEquals(4, options.ranks);
        assertEquals("niodev", options.device("multicore"));
        assertEquals("a:b", options.classPath);
        assertEquals("Hello", options.mainClass);
        assertEquals(0, options.arguments.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-plain-args -np 2 Hello one", "-np 2 -plain-args Hello one"})
    void givesMainItsOwnArgumentsAlone(String line) {
        JobOptions plain = parse(line);
        assertEquals(2, plain.ranks);
        plain.giveLauncherArguments(2, "multicore");
        assertArrayEquals(new String[] {"one"}, LauncherArguments.before(1, plain.arguments));
        JobOptions usual = parse("-np 2 Hello one");
        usual.giveLauncherArguments(2, "multicore");
        String[] words = LauncherArguments.before(1, usual.arguments);
        assertArrayEquals(new String[] {"1", "2", "multicore", "one"}, words);
        assertArrayEquals(new String[] {"one"}, LauncherArguments.strip(words));
        LauncherArguments.giveNone();
    }

    @Test
    void takesJarInsteadOfClass() {
        JobOptions options = parse("-np 2 -jar hello.jar one -np");
        assertEquals("hello.jar", options.jar);
        assertNull(options.mainClass);
        assertArrayEquals(new String[] {"one", "-np"}, options.arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "-np none Hello, '-np is \"none\", but it must be a number of at least 1'",
        "-np 0 Hello,    '-np is \"0\", but it must be a number of at least 1'",
        "-n -3 Hello,    '-np is \"-3\", but it must be a number of at least 1'",
    })
    void refusesNumbersOfRanks(String line, String sentence) {
        assertEquals(sentence, assertThrows(UsageException.class, () -> parse(line)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo", "", "MULTICORE", "multicore|smpdev"})
    void refusesNamesOfDevices(String name) {
        String[] words = {"-np", "2", "-dev", name, "Hello"};
        assertEquals("-dev is \"" + name + "\"; it must be one of "
                + "multicore|smpdev|native|iodev|hybdev|smdev|tcpdev|niodev|ibvdev|mpidev|ucxdev|ofidev|simdev",
                assertThrows(UsageException.class, () -> JobOptions.parse(words)).getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "-np 2 -nope 3 Hello, 'unknown option -nope; '",
        "-np,                 'option -np needs a value; '",
        "-np 2 -jar,          'option -jar needs a value; '",
        "'',                  'no class to run; '",
        "-np 2,               'no class to run; '",
        "-np 2 -plain-args,   'no class to run; '",
    })
    void refusalsTellTheUsage(String line, String sentence) {
        assertEquals(sentence + JobOptions.USAGE,
                assertThrows(UsageException.class, () -> parse(line)).getMessage());
    }
}
