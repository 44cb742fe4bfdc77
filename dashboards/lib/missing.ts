// Why a panel can have nothing, as the end of a sentence.

export const JOBS = 'no fine-tuning job overlaps this time range: choose a longer one. Or fine-tuning is not set up.';
export const RUNS = 'no run was found in this time range: choose a longer one, or other series.';
export const GOING_ON = 'no fine-tuning job runs or is paused, or fine-tuning is not set up.';
export const PLACES = 'there is no place of the chosen GPU types: neither on offer nor among own nodes.';
export const LISTS = 'the platform lists nothing here, or the main API is not set up.';
