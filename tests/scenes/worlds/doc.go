// Package worlds makes clusters whose truth is known by the second, and compares the causes of GPU time and the stragglers that are found
// with it. They are made from what is published of clusters, before their author read the rules, and not from the simulator:
//
//   - AcmeTrace (https://github.com/InternLM/AcmeTrace, Hu et al., NSDI '24): half of the jobs take about two minutes and some a day and
//     more, utilization is 0 or 97 to 100 %, an A100 idles at 62 W and works at 180 to 440 of 400 W, SM activity is 14 to 94 %.
//   - NVIDIA's XID catalog: 13, 31, 43 and 45 are an application's; after 94 a GPU may be out for hours.
//   - dcgm-exporter: it collects every 30 seconds however often it is scraped, profiling metrics are averages of that time, labels of pods
//     come and go with jobs, and a restart changes the address.
//   - "Not All GPUs Are Created Equal" (SC 2022): at the power limit the clocks of equal boards differ by some percent.
//
// A pause of a job in which no kernel runs is held idle, but for one of up to five minutes, also before its first kernel: that is low activity.
package worlds
