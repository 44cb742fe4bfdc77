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
const NAME = ['name', 'text', 'Suffix of the job, else the resulting model, else the id of the job.'];
const TIME = ['Time', 'time', 'Time of the sample.'];

/** @param {{ timeEnd?: string, text?: string, tags: string }} meanings Of the columns that differ. */
const annotationColumns = ({ timeEnd = 'The same as `time` for a point.', text = '', tags }) => [
  ['time', 'time', ''],
  ['timeEnd', 'time', timeEnd],
  ['title', 'text', 'HTML, escaped; so is `text`.'],
  ['text', 'text', text],
  ['tags', 'text', tags],
  ['id', 'text', 'Stays the same, so that an annotation is drawn once.'],
  ['color', 'text', 'Name of one of Grafana’s colors.'],
];

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
        NAME,
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
        NAME,
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
        NAME,
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
      columns: annotationColumns({ tags: 'Separated by commas: status and model.' }),
    },
  ],
  runComparison: [
    {
      format: 'elapsed',
      option: 'axis',
      frame:
        'One frame for a trend panel: a row for each point of the axis, with a column for each series of each run. `share` (0 to 1) and `step` are the same with another axis.',
      columns: [
        ['elapsed', 'number, h', 'Time since the start of each run.'],
        ['<run>', 'number', 'Named like the run. Labels `run`, `run_id` and those of the series.'],
      ],
    },
    {
      format: 'rebased',
      option: 'axis',
      frame: 'A frame for each series of each run (`timeseries-multi`), moved so that its run starts at the left edge.',
      columns: [TIME, ['<run>', 'number', 'Named like the run. Labels `run`, `run_id` and those of the series.']],
    },
    {
      format: 'divergence',
      frame: 'A table: a row for each run but the baseline.',
      columns: [
        ['run_id', 'text', ''],
        ['run', 'text', 'Name of the run.'],
        [
          'parts_at_elapsed',
          'number, s',
          'From where on the difference stays above the threshold; empty if it does not. Named by the axis.',
        ],
        ['last_difference', 'number', 'Difference at the last point that both have.'],
      ],
    },
  ],
  runs: [
    {
      format: 'table',
      frame:
        'A table: a row for each run, newest first. With a baseline, each measure is followed by its difference: `<measure>_difference`, a share of the value of the baseline. The last columns are the labels of the runs.',
      columns: [
        ['run_id', 'text', 'Id of the run: of the job, or the values of its labels.'],
        ['run', 'text', 'Name of the run.'],
        ['status', 'text', 'That of the job, else `running` or `ended`.'],
        ['start', 'time', ''],
        ['end', 'time', 'Empty while the run goes on.'],
        ['length', 'number, s', 'Until now while the run goes on.'],
        ['attribution', 'text', 'How its GPUs are known: `labels`, `selector` or `time`.'],
        ['<measure>', 'number; number, s; text', 'A number for each measure that has a value; a text for each label.'],
      ],
    },
    {
      format: 'number',
      frame: 'Numbers (`numeric-multi`) with the labels `run`, `run_id` and `status`.',
      columns: [['<measure>', 'number; number, s', 'A number for each measure of each run.']],
    },
  ],
  runAnnotations: [
    {
      frame: 'A row for each annotation, as for [jobs](#annotations-of-jobs).',
      columns: annotationColumns({ tags: 'Separated by commas.' }),
    },
  ],
  trainingHealth: [
    {
      format: 'table',
      frame:
        'A table: a row for each finding, the most urgent first, and one for each run without any. The last columns are the labels of the runs: `job`, `job_name` and `model`, or those of the series.',
      columns: [
        ['run', 'text', 'Name of the job, or the values of the labels of the series.'],
        ['status', 'text', 'That of the job, else `running` or `ended`.'],
        ['severity', 'text', '`critical`, `warning`, `info`, `unknown` or `ok`.'],
        [
          'finding',
          'text',
          '`notFinite`, `diverging`, `stalled`, `late`, `overfitting`, `plateau` or `spike`; `tooFewPoints` or `healthy` if there is none.',
        ],
        ['metric', 'text', 'Empty for a finding about the run.'],
        ['better', 'text', 'Which values of the metric are better, by its name: `lower`, `higher` or `unknown`.'],
        ['since', 'time', ''],
        ['since_step', 'number', ''],
        ['until', 'time', 'Empty while it is the case.'],
        ['value', 'number', 'Of the metric; or the seconds that the run stalls or is late.'],
        ['evidence', 'text', 'A sentence.'],
        ['certainty', 'text', '`certain`, `likely` or `possible`.'],
        ['advice', 'text', 'What to do about a run that goes on.'],
        ['<label>', 'text', 'A text for each label.'],
      ],
    },
    {
      format: 'eta',
      frame: 'A table: a row for each run that goes on, the most urgent first, with the labels of the runs.',
      columns: [
        ['run', 'text', ''],
        ['status', 'text', ''],
        ['progress', 'number, percentunit', 'From 0 to 1.'],
        ['step', 'number', ''],
        ['total_steps', 'number', ''],
        ['eta', 'time', 'When it finishes, by its steps.'],
        ['earliest', 'time', 'Nine of ten runs finish between it and `latest`.'],
        ['latest', 'time', ''],
        ['left', 'number, s', 'Until `eta`.'],
        ['estimated_finish', 'time', 'What the gateway says.'],
        ['behind', 'number, s', 'How much later `eta` is.'],
        ['seconds_per_step', 'number, s', 'Without pauses.'],
        ['from', 'text', 'Where `eta` is from, or why there is none.'],
        ['<label>', 'text', 'A text for each label.'],
      ],
    },
    {
      format: 'number',
      frame:
        'Numbers (`numeric-multi`) of the runs that go on, with the labels of the run and `finding`. There is none of a finding that can’t be evaluated because there are too few points.',
      columns: [
        [
          '<finding or eta>',
          'number; number, s',
          '`finding` is 1 if it is the case, else 0; `eta` is the seconds until the run finishes, by its steps.',
        ],
      ],
    },
    {
      format: 'annotations',
      frame: 'A row for each finding that began in the range, as for [jobs](#annotations-of-jobs).',
      columns: annotationColumns({
        timeEnd: 'The same as `time`.',
        text: 'The metric and the evidence.',
        tags: 'Separated by commas: severity and run.',
      }),
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
  placement: [
    {
      format: 'table',
      frame: 'A table: a row for each place, the best first.',
      columns: [
        ['enough', 'text', '`yes`, `no`, or `unknown` where a bound is not known.'],
        [
          'gpus',
          'number',
          'How many GPUs are possible; if `enough` is `unknown`, at most. Empty if that is not known.',
        ],
        ['type', 'text', 'GPU type: the name of the product without its number of GPUs.'],
        ['source', 'text', '`own nodes`, which are idle, or `new machines`, which can be started.'],
        ['location', 'text', ''],
        ['node_pool', 'text', 'Cluster and node pool of own nodes.'],
        ['machines', 'text', 'As which machines or nodes, for example `8 × h100.8x`.'],
        ['capacity', 'number', 'GPUs that the platform has left, or that are idle on own nodes.'],
        ['quota_left', 'number', 'GPUs that the quotas leave. Empty if no quota is known.'],
        ['reason', 'text', 'Why there are too few, or what is not known.'],
      ],
    },
    {
      format: 'number',
      frame:
        'Numbers (`numeric-multi`) with the labels `type`, `source`, `location` and `node_pool`. A place of which a bound is not known is left out, and a service that fails is an error.',
      columns: [['gpus', 'number', 'How many GPUs are possible.']],
    },
    {
      format: 'total',
      frame: 'Numbers (`numeric-multi`) with the label `type`.',
      columns: [
        ['total_gpus', 'number', 'How many GPUs are possible in all places together, within the quotas they share.'],
      ],
    },
    {
      format: 'answer',
      frame: 'A table of one row.',
      columns: [
        ['answer', 'text', 'A sentence.'],
        ['enough', 'text', '`yes`, `no` or `unknown`, of the best place.'],
        ['gpus', 'number', 'GPUs of the best place.'],
      ],
    },
    {
      format: 'nodes',
      frame: 'A table: a row for each own node of which nothing uses a GPU.',
      columns: [
        ['node', 'text', ''],
        ['state', 'text', '`idle`, or why it can’t be used; `no node is idle` for a pool without one.'],
        ['gpus', 'number', ''],
        ['type', 'text', 'GPU type.'],
        ['location', 'text', 'Location of its cluster.'],
        ['cluster_id', 'text', ''],
        ['nodepool_name', 'text', ''],
      ],
    },
    {
      format: 'hours',
      frame:
        'A table: a row for each hour of the day in UTC, of the past four weeks. The share of weeks, from 0 to 1, in which a node pool had the GPUs idle.',
      columns: [
        ['hour', 'text', ''],
        ...['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((day) => [day, 'number', '']),
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
