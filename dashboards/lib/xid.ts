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
const DEBUG =
  'Look for an invalid memory access in the job: run it under Compute Sanitizer. Report the GPU if other jobs fail on it, too.';
const IGNORE = 'Jobs can go on; report the GPU to the platform if the error comes back.';
const UNCORRECTED = 'Restart the job from its last checkpoint on another node; drain this node and reset the GPU.';
const NVLINK = 'Drain the node and reset its GPUs; report the node to the platform if the error comes back.';

/** The engines that copy data to, from and between GPUs have a code each. */
function copyEngines(first: number, last: number): XidCode[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    code: first + index,
    meaning: 'an engine that copies data failed',
    origin: 'driver',
    action: RESTART_JOB,
  }));
}

/**
 * The XID codes that data-center GPUs are known to report, in ascending order.
 *
 * Meaning and action: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (Ampere and newer), the origin
 * of codes that it leaves open: https://docs.nvidia.com/deploy/xid-errors/archive/index.html.
 */
export const XID_CODES: XidCode[] = [
  { code: 8, meaning: 'a GPU engine stopped processing', origin: 'driver', action: RESTART_JOB },
  {
    code: 11,
    meaning: 'an invalid or corrupted push buffer: commands that the GPU cannot read',
    origin: 'application',
    action: DEBUG,
  },
  {
    code: 13,
    meaning: 'a kernel accessed memory out of bounds or ran an illegal instruction',
    origin: 'application',
    action: DEBUG,
  },
  {
    code: 25,
    meaning: 'an invalid or illegal push buffer: commands that the GPU cannot read',
    origin: 'application',
    action: DEBUG,
  },
  {
    code: 31,
    meaning: 'a GPU memory page fault: an access to an invalid address',
    origin: 'application',
    action: DEBUG,
  },
  {
    code: 32,
    meaning: 'a corrupted push buffer: commands were damaged on their way over PCIe',
    origin: 'hardware',
    action:
      'Restart the job from its last checkpoint; report the node if the error comes back, its PCIe link may be bad.',
  },
  { code: 37, meaning: 'a firmware method that the driver does not have', origin: 'driver', action: IGNORE },
  { code: 38, meaning: 'a firmware watchdog timed out', origin: 'driver', action: RESTART_JOB },
  ...copyEngines(39, 41),
  {
    code: 43,
    meaning: 'the application hit a fault of its own and was ended; the GPU is healthy',
    origin: 'application',
    action: 'Read the log of the job for its CUDA error. The GPU needs nothing.',
  },
  { code: 44, meaning: 'a fault of the graphics engine in a context switch', origin: 'driver', action: IGNORE },
  {
    code: 45,
    meaning: 'the driver cleaned up after a process that was killed or failed',
    origin: 'application',
    action: 'Look for another XID on this GPU just before it; without one, a process was ended on purpose.',
  },
  { code: 46, meaning: 'the GPU stopped processing', origin: 'driver', action: RESET },
  {
    code: 48,
    meaning: 'a double-bit ECC error: GPU memory lost data that cannot be corrected',
    origin: 'hardware',
    action: UNCORRECTED,
  },
  {
    code: 54,
    meaning: 'auxiliary power is not connected to the GPU board',
    origin: 'hardware',
    action: 'Drain the node and report it to the platform.',
  },
  { code: 62, meaning: 'the power-management controller of the GPU halted', origin: 'hardware', action: RESET },
  {
    code: 63,
    meaning: 'a faulty memory row was remapped to a spare one',
    origin: 'hardware',
    action: 'Reset the GPU when its node is free: the remapping takes effect then. Jobs can go on until then.',
  },
  {
    code: 64,
    meaning: 'a faulty memory row could not be remapped',
    origin: 'hardware',
    action: 'Drain the node, reset the GPU and report it to the platform: it may have to be replaced.',
  },
  ...[66, 67].map((code): XidCode => ({
    code,
    meaning: 'an illegal access by the driver',
    origin: 'driver',
    action: IGNORE,
  })),
  { code: 68, meaning: 'the video decoder failed', origin: 'driver', action: RESTART_JOB },
  { code: 69, meaning: 'an invalid command for the graphics engine', origin: 'application', action: DEBUG },
  ...copyEngines(70, 72),
  {
    code: 74,
    meaning: 'an NVLink error: the connection to another GPU or a switch failed',
    origin: 'hardware',
    action: NVLINK,
  },
  ...copyEngines(75, 77),
  {
    code: 79,
    meaning: 'the GPU has fallen off the bus: the node no longer reaches it over PCIe',
    origin: 'hardware',
    action:
      'Restart the job from its last checkpoint on another node; restart this node and report it to the platform.',
  },
  { code: 80, meaning: 'corrupted data was sent to the GPU', origin: 'hardware', action: RESTART_JOB },
  ...copyEngines(85, 85),
  {
    code: 92,
    meaning: 'a high rate of corrected single-bit ECC errors',
    origin: 'hardware',
    action: IGNORE,
  },
  {
    code: 93,
    meaning: 'the memory that keeps the configuration of the board has been written to very often',
    origin: 'hardware',
    action: IGNORE,
  },
  {
    code: 94,
    meaning: 'a memory error that was contained to one application',
    origin: 'hardware',
    action: 'Restart the job that failed from its last checkpoint, and reset the GPU when its node is free.',
  },
  {
    code: 95,
    meaning: 'a memory error that was not contained: every job on the GPU is affected',
    origin: 'hardware',
    action: 'Restart the jobs from their last checkpoints on another node; drain this node and reset the GPU.',
  },
  { code: 109, meaning: 'a context switch timed out', origin: 'driver', action: RESET },
  {
    code: 110,
    meaning: 'a security fault',
    origin: 'hardware',
    action: 'Drain the node, restart it from cold and report it to the platform.',
  },
  {
    code: 119,
    meaning: 'the GSP, the processor of the GPU that runs the driver firmware, did not respond',
    origin: 'driver',
    action: RESET,
  },
  {
    code: 120,
    meaning: 'the GSP, the processor of the GPU that runs the driver firmware, failed',
    origin: 'driver',
    action: RESET,
  },
  {
    code: 121,
    meaning: 'corrected errors on the link between GPU and Grace CPU',
    origin: 'hardware',
    action: 'Jobs can go on; reset the GPU when its node is free, which trains the link again.',
  },
  ...copyEngines(126, 135),
  { code: 136, meaning: 'training of an NVLink link failed', origin: 'hardware', action: NVLINK },
  {
    code: 137,
    meaning: 'an access to the memory of another GPU over NVLink was illegal',
    origin: 'application',
    action: DEBUG,
  },
  {
    code: 140,
    meaning: 'ECC errors that cannot be corrected and kept the driver from remapping memory',
    origin: 'hardware',
    action: RESET,
  },
  { code: 141, meaning: 'an error of the fast path of CUDA', origin: 'driver', action: IGNORE },
  { code: 143, meaning: 'the GPU could not be initialized', origin: 'hardware', action: RESET },
  ...[144, 145, 146, 147, 148, 149, 150].map((code): XidCode => ({
    code,
    meaning: 'an NVLink error (fifth generation)',
    origin: 'hardware',
    action: NVLINK,
  })),
  {
    code: 151,
    meaning: 'the rotation of encryption keys failed (confidential computing)',
    origin: 'driver',
    action: 'Restart the virtual machine; report it to the platform if the error comes back.',
  },
  {
    code: 154,
    meaning: 'the recovery that the GPU needs after another XID has changed',
    origin: 'hardware',
    action: 'Read the recovery in the kernel log of the node: none, a reset of the GPU, or a restart of the node.',
  },
  { code: 155, meaning: 'an NVLink link was taken down by software', origin: 'driver', action: NVLINK },
  {
    code: 156,
    meaning: 'a faulty part of the GPU was retired',
    origin: 'hardware',
    action: 'Reset the GPU when its node is free: the retirement takes effect then.',
  },
  {
    code: 157,
    meaning: 'a faulty part of the GPU could not be retired',
    origin: 'hardware',
    action: 'Drain the node and report it to the platform: the error can come back at any time.',
  },
  { code: 158, meaning: 'a fatal timeout of the GPU', origin: 'hardware', action: RESET },
  { code: 160, meaning: 'a faulty memory channel was retired', origin: 'hardware', action: IGNORE },
  {
    code: 161,
    meaning: 'a faulty memory channel could not be retired',
    origin: 'hardware',
    action: 'Drain the node and report it to the platform: the error can come back at any time.',
  },
  {
    code: 164,
    meaning: 'the circuits that smooth the power of the board are near the end of their life',
    origin: 'hardware',
    action: 'Jobs can go on; report the GPU to the platform.',
  },
  {
    code: 165,
    meaning: 'the circuits that smooth the power of the board are at the end of their life',
    origin: 'hardware',
    action: 'Jobs can go on; report the GPU to the platform.',
  },
  { code: 167, meaning: 'a fatal timeout of PCIe', origin: 'hardware', action: RESET },
  {
    code: 168,
    meaning: 'errors in protected memory: the GPU has less memory than it should',
    origin: 'hardware',
    action: RESET,
  },
  { code: 169, meaning: 'the security controller of the GPU halted', origin: 'hardware', action: RESET },
  {
    code: 171,
    meaning: 'an ECC error in the memory of the GPU that cannot be corrected; comes with XID 48',
    origin: 'hardware',
    action: UNCORRECTED,
  },
  {
    code: 172,
    meaning: 'an ECC error in the caches of the GPU that cannot be corrected; comes with XID 48',
    origin: 'hardware',
    action: UNCORRECTED,
  },
];

/** For codes that the list doesn't have. */
export const UNKNOWN_XID: Omit<XidCode, 'code' | 'origin'> = {
  meaning: 'a code that this list does not have',
  action: 'Look the code up in the XID catalog of NVIDIA, and read the kernel log of the node.',
};
