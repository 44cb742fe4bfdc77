/** What a minute of a GPU went into. Every minute has one cause: the first in this list that applies. */
export interface Cause {
  id: string;
  /** The value of PromQL that tells causes apart: the tens are the order. */
  code: number;
  title: string;
  /** What it means, as a sentence. */
  meaning: string;
  /** What to do first, as a sentence. */
  action: string;
  /** A color of Grafana's themes. */
  color: string;
}

/**
 * The causes in their order. The numbers in their meanings are those of {@link THRESHOLDS}.
 *
 * What tells them apart: https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html#profiling-metrics
 * (activity of SMs and tensor cores), and that utilization is 0 or near 100 % on clusters that train large models: Hu et al.,
 * "Characterization of Large Language Model Development in the Datacenter", NSDI '24, https://github.com/InternLM/AcmeTrace.
 */
export const CAUSES = [
  {
    id: 'noData',
    code: 70,
    title: 'No data',
    meaning: 'The GPU had samples within the past hours, and has had none for three minutes.',
    action: 'Look whether the node runs: it is down, has left the fleet, or its monitoring agent has stopped.',
    color: 'dark-purple',
  },
  {
    id: 'faulted',
    code: 10,
    title: 'Faulted',
    meaning: 'The driver reported a new or another XID error within 15 minutes, or a memory row could not be remapped.',
    action: 'Look the XID code up in the GPU overview, and restart the job from its last checkpoint on other GPUs.',
    color: 'red',
  },
  {
    id: 'throttled',
    code: 20,
    title: 'Throttled',
    meaning: 'Heat or the power limit slowed the GPU down for more than a tenth of the minute.',
    action: 'Compare temperature and power with the other GPUs of the node: one is its cooling, all are the node’s.',
    color: 'orange',
  },
  {
    id: 'computing',
    code: 30,
    title: 'Computing',
    meaning: 'Multiprocessors or tensor cores are active. Without profiling metrics: kernels run, and power is drawn.',
    action: 'Nothing to do.',
    color: 'green',
  },
  {
    id: 'waitingNetwork',
    code: 41,
    title: 'Waiting for the network',
    meaning: 'Kernels run but compute little, while InfiniBand ports of the node cannot send or lose their link.',
    action: 'Look at the dashboard InfiniBand: one port is its cable, many are congestion.',
    color: 'dark-yellow',
  },
  {
    id: 'waitingStorage',
    code: 42,
    title: 'Waiting for storage',
    meaning: 'Kernels run but compute little, while processors of the node wait for disks.',
    action: 'Look at the dashboard Storage; read ahead, cache the data set, or spread it over more disks.',
    color: 'yellow',
  },
  {
    id: 'waitingHost',
    code: 43,
    title: 'Waiting for the host',
    meaning: 'Kernels run but compute little, while the processors of the node are busy.',
    action: 'Prepare data in advance or on the GPU, and look for other work on the node.',
    color: 'light-yellow',
  },
  {
    id: 'waitingPeers',
    code: 44,
    title: 'Waiting for peers',
    meaning: 'Kernels run but compute little, while another GPU of the same node computes.',
    action: 'Look for the slowest GPU of the job: the others wait for it in each step.',
    color: 'semi-dark-yellow',
  },
  {
    id: 'waiting',
    code: 45,
    title: 'Waiting, not known for what',
    meaning: 'Kernels run but compute little, and no metric of the node says why.',
    action: 'Look at the log and the stacks of the job: it hangs, or waits for GPUs or services of other nodes.',
    color: 'super-light-yellow',
  },
  {
    id: 'heldIdle',
    code: 50,
    title: 'Held idle',
    meaning: 'Memory is in use, and no kernel runs.',
    action:
      'End the process, unless it is a model that waits for requests or a job that loads data or writes a checkpoint.',
    color: 'blue',
  },
  {
    id: 'free',
    code: 60,
    title: 'Free',
    meaning: 'No memory is in use, and no kernel runs. Drained nodes without a fault are free as well.',
    action: 'Use it, or give it back.',
    color: 'super-light-blue',
  },
] as const satisfies readonly Cause[];

export type CauseId = (typeof CAUSES)[number]['id'];

/** Where causes begin, by the name of the dashboard's variable. They are texts, as they are in PromQL. */
export const THRESHOLDS = {
  /** Percent of cycles in which SMs or tensor cores are active: above, a GPU computes. */
  sm_above: '20',
  tensor_above: '10',
  /** Watts, of GPUs without profiling metrics: up to them, kernels that run are waiting. */
  watts_above: '200',
  /** Percent of time in which kernels run: above, something runs. As in reports of runs. */
  running_above: '5',
  /** MiB: above, memory is in use. An idle driver takes a few, a process some hundreds. */
  held_above: '1024',
  /** Percent of the time that heat or the power limit takes. */
  throttled_above: '10',
  /** Percent of the time in which a port has data to send and may not. */
  sending_above: '10',
  /** Percent of the processors' time that is spent waiting for disks, and working. Two virtual processors share a core. */
  iowait_above: '10',
  host_above: '50',
  /** For how long a GPU without samples counts. */
  known_for: '6h',
} as const;

export type Threshold = keyof typeof THRESHOLDS;

/** The code of a cause. */
export const codeOf = (id: CauseId): number => CAUSES.find((cause) => cause.id === id)!.code;
