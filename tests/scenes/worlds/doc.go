// Package worlds makes clusters whose truth is known by the minute, and compares the causes of GPU time with it. They are made from what
// is published of clusters, not from the rule, nor from the simulator:
//
//   - AcmeTrace (https://github.com/InternLM/AcmeTrace, Hu et al., NSDI '24): half of the jobs take about two minutes and some a day and
//     more, utilization is 0 or 97 to 100 %, an A100 idles at 62 W and works at 180 to 440 of 400 W, SM activity is 14 to 94 %.
//   - NVIDIA's XID catalog: 13, 31, 43 and 45 are an application's; after 94 a GPU may be out for hours.
//   - dcgm-exporter: profiling metrics are averages of 30 s, labels of pods come and go with jobs.
package worlds
