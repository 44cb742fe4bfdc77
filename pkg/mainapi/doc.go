// Package mainapi queries the platform's main API, whose requests are signed: capacities, and any other list.
//
// A [Signer] signs each attempt of a request, so that each has a fresh timestamp. A [Client] reads lists page by page and
// makes frames of them. It sends GET requests only.
package mainapi
