/** Metrics of a checkpoint, by the convention that gateways follow. */
export const USUAL_METRICS = [
  'train_loss',
  'valid_loss',
  'full_valid_loss',
  'train_mean_token_accuracy',
  'valid_mean_token_accuracy',
];

/** What a new comparison of fine-tuning jobs shows. */
export const [NEW_METRIC] = USUAL_METRICS;
