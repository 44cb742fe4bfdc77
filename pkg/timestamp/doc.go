// Package timestamp parses the times in responses of the platform. Its services, and deployments of one service, format them
// as Unix timestamps of different units, as numbers in strings, or as RFC 3339.
//
// A time is valid if a data frame can store it. Frames store nanoseconds since 1970 in 64 bits, which is 1677 to 2262; other
// times would overflow without an error. Placeholders for "no time" are invalid: 0, negative numbers, the year 1, the year
// 9999.
package timestamp
