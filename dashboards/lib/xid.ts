/** What an XID code usually comes from. Most codes can have other causes, too. */
type XidOrigin = 'application' | 'driver' | 'hardware';

export interface XidCode {
  code: number;
  /** What happened, as part of a sentence: without a capital at its start and a period at its end. */
  meaning: string;
  origin: XidOrigin;
  /** What to do first, as a sentence. */
  action: string;
}

const RESET = 'Drain the node and reset the GPU; report it to the platform if the error comes back.';
const RESTART_JOB = 'Restart the job from its last checkpoint; report the GPU if the error comes back.';
const IGNORE = 'Jobs can go on; report the GPU to the platform if the error comes back.';
const NVLINK = 'Drain the node and reset its GPUs; report the node to the platform if the error comes back.';

/** Codes by their usual origin, what to do first, and their meaning. */
const CODES: Record<XidOrigin, Record<string, Record<string, number[]>>> = {
  application: {
    'Look for an invalid memory access in the job: run it under Compute Sanitizer. Report the GPU if other jobs fail on it, too.':
      {
        'an invalid or corrupted push buffer: commands that the GPU cannot read': [11],
        'a kernel accessed memory out of bounds or ran an illegal instruction': [13],
        'an invalid or illegal push buffer: commands that the GPU cannot read': [25],
        'a GPU memory page fault: an access to an invalid address': [31],
        'an invalid command for the graphics engine': [69],
        'an access to the memory of another GPU over NVLink was illegal': [137],
      },
    'Read the log of the job for its CUDA error. The GPU needs nothing.': {
      'the application hit a fault of its own and was ended; the GPU is healthy': [43],
    },
    'Look for another XID on this GPU just before it; without one, a process was ended on purpose.': {
      'the driver cleaned up after a process that was killed or failed': [45],
    },
  },
  driver: {
    [RESTART_JOB]: {
      'a GPU engine stopped processing': [8],
      'a firmware watchdog timed out': [38],
      'an engine that copies data failed': [
        39, 40, 41, 70, 71, 72, 75, 76, 77, 85, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135,
      ],
      'the video decoder failed': [68],
    },
    [IGNORE]: {
      'a firmware method that the driver does not have': [37],
      'a fault of the graphics engine in a context switch': [44],
      'an illegal access by the driver': [66, 67],
      'an error of the fast path of CUDA': [141],
    },
    [RESET]: {
      'the GPU stopped processing': [46],
      'a context switch timed out': [109],
      'the GSP, the processor of the GPU that runs the driver firmware, did not respond': [119],
      'the GSP, the processor of the GPU that runs the driver firmware, failed': [120],
    },
    'Restart the virtual machine; report it to the platform if the error comes back.': {
      'the rotation of encryption keys failed (confidential computing)': [151],
    },
    [NVLINK]: {
      'an NVLink link was taken down by software': [155],
    },
  },
  hardware: {
    'Restart the job from its last checkpoint; report the node if the error comes back, its PCIe link may be bad.': {
      'a corrupted push buffer: commands were damaged on their way over PCIe': [32],
    },
    'Restart the job from its last checkpoint on another node; drain this node and reset the GPU.': {
      'a double-bit ECC error: GPU memory lost data that cannot be corrected': [48],
      'an ECC error in the memory of the GPU that cannot be corrected; comes with XID 48': [171],
      'an ECC error in the caches of the GPU that cannot be corrected; comes with XID 48': [172],
    },
    'Drain the node and report it to the platform.': {
      'auxiliary power is not connected to the GPU board': [54],
    },
    [RESET]: {
      'the power-management controller of the GPU halted': [62],
      'ECC errors that cannot be corrected and kept the driver from remapping memory': [140],
      'the GPU could not be initialized': [143],
      'a fatal timeout of the GPU': [158],
      'a fatal timeout of PCIe': [167],
      'errors in protected memory: the GPU has less memory than it should': [168],
      'the security controller of the GPU halted': [169],
    },
    'Reset the GPU when its node is free: the remapping takes effect then. Jobs can go on until then.': {
      'a faulty memory row was remapped to a spare one': [63],
    },
    'Drain the node, reset the GPU and report it to the platform: it may have to be replaced.': {
      'a faulty memory row could not be remapped': [64],
    },
    [NVLINK]: {
      'an NVLink error: the connection to another GPU or a switch failed': [74],
      'training of an NVLink link failed': [136],
      'an NVLink error (fifth generation)': [144, 145, 146, 147, 148, 149, 150],
    },
    'Restart the job from its last checkpoint on another node; restart this node and report it to the platform.': {
      'the GPU has fallen off the bus: the node no longer reaches it over PCIe': [79],
    },
    [RESTART_JOB]: {
      'corrupted data was sent to the GPU': [80],
    },
    [IGNORE]: {
      'a high rate of corrected single-bit ECC errors': [92],
      'the memory that keeps the configuration of the board has been written to very often': [93],
      'a faulty memory channel was retired': [160],
    },
    'Restart the job that failed from its last checkpoint, and reset the GPU when its node is free.': {
      'a memory error that was contained to one application': [94],
    },
    'Restart the jobs from their last checkpoints on another node; drain this node and reset the GPU.': {
      'a memory error that was not contained: every job on the GPU is affected': [95],
    },
    'Drain the node, restart it from cold and report it to the platform.': {
      'a security fault': [110],
    },
    'Jobs can go on; reset the GPU when its node is free, which trains the link again.': {
      'corrected errors on the link between GPU and Grace CPU': [121],
    },
    'Read the recovery in the kernel log of the node: none, a reset of the GPU, or a restart of the node.': {
      'the recovery that the GPU needs after another XID has changed': [154],
    },
    'Reset the GPU when its node is free: the retirement takes effect then.': {
      'a faulty part of the GPU was retired': [156],
    },
    'Drain the node and report it to the platform: the error can come back at any time.': {
      'a faulty part of the GPU could not be retired': [157],
      'a faulty memory channel could not be retired': [161],
    },
    'Jobs can go on; report the GPU to the platform.': {
      'the circuits that smooth the power of the board are near the end of their life': [164],
      'the circuits that smooth the power of the board are at the end of their life': [165],
    },
  },
};

/**
 * The XID codes that data-center GPUs are known to report, in ascending order.
 *
 * Meaning and action: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (Ampere and newer), the origin
 * of codes that it leaves open: https://docs.nvidia.com/deploy/xid-errors/archive/index.html.
 */
export const XID_CODES: XidCode[] = Object.entries(CODES)
  .flatMap(([origin, actions]) =>
    Object.entries(actions).flatMap(([action, meanings]) =>
      Object.entries(meanings).flatMap(([meaning, codes]) =>
        codes.map((code) => ({ code, meaning, origin: origin as XidOrigin, action }))
      )
    )
  )
  .sort((a, b) => a.code - b.code);

/** Codes after which the GPU is well: the job has to be looked at. */
export const APPLICATION_CODES = XID_CODES.filter(({ origin }) => origin === 'application').map(({ code }) => code);

/** Of codes, in PromQL: those that no application causes, without some others. */
export const ofHardware = (codes: string, ...without: number[]): string =>
  `(${codes} > 0 ${[...APPLICATION_CODES, ...without].map((code) => `!= ${code}`).join(' ')})`;

/** For codes that the list doesn't have. */
export const UNKNOWN_XID: Omit<XidCode, 'code' | 'origin'> = {
  meaning: 'a code that this list does not have',
  action: 'Look the code up in the XID catalog of NVIDIA, and read the kernel log of the node.',
};
