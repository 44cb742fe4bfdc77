// Package health examines the curve of a training run: is something wrong with it, since when, how sure is that, and when
// will the run finish. Its functions are pure.
//
// Statistics are robust, so that single outliers neither hide a finding nor make one: medians instead of means, and the median absolute
// deviation instead of the standard deviation. Losses are compared by their logarithms where all are positive. Thresholds are
// multiples of the curve's own noise and shares of its own improvement, so no finding depends on the unit of a metric. They were
// chosen on public runs and on curves with correlated noise, and are judged on others: testdata/README.md says which.
//
// # Where to find what
//
//   - curve.go has the curve, its direction and what all findings share; robust.go has the statistics.
//   - not_finite.go, spike.go, diverging.go, not_improving.go and overfitting.go have a finding each about the values of a curve,
//     stalled.go and eta.go about its steps.
//   - finding.go has what a finding is.
//   - examine.go puts the findings about a curve together, and history.go those about all curves and the steps of a run, with late.go,
//     which compares its finish with an estimate.
package health
