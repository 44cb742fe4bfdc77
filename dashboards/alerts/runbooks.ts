/** What a rule's alert means, what to check and what to do: a section of docs/reference/alert-rules.md. */
interface Runbook {
  /** Which number to change to tune the rule, in which part of it, in Markdown. */
  tune?: string;
  /** Items of a list, in Markdown. */
  says: string[];
}

/** The runbook of each rule, by its id. */
export const RUNBOOKS: Record<string, Runbook> = {
  'platform-unreachable': {
    says: [
      '**Means** that `vector(1)`, a query that needs no data, gets no response. The alert is named _DatasourceError_ and its annotation has the reason. While it lasts, all rules on metrics are in the state _Error_.',
      "**Check** _Save & test_ in the data source's settings: it says what was refused or not reached. [Troubleshoot](../troubleshooting.md) explains the error.",
      '**Fix** the network path or the credential. Where only single rules are in the state _Error_, it is their service: the tuning gateway and the main API are not part of this rule.',
    ],
  },
  'family-gone': {
    tune: '`20m` in A',
    says: [
      '**Means** that a cluster had metrics of GPUs, machines, InfiniBand, disks, shared disks, load balancers or Slurm at some time within a day, and has had no sample for 20 minutes. Other rules on them see nothing, which is no fault to them: this one sees it.',
      '**Check** the dashboard _Health of the data source_, and whether the exporter or the monitoring agent runs.',
      '**Fix** the exporter. If the family or the cluster was given up on purpose, the alert ends after a day.',
    ],
  },
  'family-lesser-gone': {
    tune: '`20m` in A',
    says: [
      '**Means** the same of families that no urgent rule needs: profiling metrics, local NVMe drives and object storage, for an hour. A tool that profiles a job pauses profiling metrics.',
      '**Check** the list of counters of the GPU exporter, and whether the monitoring agent runs.',
      '**Fix** the exporter. If the family was given up on purpose, the alert ends after a day.',
    ],
  },
  'gpu-hot': {
    tune: '`> 83` and `> 95` in A',
    says: [
      "**Means** that GPUs of a node are near the temperature at which they slow down. Data-center GPUs begin to throttle between 85 and 90 °C, their memory above 95 °C; see your model's data sheet. A GPU that is already reported as [slower than its peers](#gpu-slower-than-its-peers) is not reported here as well; where heat slows all GPUs of a node alike, they are.",
      "**Check** the other GPUs of the node: one is that GPU's cooling, all are the node's.",
      '**Fix** by moving the job, and report the node to the platform.',
    ],
  },
  'gpu-xid': {
    tune: '`1h` in A',
    says: [
      '**Means** that the driver reported a GPU error within the past hour: a code where there was none, another code than before, or the same one again after a reset. The metric has the last code until the GPU is reset; the alert ends an hour after the code came. **The end of the alert does not mean that the GPU works.** The same code twice in a row, without a reset in between, does not change the metric.',
      "**Check** what the alert says: the code, its meaning, where it usually comes from (application, driver or hardware) and what to do, from [NVIDIA's catalog](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html). The plugin's list of codes is [a reference page](xid.md). Each code is an alert of its own, with the label `xid`.",
      'Codes that an application causes (13, 31, 43, 45 and others) start no alert: the GPU is well, and the log of the job has the error.',
      '**Fix** what the alert says: drain the node, reset the GPU and report it to the platform. A new GPU whose first sample has a code alerts, too. After an outage of the metrics of more than a day, old codes alert once more.',
    ],
  },
  'gpu-ecc': {
    says: [
      "**Means** that GPU memory had an error that can't be corrected. A restart of the exporter is none, whatever name it has after that.",
      '**Check** the GPU in the table that the alert links to, and the log of the job: its process was ended.',
      '**Fix** by restarting the job from its last checkpoint, on another node. Reset the GPU before it is used again. Draining the node ends the alert.',
    ],
  },
  'gpu-remap': {
    tune: '`1d` in A',
    says: [
      '**Means** that a faulty row of GPU memory was replaced by a spare one within a day, or that there is no spare row left. It is one alert until the GPU is replaced or its node is drained. An [XID](#xid-error) or [ECC error](#ecc-error) of the GPU comes first: this alert begins when that has ended.',
      '**Check** `DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS` and `DCGM_FI_DEV_ROW_REMAP_FAILURE` of the GPU.',
      '**Fix** by draining the node at the end of its job and resetting the GPU, which makes the remapping effective. After a failed one the GPU has to be replaced.',
    ],
  },
  'gpu-missing': {
    tune: '`10m` in A',
    says: [
      '**Means** that GPUs of a node have had no samples for ten minutes while others of the node do: they have fallen off the bus. The rule looks at moments of the day before, each twice as long ago as the next.',
      '**Check** the kernel log of the node for XID 79.',
      '**Fix** by draining and restarting the node. Draining it ends the alert.',
    ],
  },
  'node-missing': {
    tune: '`10m` in A',
    says: [
      '**Means** that a node is down, its exporter has stopped, or it was given back. It is one alert a node, for two hours. A node that was drained before is not reported: drain it before you give it back, and nothing is sent. All nodes of a cluster together are [Metrics stopped](#metrics-stopped).',
      '**Check** whether the machine runs, then whether the exporter does.',
      '**Fix** the machine or the exporter.',
    ],
  },
  'gpus-fewer': {
    tune: '`0.9` and `8` in C',
    says: [
      '**Means** that a cluster has less than nine tenths of the GPUs of one model that it had at the same time of the day before, and more than the eight of a node fewer. Drained nodes count neither then nor now. It ends after a day: what is left is normal then. Where there are no samples of a day ago, it is six hours or one.',
      '**Check** whether somebody gave nodes back, else what they have in common: a rack, a switch, an upgrade of the exporter.',
      '**Fix** what they have in common.',
    ],
  },
  'gpus-throttled': {
    tune: '`5` in C, `3` in A',
    says: [
      '**Means** that the counter of heat of more than 5 % of the GPUs of a cluster says so, for more than 5 % of the time, on three nodes or more: two may be two machines. In a healthy cluster it does of none.',
      '**Check** whether the nodes stand together.',
      '**Fix** by reporting it to the platform: it is the cooling of the room.',
    ],
  },
  'gpu-straggler': {
    tune: '`0.04` and `0.06` in A',
    says: [
      '**Means** that a GPU computes at a lower clock than the others of its node, which have as much to do: a job that runs on all of them in step is as slow as this one. The label `cause` is what lowers the clock: `heat`, `power limit`, `PCIe` or `low clock` if nothing is seen.',
      '**Check** the dashboard _Stragglers and faults_: since when, and the evidence beside the median of the peers. [Stragglers](../stragglers.md) explains the method.',
      '**Fix** by cause: [what to do](../stragglers.md#what-to-do). Throttling has to be counted in nanoseconds, or the cause is always `low clock`: if your exporter counts microseconds, replace `1e9` in A by `1e6`.',
    ],
  },
  'gpu-pcie': {
    tune: '`0.02` and `0.08` in A',
    says: [
      '**Means** that transfers between a GPU and its machine fail and are repeated, and that it runs no kernel meanwhile; its peers wait inside one. Its clock is not low.',
      '**Check** the kernel log of the node for PCIe errors (AER), and the link with `nvidia-smi -q -d PCIE`: its generation and width should be those of its neighbors.',
      '**Fix** it by a restart of the node, which trains the link again. Report the GPU if transfers are still repeated.',
    ],
  },
  'node-straggler': {
    tune: '`0.08` and `0.05` in A',
    says: [
      '**Means** that all GPUs of a node run at a low clock, compared with the nodes under load of the same pool, with the same model of GPU. GPU metrics name no job: a pool that runs several is compared all the same.',
      '**Check** temperatures of the node against another one, and time slowed down by heat or power in the dashboard _Node_.',
      '**Fix** the cooling or the power of the machine: report it to the platform, and drain the node. If pools run jobs with clocks of their own choice, silence the rule for them.',
    ],
  },
  'gpu-held-idle': {
    tune: '`0` in C, `+ 300`, `> 5` in A',
    says: [
      '**Means** that GPUs of a node are allocated, or processes hold their memory, and no kernel runs: a job waits for data or for other GPUs, or has hung; or a notebook was left open. Whether a GPU is allocated is known [by labels](../gpu-time.md#whose-a-gpu-is). It is the cause _Held idle_ of the dashboard [GPU time](../gpu-time.md), for 30 minutes.',
      "**Check** the job's log and its data loading, and how many GPUs of the node are idle: all of them is a hang, one is a process that died.",
      '**Fix** the input pipeline, or end the process. To be notified only of more GPUs of a node, raise the `0` of the condition. Model servers and notebooks wait by nature: GPUs whose node pool, namespace or pod has `serving`, `inference`, `vllm`, `triton`, `notebook`, `jupyter`, `interactive` or one of the like as a whole word in its name are left out. Put your names into the query.',
    ],
  },
  'infiniband-link-down': {
    says: [
      '**Means** that a port went down at least once, or that its line rate is 0 and was not on one of the 28 days before: it fires for as long as the port is down. Jobs over several nodes fail or hang; if it came back, they only paused.',
      "**Check** the port's other counters, and whether the ports of other nodes went down at the same time, which points to a switch.",
      '**Fix** by taking the node out of service, and report the port to the platform.',
    ],
  },
  'infiniband-errors': {
    tune: '`10` in C',
    says: [
      '**Means** that a link works badly: `event` says whether packets arrive with errors, are discarded before they are sent, or the link had to recover. A port whose [link went down](#infiniband-link-down) is not reported here as well.',
      '**Check** whether it is one port (cable, adapter) or all of a node or switch, and whether throughput is low.',
      '**Fix** by reporting the port. Discards alone can be congestion: spread the jobs.',
    ],
  },
  'disk-nearly-full': {
    tune: '`90` in C',
    says: [
      '**Means** that a boot, ephemeral or persistent disk has less than a tenth of its space left. Shared disks have [a rule of their own](#shared-disk-nearly-full).',
      '**Check** what grows: `deriv` of the used bytes, old checkpoints, caches of data sets and container images.',
      '**Fix** by deleting or moving, or a larger disk.',
    ],
  },
  'disk-full-soon': {
    tune: '`0.85`, `0.9` and `4 * 86400` in A',
    says: [
      '**Means** that a file system, as it grew in the past day, has no space left in four days, and is used by 85 to 90 %: a fuller one is [nearly full](#disk-nearly-full).',
      '**Check** what grows: checkpoints, caches, logs.',
      '**Fix** by deleting what is old, or by a larger disk.',
    ],
  },
  'nvme-wear': {
    tune: '`> 90` in A',
    says: [
      '**Means** that a drive has written 90 % of what its maker rates it for, or that one of its own warnings is set.',
      '**Check** `smartctl -a` on the node.',
      '**Fix** by having the machine replaced; copy what is needed off the drive before.',
    ],
  },
  'host-memory': {
    tune: '`95` in C',
    says: [
      '**Means** that more than 95 % of the memory of a machine is in use for a quarter of an hour. The kernel then ends the process with most.',
      '**Check** the processes of the node: data loaders grow with the number of workers.',
      '**Fix** with fewer workers or smaller queues.',
    ],
  },
  'shared-disk-slow': {
    tune: '`5` in C',
    says: [
      '**Means** that reads or writes take five times as long as on average of a day. What is usual differs between disks, so there is no number of seconds.',
      '**Check** which nodes read or write most.',
      '**Fix** by moving checkpoints of jobs apart in time, or with a faster disk.',
    ],
  },
  'object-storage-slow': {
    tune: '`5` in C, `0.2` in A',
    says: [
      '**Means** that connecting to an endpoint takes five times as long as on average of a day, and more than 0.2 s.',
      '**Check** whether all machines are slow.',
      '**Fix** the network of the machine if it is one, else report the endpoint.',
    ],
  },
  'load-balancer-drop': {
    tune: '`30` in C, `> 1` in A',
    says: [
      '**Means** that a listener gets far fewer new connections than at any time of a day, or has vanished. A client that comes and goes leaves a time with few, so its end is no drop. After some two hours the rule is quiet again, because it has become usual.',
      '**Check** the health of what is behind the load balancer, name resolution, certificates, and whether a client was switched off on purpose.',
      '**Fix** the back end, or raise the least traffic (`> 1` connection a second) if small listeners fire at night.',
    ],
  },
  'slurm-nodes-down': {
    says: [
      "**Means** that nodes of a managed Slurm cluster do not respond. Drained nodes don't count: somebody took them out on purpose.",
      '**Check** `sinfo -R` for the reason, and XID errors on the nodes.',
      '**Fix** the node, then `scontrol update nodename=… state=resume`.',
    ],
  },
  'slurm-idle-pending': {
    tune: '`25` in C',
    says: [
      '**Means** that for an hour jobs waited while more than a quarter of the nodes were idle.',
      '**Check** the reasons with `squeue`: a limit of the user, a reservation, or a job that wants more nodes than are idle.',
      '**Fix** the limit or the reservation. It is worth knowing (`info`), and wakes nobody.',
    ],
  },
  'job-failed': {
    says: [
      '**Means** that the job failed within the past 15 minutes; it is quiet again after that. Each job is an alert of its own.',
      '**Check** the dashboard that the alert links to: _How jobs ended_ has the reason in the column _Error_, _Events_ the course.',
      '**Fix** what the reason says: a malformed training file, too large a batch, a learning rate that is too high. A failure of the platform is repeated by creating the job again.',
    ],
  },
  'job-overdue': {
    tune: '`findings` in A',
    says: [
      '**Means** that a job finishes later than the gateway estimates, by more than a tenth of its planned length: by its [steps](../training-health.md#when-a-run-finishes), or because the estimate passed a quarter of an hour ago. Gateways may correct their estimate while a job runs, or give none; such jobs are never late.',
      '**Check** when it finishes by its steps, and whether they take longer than before.',
      '**Fix** by waiting, or look for what slows it down: the nodes of its pool, and the input of the job.',
    ],
  },
  'job-loss': {
    tune: '`findings` in A',
    says: [
      '**Means** that a loss is not a number, or left its best value by more than its noise and does not come back; an accuracy likewise. [Training health](../training-health.md) has the method. JSON has no "not a number": a metric that is not reported any more while the job makes steps counts as one. Jobs with too few points have no number, and no alert.',
      '**Check** the evidence in the table that the alert links to, the curves of loss and learning rate, and the training file for a change of format within it.',
      '**Fix** by canceling, and starting again from a checkpoint before that with a lower learning rate.',
    ],
  },
  'job-stalled': {
    tune: '`findings` in A',
    says: [
      '**Means** that a running job reported no step for six times the usual time between two, one and a half times its longest pause, and a quarter of an hour.',
      '**Check** the nodes of its pool: GPUs that hold memory and compute nothing hang. An evaluation that takes longer than all before looks the same.',
      '**Fix** the node, and cancel the job if no step comes.',
    ],
  },
  'run-utilization': {
    tune: '`40` in C',
    says: [
      '**Means** that the GPUs of a running job were used below 40 % for 15 minutes. Its GPUs are those of its pod, its nodes, or the node pool in `node_pool` of its metadata: [whose a GPU is](../gpu-time.md#whose-a-gpu-is). Where nothing says which they are, there is no number.',
      '**Check** the report that the alert links to: a single GPU or node that is used less than the others holds up the rest; disks that are busy mean that it waits for data.',
      '**Fix** the node, or the input of the job.',
    ],
  },
  'run-checkpoint': {
    tune: '`3` in C',
    says: [
      '**Means** that the time since the last checkpoint of a running job is three times the median time between its checkpoints. It needs two checkpoints. A failure now loses all work since.',
      '**Check** whether its steps go on, and whether the storage that it writes to is full.',
      '**Fix** the storage; restart the job from its last checkpoint if it hangs.',
    ],
  },
  'run-budget': {
    tune: '`1000` in C',
    says: [
      '**Means** that a running job has cost more than the budget, at the [prices](settings.md#prices) of the settings and in their currency. Without prices there is no cost, and no alert.',
      '**Check** its curves: does the loss still fall?',
      '**Fix** by canceling the job, or raise the budget in the file.',
    ],
  },
  'training-loss': {
    tune: '`training_loss` in A',
    says: [
      '**Means** the same for a loss that your own pods export as a [custom metric](../custom-metrics.md), within a day. A gap of ten minutes begins a new run; a pod without samples for ten minutes has ended.',
      '**Check** and **fix** as above. The rule takes the metric `training_loss`; put in the name of yours. Its name says whether lower or higher values are better.',
    ],
  },
  'quota-nearly-used': {
    tune: '`0.9` in C',
    says: [
      "**Means** that more than 90 % of a quota of the project is used, in the quota's own unit. A quota of 0, or without a limit, is none.",
      '**Check** the panel _Quotas of the project_ of the dashboard _Capacity_.',
      '**Fix** by asking for more, or by giving back what is not needed. It is worth knowing (`info`), and wakes nobody.',
    ],
  },
  'shared-disk-full': {
    tune: '`0.9`, `0.85` and `4 * 86400` in A',
    says: [
      "**Means** that a shared disk has less than a tenth of its space left; or less than 15 %, and none in four days if it grows as in the past day. What is used are metrics, the size is the main API's, joined by the name of the disk.",
      '**Check** what grows: checkpoints, data sets.',
      '**Fix** by deleting what is old, or by a larger disk.',
    ],
  },
  'capacity-available': {
    tune: '`productNames` in A',
    says: [
      '**Means** that the platform offers machines of a product that you wait for, in the location named. The alert lasts as long as they are there; it is sent when that begins.',
      '**Check** _Main API → Capacities_: others wait as well.',
      '**Fix** nothing: start your machine. _No data_ means that no product has the name in `productNames`; the one in the file, `h100.8x`, is an example.',
    ],
  },
  'gpus-free': {
    tune: '`63` in C, `types` in A',
    says: [
      '**Means** that one place has the GPUs that your job needs: idle nodes of your own, or machines that both the capacities and your quotas allow.',
      '**Check** the dashboard _Capacity_: it says what the place is, and how long own nodes are usually idle at this hour.',
      "**Fix** nothing: start your job. A place whose quota is not known never fires, and a list that can't be read is an error: see [placement](../placement.md). _No data_ means that there is no such GPU type; the one in the file, `h100`, is an example.",
    ],
  },
};
