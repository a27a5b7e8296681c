// SPDX-License-Identifier: Apache-2.0
package hammer;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** The JDK's HTTP server, which answers with what it gets, and its client, with many requests at a time. */
final class Web {
    private static final int AT_A_TIME = 8;

    private Web() {
    }

    static int serve() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "web");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
            Watch.moved(body.length);
        });
        server.start();
        return server.getAddress().getPort();
    }

    static void ask(int port, Dice dice, int rounds, int limit) {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        URI uri = URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port + "/");
        for (int round = 0; round < rounds; round++) {
            List<CompletableFuture<Void>> answers = new ArrayList<>();
            for (int i = 0; i < AT_A_TIME; i++) {
                byte[] body = new byte[dice.size(limit)];
                for (int at = 0; at < body.length; at++) {
                    body[at] = (byte) dice.roll();
                }
                HttpRequest request =
                        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
                answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).thenAccept(answer -> {
                    if (answer.statusCode() != 200 || !Arrays.equals(body, answer.body())) {
                        throw new AssertionError("HTTP: status " + answer.statusCode() + ", "
                                + answer.body().length + " of " + body.length + " bytes");
                    }
                    Watch.moved(body.length);
                }));
            }
            answers.forEach(CompletableFuture::join);
        }
    }
}
