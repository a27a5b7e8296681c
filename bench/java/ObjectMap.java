/** Ping-pong of a HashMap of strings and numbers, see Objects. Arguments: sizes. */
public final class ObjectMap {
    private ObjectMap() {
    }

    public static void main(String[] arguments) throws Exception {
        Objects.main("map", arguments);
    }
}
