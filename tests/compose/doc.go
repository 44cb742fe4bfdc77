// Package compose checks docker-compose.yaml without Docker, with the library that docker compose uses to read it: that it is
// valid, and that every path, variable and option in it exists.
package compose
