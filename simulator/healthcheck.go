package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthcheck sends a request to a running simulator. A container's image has no other program that could.
func healthcheck(ctx context.Context, listen string) error {
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort("127.0.0.1", port)+"/_control/counters", nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 2 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the simulator responded with %s", resp.Status)
	}
	return nil
}
