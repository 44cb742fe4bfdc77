/**
 * What queries return, by query type: a result for each format. `columns` have a name, the type of their values and a
 * meaning; a name in angle brackets stands for any. tests/docs compares them with what queries return.
 */
const JOB_LABELS = '`job` (id), `job_name`, `model`, `status`';
const ID = [
  'job_id',
  'text',
  'Id of the job. Links to its checkpoints and, if the settings have its address, to the web console.',
];
const TIME = ['Time', 'time', 'Time of the sample.'];

export const RESULTS = {
  metrics: [
    {
      format: 'time_series',
      frame:
        'A frame for each series (`timeseries-multi`), or for each number of an instant query (`numeric-multi`). The labels are those of the series.',
      columns: [
        TIME,
        ['<metric>', 'number', 'Value of the sample. The name of the field is the name of the metric, or `Value`.'],
      ],
    },
    {
      format: 'table',
      frame: 'A table.',
      columns: [TIME, ['<label>', 'text', 'A column for each label.'], ['Value', 'number', 'Value of the sample.']],
    },
  ],
  fineTuningJobs: [
    {
      format: 'table',
      frame: 'A table: a row for each job, newest first.',
      columns: [
        ID,
        ['status', 'text', 'As the gateway writes it, for example `running`.'],
        ['model', 'text', 'Base model.'],
        ['fine_tuned_model', 'text', 'Name of the resulting model. It can appear after the job has succeeded.'],
        ['suffix', 'text', 'Suffix of the resulting model’s name.'],
        ['created', 'time', ''],
        ['started', 'time', 'From the events of the job: its record has no start.'],
        ['finished', 'time', ''],
        ['estimated_finish', 'time', ''],
        ['queue_time', 'number, s', 'From creation to start.'],
        ['run_time', 'number, s', 'From start to end, or to now.'],
        ['trained_tokens', 'number', ''],
        ['n_epochs', 'number', 'Empty if the job has `auto`; so are the two below.'],
        ['batch_size', 'number', ''],
        ['learning_rate', 'number', 'Or the learning-rate multiplier, if the gateway has that.'],
        ['training_file', 'text', 'Id of the file.'],
        ['validation_file', 'text', 'Id of the file.'],
        ['error', 'text', 'Why the job failed.'],
      ],
    },
    {
      format: 'results',
      frame: 'A table: a row for each job, the lowest validation loss first.',
      columns: [
        ID,
        ['name', 'text', 'Suffix of the job, else the resulting model, else the id of the job.'],
        ['status', 'text', ''],
        ['error', 'text', 'Why the job failed.'],
        ['best', 'text', '`best` for the job with the lowest validation loss.'],
        ['valid_loss', 'number', 'Last validation loss.'],
        ['train_loss', 'number', 'Last training loss.'],
        ['last_report', 'time', 'Time of the newest event, checkpoint or training metric.'],
        ['created', 'time', ''],
        ['started', 'time', ''],
        ['until', 'time', 'End of the job, or now.'],
        ['run_time', 'number, s', ''],
        ['gpus', 'number', 'Number of GPUs, from `gpus` in the metadata of the job.'],
        ['gpu_hours', 'number', '`gpus` × `run_time`.'],
        ['node_pool', 'text', 'From `node_pool` in the metadata of the job.'],
        ['model', 'text', 'Base model.'],
      ],
    },
    {
      format: 'timeline',
      frame: 'A frame for a state timeline: the times at which any job changed, and a field for each job.',
      columns: [
        ['Time', 'time', ''],
        ['<job id>', 'text', 'Status of the job from this time on. Shown with the name of the job; label `job`.'],
      ],
    },
    {
      format: 'count',
      frame: 'Numbers (`numeric-multi`) with the labels `status` and `model`.',
      columns: [['jobs', 'number', 'How many jobs there are.']],
    },
    {
      format: 'countByJob',
      frame: `Numbers (\`numeric-multi\`) with the labels ${JOB_LABELS}.`,
      columns: [['jobs', 'number', 'Always 1.']],
    },
    {
      format: 'overdue',
      frame: `Numbers (\`numeric-multi\`) with the labels ${JOB_LABELS}.`,
      columns: [['overdue', 'number, s', 'Time past the estimated finish, negative before it.']],
    },
  ],
  fineTuningCheckpoints: [
    {
      frame: 'A table: a row for each checkpoint, by job, then step.',
      columns: [
        ID,
        ['checkpoint_id', 'text', 'Id of the checkpoint. Links to the download.'],
        ['step', 'number', ''],
        ['created', 'time', ''],
        ['model', 'text', 'Base model.'],
        ['fine_tuned_model_checkpoint', 'text', 'Name of the model at this checkpoint.'],
        ['<metric>', 'number', 'A column for each metric of a checkpoint, for example `train_loss` or `valid_loss`.'],
        ['name', 'text', 'Suffix of the job, else the resulting model, else the id of the job.'],
      ],
    },
  ],
  fineTuningCurves: [
    {
      format: 'time',
      option: 'xAxis',
      frame:
        'A frame for each job and metric (`timeseries-multi`), with the labels `job`, `job_name`, `model`, `metric`.',
      columns: [TIME, ['<metric>', 'number', 'Value of the training metric, for example `train_loss`.']],
    },
    {
      format: 'step',
      option: 'xAxis',
      frame: 'A table: a row for each step, with a column for each job and metric.',
      columns: [
        ['step', 'number', ''],
        ['<metric>', 'number', 'Value of the training metric, with the labels `job`, `job_name`, `model`, `metric`.'],
      ],
    },
  ],
  fineTuningEvents: [
    {
      frame: 'Log lines (`log-lines`), newest first.',
      columns: [
        ['timestamp', 'time', ''],
        ['body', 'text', 'Message of the event.'],
        ['severity', 'text', '`info`, `warn` or `error`.'],
        ['id', 'text', 'Id of the job and of the event.'],
        ['labels', 'JSON', '`job`, `name`, `model`, `type`, `status`.'],
        ['job_id', 'text', ''],
        ['name', 'text', 'Suffix of the job, else the resulting model, else the id of the job.'],
      ],
    },
  ],
  trainingFiles: [
    {
      frame: 'A table: a row for each file, newest first.',
      columns: [
        ['file_id', 'text', ''],
        ['filename', 'text', ''],
        ['purpose', 'text', 'For example `fine-tune`.'],
        ['bytes', 'number, bytes', ''],
        ['created', 'time', ''],
        ['status', 'text', ''],
      ],
    },
  ],
  fineTuningAnnotations: [
    {
      frame: 'A row for each annotation. No value is null.',
      columns: [
        ['time', 'time', ''],
        ['timeEnd', 'time', 'The same as `time` for a point.'],
        ['title', 'text', 'HTML, escaped; so is `text`.'],
        ['text', 'text', ''],
        ['tags', 'text', 'Separated by commas: status and model.'],
        ['id', 'text', 'Stays the same, so that an annotation is drawn once.'],
        ['color', 'text', 'Name of one of Grafana’s colors.'],
      ],
    },
  ],
  capacities: [
    {
      format: 'table',
      frame: 'A table: a row for each product and location.',
      columns: [
        ['type', 'text', 'Product, for example `h100.8x`.'],
        ['location', 'text', ''],
        ['quantity', 'number', 'How many machines are available.'],
      ],
    },
    {
      format: 'number',
      frame: 'Numbers (`numeric-multi`) with the labels `type` and `location`.',
      columns: [['quantity', 'number', 'How many machines are available.']],
    },
    {
      format: 'gpus',
      frame: 'A table: a row for each kind of GPU and location, most GPUs first.',
      columns: [
        ['gpu', 'text', 'Product without the number of GPUs.'],
        ['location', 'text', ''],
        ['gpus', 'number', 'How many GPUs are available.'],
        ['machines', 'text', 'As how many machines.'],
        ['enough', 'text', '`yes` or `no`. Only if `gpusNeeded` is set.'],
      ],
    },
  ],
  platform: [
    {
      frame:
        'A table: a row for each item. With `timeColumn` it is a time series, labeled by the columns of text. In alert rules, numbers labeled by the columns of text.',
      columns: [
        [
          '<column>',
          'text, number, boolean or time',
          'A column for each entry of `columns`, or for each member of the items that holds a single value.',
        ],
      ],
    },
  ],
};
