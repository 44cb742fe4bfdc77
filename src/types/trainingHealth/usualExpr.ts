/** A metric that workloads often export. */
export const USUAL_EXPR = 'training_loss{metrics_source="custom-metrics"}';
