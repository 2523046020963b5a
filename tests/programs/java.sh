# packages: default-jdk-headless
# size: large
# limits: memory_bytes=1073741824 pids=256 wall_ms=60000 cpus=2
printf 'import java.util.stream.*;\npublic class A { public static void main(String[] a) throws Exception { System.out.println(IntStream.range(0, 10).parallel().sum()); System.out.println(java.net.NetworkInterface.getByName("lo") != null); } }\n' > A.java; java A.java
