// Package health examines the curve of a training run: is something wrong with it, since when, how sure is that, and when
// will the run finish. Its functions are pure.
//
// Statistics are robust, so that single outliers neither hide a finding nor make one: medians instead of means, and the median absolute
// deviation instead of the standard deviation. Losses are compared by their logarithms where all are positive. Thresholds are
// multiples of the curve's own noise and shares of its own best, so no finding depends on the unit of a metric. They were
// chosen on public runs and on curves with correlated noise, and are judged on others: testdata/README.md says which.
package health
