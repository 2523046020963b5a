package main

import "fmt"

func main() {
	done := make(chan string)
	go func() { done <- "OK" }()
	fmt.Println(<-done)
}
