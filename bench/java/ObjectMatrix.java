/** Ping-pong of a double[][], see Objects. Arguments: sizes. */
public final class ObjectMatrix {
    private ObjectMatrix() {
    }

    public static void main(String[] arguments) throws Exception {
        Objects.main("matrix", arguments);
    }
}
