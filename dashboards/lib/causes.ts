/** What a minute of a GPU went into. Every minute has one cause. */
interface Cause {
  id: string;
  /** The value of PromQL that tells causes apart. */
  code: number;
  title: string;
  /** What to do first, as a sentence. */
  action: string;
  /** A color of Grafana's themes. */
  color: string;
}

/** The causes. What is measured of each: docs/gpu-time.md. */
export const CAUSES = [
  {
    id: 'noData',
    code: 70,
    title: 'No data',
    action: 'Look whether the node is down, has left the fleet, or its monitoring agent has stopped.',
    color: 'dark-purple',
  },
  {
    id: 'faulted',
    code: 10,
    title: 'Faulted',
    action: 'Look its XID code up on Stragglers and faults, and restart the job on other GPUs.',
    color: 'red',
  },
  {
    id: 'throttled',
    code: 20,
    title: 'Throttled',
    action: 'Compare heat and power with the others of the node: one is its own cooling, all are the node’s.',
    color: 'orange',
  },
  {
    id: 'computing',
    code: 30,
    title: 'Computing',
    action: 'Nothing to do.',
    color: 'green',
  },
  {
    id: 'lowActivity',
    code: 40,
    title: 'Low activity',
    action: 'Open the node, and look for processors that wait for disks, a busy host, or a network that waits.',
    color: 'yellow',
  },
  {
    id: 'heldIdle',
    code: 50,
    title: 'Held idle',
    action: 'End the process, unless it is a model that waits for requests or a job that loads data.',
    color: 'blue',
  },
  {
    id: 'free',
    code: 60,
    title: 'Free',
    action: 'Use it, or give it back.',
    color: 'super-light-blue',
  },
  {
    id: 'drained',
    code: 90,
    title: 'Drained',
    action: 'Repair the node, or resume it.',
    color: 'light-purple',
  },
  {
    id: 'notMeasured',
    code: 80,
    title: 'Not measured',
    action: 'Collect DCGM_FI_PROF_GR_ENGINE_ACTIVE, and label GPUs with their index, gpu.',
    color: 'text',
  },
] as const satisfies readonly Cause[];

export type CauseId = (typeof CAUSES)[number]['id'];

/** Where causes begin. */
export const THRESHOLDS = {
  /**
   * Percent of cycles in which multiprocessors are active: above, a GPU computes. A collective that spins occupies up to 24 of the 108 to
   * 132 multiprocessors of an A100 or H100, one for each channel of NCCL, which is 22 %.
   */
  active: 30,
  /** Percent of time in which kernels run: above, something runs. As in reports of runs. */
  running: 5,
  /** Percent of time in which kernels run: below, none runs for most of it. */
  mostly: 50,
  /**
   * Percent of cycles in which the memory sends or receives data: below, kernels wait. One that spins reads a flag; training takes some 20 to 50,
   * and decoding more.
   */
  traffic: 5,
  /**
   * The same by utilization of memory, of NVML: percent of the time in which it is read or written. Above, kernels that run for most of the time compute,
   * also those of servers on boards that draw little.
   */
  copying: 10,
  /**
   * MiB above the least of its node in six hours: above, memory is in use. A driver reserves some hundred, which differs by driver and
   * model; a process takes at least as much again for its CUDA context.
   */
  held: 300,
} as const;

/** What explains a lower clock. */
export const LOSS = {
  /**
   * Percent below the clock of the cluster, from which on it is a loss if heat explains it: clocks of equal GPUs differ by less, and no other load
   * makes a GPU that is not at its power limit slower.
   */
  byHeat: 6,
  /** Percent of the time that heat takes. */
  heat: 10,
  /** Degrees Celsius, where the exporter has no counters of throttling. In AcmeTrace 99 % of samples are below 70. */
  celsius: 80,
  /** Percent of the time that the power limit takes: a failed supply takes all of it. */
  power: 50,
  /**
   * Percent of the highest power of a GPU of the same model in the cluster in six hours: one that draws more is at its limit, however hot it is.
   * Samples at a limit of 400 W are up to 440 W in AcmeTrace, so that a mean at the limit is 90 % of the highest.
   */
  atLimit: 90,
  /** The same where power is lacking. It falls faster than the clock, at least by its square: a loss of clock of 10 % takes a fifth of it. */
  ofMost: 80,
  /** Percent below it where power is lacking. Jobs that differ in load differ by less. */
  byPower: 15,
  /**
   * Percent below it where nothing else explains it: the hardware reduces clocks by a factor of two or more when a supply fails or it is too hot
   * (NVML, nvmlClocksEventReasonHwSlowdown), and nobody locks them so low. Three percent less, because just a half counts, too, and a clock moves by
   * a step or two of 15 MHz, which are 2 % of the 1410 MHz of an A100.
   */
  byHardware: 47,
  /** The share of the cluster's GPUs at work that are at no higher clock: no median, because most of them may be on the slow node. */
  fastest: 0.9,
  /** Percent of the time in which kernels run: below, a lower clock is no loss, because the GPU waits most of the time. */
  work: 30,
  /** MHz: below, a clock is that of an idle GPU, some 100 to 350, and not compared with. */
  idleClock: 600,
} as const;

/** The code of a cause. */
export const codeOf = (id: CauseId): number => CAUSES.find((cause) => cause.id === id)!.code;
