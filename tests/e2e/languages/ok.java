import java.util.stream.Stream;

public class Main {
    public static void main(String[] args) {
        Stream.of("OK").forEach(System.out::println);
    }
}
