module bench

go 1.22

require github.com/criyle/go-judge v1.8.5
