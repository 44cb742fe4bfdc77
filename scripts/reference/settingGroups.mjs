/**
 * The settings of a data source by section of the form: what the sources don't say of them. `otherwise` is the default, as
 * text or made from a constant of the backend; `label` is for fields of Grafana's own.
 */
const secret = (needed) => ({ type: 'secret', otherwise: needed });
const seconds = (name) => (constant) => `\`${constant('pkg/plugin', name)}s\``;
const minutes = (name) => (constant) => `\`${constant('pkg/plugin', name) / 60}m\``;
const megabytes = (name) => (constant) => `${constant('pkg/plugin', name) / 2 ** 20}`;
const number = (name) => (constant) => `${constant('pkg/plugin', name)}`;

/** Numbers below 1 count as not set. */
const AT_LEAST_ONE = '≥ 1';
const DURATION = '> 0; a number without a unit is in seconds';

export const GROUPS = [
  {
    title: 'Connection',
    settings: {
      baseUrl: {
        type: 'address',
        otherwise: 'needed for metrics, unless `metricsUrl` is set, and for the main API',
        bounds: '`http://` or `https://`',
        meaning:
          'The platform’s API, for example `https://api.example.com`. Spaces around it, `/v1` and slashes at its end are removed.',
      },
      projectId: {
        type: 'text',
        otherwise: 'needed for metrics, unless `metricsUrl` is set',
        meaning: 'The project whose metrics are queried. It replaces `{projectId}` in paths of lists.',
      },
    },
  },
  {
    title: 'Metrics',
    settings: {
      monitoringToken: {
        ...secret('needed for metrics'),
        meaning: 'Create it with `<cli> monitoring tokens create`. It can’t be shown again. Leave out `Bearer`.',
      },
      metricsUrl: {
        type: 'address',
        otherwise: '`{baseUrl}/v1/projects/{projectId}/metrics/timeseries`',
        bounds: '`http://` or `https://`, without `/api/v1`',
        meaning: 'For deployments that have the metrics elsewhere. It is used instead of `baseUrl` and `projectId`.',
      },
    },
  },
  {
    title: 'Fine-tuning',
    settings: {
      intelligenceUrl: {
        type: 'address',
        otherwise: 'needed for fine-tuning',
        bounds: '`http://` or `https://`',
        meaning:
          'The tuning gateway, for example `https://inference.example.com`. The form removes `/v1` and slashes at its end. In a provisioning file, [leave both out](../configure.md#the-gateway-address-in-a-file).',
      },
      inferenceApiKey: {
        ...secret('needed for fine-tuning'),
        meaning:
          '[Create it](../fine-tuning.md#create-an-inference-api-key) in the platform’s web console. It is shown once, and can have an alias and an expiration date.',
      },
      consoleUrl: {
        type: 'address',
        otherwise: 'no links',
        bounds: '`http://` or `https://`; placeholders `{projectId}`, `{jobId}`, `{checkpointId}`',
        meaning:
          'A job in the platform’s web console, for example `https://console.example.com/{projectId}/fine-tuning/{jobId}`. Tables and annotations link to it.',
      },
    },
  },
  {
    title: 'Main API',
    settings: {
      accessKeyId: {
        type: 'text',
        otherwise: 'needed for the main API',
        bounds: 'without spaces and colons',
        meaning: 'Id of the access key that [signs requests](api.md#signed-requests).',
      },
      secretKey: {
        ...secret('needed for the main API'),
        bounds: 'URL-safe base64 without `=`',
        meaning: 'Secret of the access key. It signs requests and is never sent.',
      },
      organizationId: {
        type: 'text',
        otherwise: 'none',
        bounds: 'letters, digits and `.~:@_-`',
        meaning: 'Replaces `{organizationId}` in paths of lists, for example of usage and audit logs.',
      },
      timestampHeader: {
        type: 'text',
        otherwise: (constant) => `\`${constant('pkg/platform', 'DefaultTimestampHeader')}\``,
        bounds: 'name of a header, except `Authorization` and `Host`',
        meaning: 'Header with the time of a signed request.',
      },
    },
  },
  {
    title: 'Prices',
    note: 'What [runs](../compare-runs.md) cost. Without a price of the GPU-hours of all models of a run, the run has no cost.',
    settings: {
      'prices.gpuHour': {
        type: 'object: model to number',
        otherwise: 'no cost',
        label: 'Price of a GPU-hour',
        bounds: '≥ 0',
        meaning:
          'Price of a GPU for an hour, by model as the label `modelName` of GPU metrics has it, for example `NVIDIA H100 80GB HBM3`. Upper and lower case are the same.',
      },
      'prices.kilowattHour': {
        type: 'number',
        otherwise: 'energy costs nothing',
        label: 'Price of a kilowatt-hour',
        bounds: '≥ 0',
        meaning: 'Price of the energy of the GPUs, which is added.',
      },
      'prices.currency': {
        type: 'text',
        otherwise: '`USD`',
        label: 'Currency',
        bounds: 'code of ISO 4217',
        meaning: 'Unit of costs.',
      },
    },
  },
  {
    title: 'Archive',
    note: 'A Prometheus-compatible API with samples that the platform has deleted, for [metrics of more than 30 days](../long-term.md). None of the settings of other sections is sent to it but the HTTP timeout, and its credentials are sent to it only.',
    settings: {
      'archive.url': {
        type: 'address',
        otherwise: 'no archive',
        label: 'Archive address',
        bounds: '`http://` or `https://`, without `/api/v1`',
        meaning: 'Queries of samples that are older than the retention of the platform go there.',
      },
      'archive.retention': {
        type: 'duration',
        otherwise: '`30d`',
        label: 'Retention of the platform',
        bounds: '≥ `2h`',
        meaning: 'How long the platform stores samples. A step of a query that needs older ones goes to the archive.',
      },
      'archive.dropLabels': {
        type: 'list of texts',
        otherwise: 'none',
        label: 'Labels to drop',
        meaning:
          'Labels that the archive adds to each series, such as `job`. They are removed from its results, so that its series continue those of the platform.',
      },
      archiveToken: { ...secret('none'), meaning: 'Sent to the archive as bearer credential.' },
      'archive.user': {
        type: 'text',
        otherwise: 'none',
        label: 'Archive user',
        bounds: 'not beside `archiveToken`',
        meaning: 'User of basic authentication.',
      },
      archivePassword: { ...secret('none'), meaning: 'Password of the user.' },
      'archive.headerName': {
        type: 'text',
        otherwise: 'none',
        label: 'Archive header',
        bounds: 'name of a header, except `Authorization` and `Host`',
        meaning: 'Header of each request to the archive, such as `X-Scope-OrgID` with the tenant.',
      },
      archiveHeader: { ...secret('none'), meaning: 'Value of the header.' },
      archiveTlsCaCert: {
        ...secret('the machine’s certificate authorities'),
        bounds: 'PEM',
        meaning: 'Certificate of the authority that signed the archive’s.',
      },
      archiveTlsClientCert: {
        ...secret('none'),
        bounds: 'PEM',
        meaning: 'Client certificate for mutual TLS.',
      },
      archiveTlsClientKey: { ...secret('none'), bounds: 'PEM', meaning: 'Key of the client certificate.' },
      'archive.serverName': {
        type: 'text',
        otherwise: 'the host of the address',
        label: 'Server name of the archive',
        meaning: 'Name in the archive’s certificate.',
      },
      'archive.tlsSkipVerify': {
        type: 'boolean',
        otherwise: '`false`',
        label: 'Skip verification of the archive’s certificate',
        meaning: 'Accepts any certificate: for a test installation at most.',
      },
    },
  },
  {
    title: 'Advanced: limits',
    settings: {
      timeout: {
        type: 'number, s',
        otherwise: '30',
        bounds: AT_LEAST_ONE,
        meaning: 'Longest wait for the response to a request.',
      },
      maxConcurrentRequests: {
        type: 'number',
        otherwise: number('defaultMaxConcurrent'),
        bounds: AT_LEAST_ONE,
        meaning: 'Requests to one service at a time. Others wait.',
      },
      maxResponseMegabytes: {
        type: 'number, MB',
        otherwise: megabytes('defaultMaxResponse'),
        bounds: 'more than 0',
        meaning:
          'Largest response, decompressed. A larger one is an error. The `response_limit` of Grafana wins if it is set.',
      },
      maxSeries: {
        type: 'number',
        otherwise: number('defaultMaxSeries'),
        bounds: AT_LEAST_ONE,
        meaning: 'Most series of a PromQL result. More are an error.',
      },
      maxPoints: {
        type: 'number',
        otherwise: number('defaultMaxPoints'),
        bounds: AT_LEAST_ONE,
        meaning: 'Most points of a PromQL result, over all series. More are an error.',
      },
    },
  },
  {
    title: 'Advanced: cache',
    note: 'See [Cache](../cache.md). The button _Refresh the cache_ removes all entries of the data source.',
    settings: {
      'cache.enabled': {
        type: 'boolean',
        otherwise: '`true`',
        meaning: 'Caches results of metrics, and requests only new samples.',
      },
      'cache.maxMegabytes': {
        type: 'number, MB',
        otherwise: number('defaultCacheMegabytes'),
        bounds: 'more than 0, at most 1048576',
        meaning: 'Most memory of the cache, for each data source.',
      },
      'cache.recentWindow': {
        type: 'duration',
        otherwise: minutes('defaultRecentWindow'),
        bounds: '> 0',
        meaning: 'How late samples arrive at most. Each refresh requests this part of the range again.',
      },
    },
  },
  {
    title: 'Advanced: PromQL',
    note: 'Names and meanings are those of Grafana’s Prometheus data source.',
    settings: {
      timeInterval: {
        type: 'duration',
        otherwise: seconds('defaultMinStep'),
        bounds: DURATION,
        meaning:
          'How often the platform collects samples. It is the shortest automatic step, and `$__rate_interval` is four times as long.',
      },
      queryTimeout: {
        type: 'duration',
        otherwise: 'the limit of the platform',
        bounds: DURATION,
        meaning: 'When the platform’s query engine stops a query.',
      },
      customQueryParameters: {
        type: 'text',
        otherwise: 'none',
        bounds: '`name=value&name=value`',
        meaning: 'Parameters that are sent with every query.',
      },
      httpMethod: {
        type: 'text',
        otherwise: '`GET`',
        bounds: '`GET` or `POST`',
        meaning:
          'The platform documents `GET` only. With `POST`, `GET` is used where the platform does not serve `POST`.',
      },
      defaultEditor: {
        type: 'text',
        otherwise: '`builder`',
        bounds: '`builder` or `code`',
        meaning: 'Editor of new queries.',
      },
      disableMetricsLookup: {
        type: 'boolean',
        otherwise: '`false`',
        meaning: 'Editors don’t offer names of metrics and labels.',
      },
      seriesLimit: {
        type: 'number',
        otherwise: '40000',
        bounds: '≥ 0; 0 is no limit',
        meaning: 'Most names of metrics and labels, and values of labels, that editors request.',
      },
    },
  },
  {
    title: 'Advanced: TLS and headers',
    note: 'Grafana’s own settings. Others of Grafana’s HTTP settings work, too, for example `enableSecureSocksProxy`.',
    settings: {
      tlsAuthWithCACert: {
        type: 'boolean',
        otherwise: '`false`',
        label: 'Add self-signed certificate',
        meaning: 'Trusts the certificate authority in `tlsCACert`.',
      },
      tlsCACert: {
        ...secret('none'),
        label: 'CA Certificate',
        bounds: 'PEM',
        meaning: 'Certificate of the authority.',
      },
      tlsAuth: {
        type: 'boolean',
        otherwise: '`false`',
        label: 'TLS Client Authentication',
        meaning: 'Sends the certificate in `tlsClientCert`.',
      },
      serverName: {
        type: 'text',
        otherwise: 'host of the address',
        label: 'ServerName',
        meaning: 'Name that the platform’s certificate must have.',
      },
      tlsClientCert: {
        ...secret('none'),
        label: 'Client Certificate',
        bounds: 'PEM',
        meaning: 'Certificate of Grafana.',
      },
      tlsClientKey: { ...secret('none'), label: 'Client Key', bounds: 'PEM', meaning: 'Key of this certificate.' },
      tlsSkipVerify: {
        type: 'boolean',
        otherwise: '`false`',
        label: 'Skip TLS certificate validation',
        meaning: 'Accepts any certificate. Use it for tests only.',
      },
      httpHeaderName1: {
        type: 'text',
        otherwise: 'none',
        label: 'Header',
        meaning: 'Name of a header that is sent with every request; `httpHeaderName2` for a second one.',
      },
      httpHeaderValue1: { ...secret('none'), label: 'Value', meaning: 'Value of this header.' },
    },
  },
];
