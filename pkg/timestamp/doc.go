// Package timestamp reads the times in the platform's responses. Its services, and deployments of one service, write them
// as Unix timestamps of different units, as numbers in strings, or as RFC 3339.
//
// A time is valid if a data frame can hold it: Grafana stores times as nanoseconds since 1970 in 64 bits, so 1677 to 2262.
// Beyond that range it would be another time, without an error. Placeholders for "no time" have none: 0, negative
// numbers, the year 1, the year 9999.
package timestamp
