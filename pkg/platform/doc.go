// Package platform asks the platform's main API, where every request is signed: capacities, and any other list.
//
// A [Signer] adds the signature as the last thing before a request leaves, so that each attempt has a fresh time. A
// [Client] reads lists page by page and makes frames of them. It only ever sends GET.
package platform
