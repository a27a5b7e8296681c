// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mpi.MPI;

/**
 * Counts the words of a text file. Rank 0 deals out lists of lines, every rank counts its own and sends a map back:
 * objects travel as they are.
 *
 *     mpijavac WordCount.java
 *     mpjrun -np 4 WordCount WordCount.java
 */
public class WordCount {
    private static final int SHOWN = 5;

    public static void main(String[] args) throws IOException {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        if (words.length != 1) {
            if (rank == 0) {
                System.err.println("usage: mpjrun -np RANKS WordCount FILE");
            }
            MPI.Finalize();
            System.exit(2);
        }
        Object[] parts = new Object[size];
        Object[] part = new Object[1];
        if (rank == 0) {
            deal(Files.readAllLines(Path.of(words[0])), parts);
        }
        MPI.COMM_WORLD.Scatter(parts, 0, 1, MPI.OBJECT, part, 0, 1, MPI.OBJECT, 0);
        @SuppressWarnings("unchecked")
        List<String> lines = (List<String>) part[0];
        part[0] = count(lines);
        MPI.COMM_WORLD.Gather(part, 0, 1, MPI.OBJECT, parts, 0, 1, MPI.OBJECT, 0);
        if (rank == 0) {
            show(merge(parts));
        }
        MPI.Finalize();
    }

    private static void deal(List<String> lines, Object[] parts) {
        int size = parts.length;
        for (int i = 0; i < size; i++) {
            parts[i] = new ArrayList<>(lines.subList(lines.size() * i / size, lines.size() * (i + 1) / size));
        }
    }

    private static HashMap<String, Integer> count(List<String> lines) {
        HashMap<String, Integer> counts = new HashMap<>();
        for (String line : lines) {
            for (String word : line.toLowerCase().split("[^a-z]+")) {
                if (!word.isEmpty()) {
                    counts.merge(word, 1, Integer::sum);
                }
            }
        }
        return counts;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Integer> merge(Object[] parts) {
        Map<String, Integer> all = new TreeMap<>();
        for (Object part : parts) {
            ((Map<String, Integer>) part).forEach((word, count) -> all.merge(word, count, Integer::sum));
        }
        return all;
    }

    private static void show(Map<String, Integer> counts) {
        System.out.println(counts.size() + " different words; the most frequent ones:");
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(SHOWN)
                .forEach(entry -> System.out.println(entry.getValue() + " " + entry.getKey()));
    }
}
