// Package packed makes one frame of the time series of a range query, for the front end of this data source only.
//
// Grafana reads every number of a frame from Arrow and writes it as JSON, for every viewer. A text costs it little more than
// a copy. So the front end requests packed frames and makes the usual frames of them, a field of times and one of values for
// each series, before anything else reads them: src/metrics/packedFrames.ts.
//
// # Format
//
// A packed frame has the type "timeseries-packed", and one row of two fields:
//
//   - "series" is JSON of the names, display names and labels: {"name": …, "displayName": …, "labels": {"a label": …}}. Each is
//     a text if all series have the same, or else a list, in the order of the series; it is null for a series without it.
//   - "samples" is base64 of bytes. The field has the config of the fields of times.
//
// The bytes are those of one series after the other, until their end:
//
//	runs                  how many runs of equal distances its times have; 0 for the times of the series before
//	  distance, length    of each run; the first distance is from 0, and times are milliseconds since 1970
//	form                  a byte: how many decimal places its values have, from 0 to 15, or 255 if they are no decimals
//	values                one for each time
//
// A decimal is written without its decimal point, as the difference from the value before, which is 0 at first. Dividing by a
// power of ten makes the same float64 of it. All values of a series have that form or none.
//
// Any other value is written as what differs in its bits from the value before, which is 0 at first: the XOR of both as eight
// bytes, little-endian, without the zeros at both ends. A byte before it says how many bytes are left out at the lower end,
// times 16, plus how many there are. This is so for NaN, infinities and -0, and every bit of them is kept.
//
// Differences and distances are varints with a sign, runs and lengths are varints without, as in encoding/binary. Integers
// are below 10^15, so that a browser computes with them exactly.
package packed
