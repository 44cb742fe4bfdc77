// Package rangecache keeps the answers of a metrics endpoint, so that what many viewers and alert rules ask again and
// again is asked once.
//
// A range query is a grid of steps. A step that is older than the recent window does not change any more, whoever asks and
// whatever range it is a part of. So a refresh asks for what is missing and for the recent window only, and the answer is put
// together from both. That holds for queries of which every step depends on samples up to that step alone; [Examine] tells
// which these are, and all others are asked as they come.
//
// Within one collection interval nothing new is expected, so an answer that was asked for in an interval serves until that
// interval ends. Whatever is asked for while the same is under way waits for that answer.
//
// An answer from the cache is, series for series and sample for sample, the one that the platform would have given at the
// time that [Origin] names.
package rangecache
