/** A measure of runs. */
export interface Measure {
  /** As queries name it, and the column of the result. */
  id: string;
  label: string;
  description: string;
}

/** What the backend measures of each run, in the order of its result (`pkg/runs`). */
export const MEASURES: readonly Measure[] = [
  { id: 'gpus', label: 'GPUs', description: 'Most GPUs that reported at a time' },
  { id: 'gpu_hours', label: 'GPU-hours', description: 'Mean number of GPUs, times the length of the run' },
  { id: 'utilization', label: 'Utilization', description: 'Mean share of time in which a kernel ran' },
  {
    id: 'current_utilization',
    label: 'Utilization now',
    description: 'Of a run that goes on, the mean of its GPUs',
  },
  {
    id: 'sm_activity',
    label: 'SM active',
    description: 'Mean share of cycles in which multiprocessors had work',
  },
  { id: 'idle', label: 'Idle', description: 'GPU time with a utilization below 5 %' },
  { id: 'xids', label: 'XID errors', description: 'Changes of the last XID code of a GPU' },
  { id: 'energy', label: 'Energy', description: 'Energy of the GPUs' },
  { id: 'checkpoints', label: 'Checkpoints', description: 'Checkpoints of a fine-tuning job' },
  {
    id: 'usual_checkpoint_gap',
    label: 'Usual time between checkpoints',
    description: 'Median time between two checkpoints',
  },
  {
    id: 'longest_checkpoint_gap',
    label: 'Longest time between checkpoints',
    description: 'What a failure at the worst moment would have lost',
  },
  {
    id: 'since_checkpoint',
    label: 'Time since the last checkpoint',
    description: 'Of a running job, without pauses; since its start if it has none',
  },
  { id: 'best_loss', label: 'Best loss', description: 'Lowest training loss' },
  { id: 'last_loss', label: 'Last loss', description: 'Last training loss' },
  { id: 'tokens', label: 'Tokens', description: 'Tokens that a fine-tuning job was trained on' },
  { id: 'tokens_per_gpu_hour', label: 'Tokens per GPU-hour', description: 'How much an hour of a GPU trains' },
  { id: 'cost', label: 'Cost', description: 'GPU-hours and energy at the prices of the settings' },
  {
    id: 'idle_cost',
    label: 'Idle cost',
    description: 'GPU-hours with a utilization below 5 % at the prices of the settings',
  },
];
