// Package compose checks docker-compose.yaml, which can't be run where there is no Docker, with the library that docker
// compose itself reads it with: that it is valid, and that every path, variable and option in it exists.
package compose
