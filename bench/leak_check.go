package main

import (
	"context"
	"time"
)

// leakCheck is what a process has besides memory: a leak shows in one or the other.
type leakCheck struct{ goroutines, files int }

// leakCheck counts what the backend has now.
func (b *runningBackend) leakCheck(ctx context.Context) (leakCheck, error) {
	goroutines, err := b.metric(ctx, "go_goroutines")
	if err != nil {
		return leakCheck{}, err
	}
	files, err := b.proc.FileDescriptorsLen()
	return leakCheck{goroutines, files}, err
}

// settle waits until the backend has no more than it had at rest, for as long as idle connections are kept at most.
func (b *runningBackend) settle(ctx context.Context, rest leakCheck) (leakCheck, error) {
	deadline := time.Now().Add(soakRest)
	for {
		now, err := b.leakCheck(ctx)
		if err != nil || now.goroutines <= rest.goroutines+strays && now.files <= rest.files+strays || time.Now().After(deadline) {
			return now, err
		}
		if !wait(ctx, time.Second) {
			return now, ctx.Err()
		}
	}
}
