package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthcheck asks a running simulator whether it answers. A container's image has no other program that could.
func healthcheck(ctx context.Context, listen string, https bool) error {
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	scheme, client := "http", &http.Client{Timeout: 2 * time.Second}
	if https {
		// The simulator on this machine is asked whether it runs; the certificate that it made isn't known here.
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
		return fmt.Errorf("the simulator answered with %s", resp.Status)
	}
	return nil
}
