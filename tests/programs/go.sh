# packages: golang-go
# size: large
# limits: memory_bytes=2147483648 pids=512 wall_ms=120000 cpus=2 disk_bytes=1073741824
export HOME=$PWD GOFLAGS=-mod=mod GOCACHE=$PWD/cache; printf 'package main\n\nimport (\n\t"fmt"\n\t"net"\n)\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() { c <- 42 }()\n\t_, err := net.Interfaces()\n\tfmt.Println(<-c, err)\n}\n' > a.go; go run a.go
