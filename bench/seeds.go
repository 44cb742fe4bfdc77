package main

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// eachSeed calls do with each of so many seeds, with as many at a time as there are processors, until one fails.
func eachSeed(ctx context.Context, seeds int, do func(ctx context.Context, seed int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for seed := range seeds {
		all.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = do(ctx, seed)
			}
			if err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			return nil
		})
	}
	return all.Wait()
}
