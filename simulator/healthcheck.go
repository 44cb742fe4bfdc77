package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthcheck sends a request to a running simulator. A container's image has no other program that could.
func healthcheck(ctx context.Context, listen string, https bool) error {
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	scheme, client := "http", &http.Client{Timeout: 2 * time.Second}
	if https {
		// The simulator is on this machine, and the certificate that it made isn't known here.
		scheme, client.Transport = "https", &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort("127.0.0.1", port)+"/_control/counters", nil)
	if err != nil {
		return err
	}
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
