// Starts a Grafana that is installed on the machine: on loopback, with a data folder of its own, the built plugin and all
// of `provisioning/`. The installation is only read, and an instance that runs already is not touched.
import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './paths.mjs';
import { freePort } from './ports.mjs';
import { startProcess } from './service.mjs';
import { startSimulator } from './simulator.mjs';

const PLUGIN = 'gpucloud-platform-datasource';

/** Where packages put Grafana's home folder. */
const HOMES = [
  '/usr/share/grafana', // deb and rpm
  '/opt/homebrew/opt/grafana/share/grafana', // Homebrew on Apple silicon
  '/usr/local/opt/grafana/share/grafana', // Homebrew on Intel
  'C:\\Program Files\\GrafanaLabs\\grafana',
];

/** Path of Grafana's program relative to its home folder: in an archive or a package, by Homebrew, in a built source. */
const PROGRAMS = ['bin/grafana', 'bin/grafana.exe', '../../bin/grafana', 'grafana'];

/** The plugin's folder that the provisioned dashboards name. */
const PACKAGED_PLUGINS = '/var/lib/grafana/plugins';

/** How long Grafana may take to be ready; the first start creates its database. */
const READY_WITHIN_MS = 180_000;

/**
 * Finds a Grafana: at a path, at GRAFANA_HOME, or where Linux packages and Homebrew put it.
 *
 * @param {string} [named] its home folder
 * @returns {{ home: string, program: string }}
 */
export function findGrafana(named = process.env.GRAFANA_HOME) {
  for (const home of named ? [resolve(named)] : HOMES) {
    const program = PROGRAMS.map((name) => join(home, name)).find(isFile);
    if (program && isFile(join(home, 'conf', 'defaults.ini'))) {
      return { home, program };
    }
  }
  throw new Error(
    named
      ? `No Grafana at ${named}: expected its home folder, which holds conf/defaults.ini, public/ and bin/grafana.`
      : `No Grafana found. Name its home folder: --grafana PATH, or GRAFANA_HOME. Looked at ${HOMES.join(', ')}.`
  );
}

const isFile = (path) => existsSync(path) && statSync(path).isFile();

/**
 * Takes `--grafana`, `--grafana PATH` and `--grafana=PATH` out of a command line.
 *
 * @param {string[]} args
 * @returns `grafana`, if the option is there, and the `rest` of the command line
 */
export function grafanaOption(args) {
  const at = args.findIndex((arg) => arg === '--grafana' || arg.startsWith('--grafana='));
  if (at < 0) {
    return { grafana: undefined, rest: args };
  }
  const [, within] = args[at].split('=');
  const next = args[at + 1]?.startsWith('-') ? undefined : args[at + 1];
  return { grafana: findGrafana(within ?? next), rest: args.toSpliced(at, within === undefined && next ? 2 : 1) };
}

/**
 * Starts a simulated platform and a Grafana that reads it.
 *
 * @param {{ home: string, program: string }} grafana of {@link findGrafana}
 * @param {{ port?: number, anonymous?: boolean, simulatorArgs?: string[] }} [options] `port` is taken if it is free. With
 *   `anonymous`, everybody who reaches it is an administrator; without, `admin` signs in with `admin`.
 */
export async function startGrafana({ home, program }, { port = 3000, anonymous = false, simulatorArgs } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gpucloud-grafana-'));
  const simulator = await startSimulator(simulatorArgs);
  try {
    const address = `http://127.0.0.1:${await freePort(port)}`;
    const config = await prepare(folder, address, anonymous);
    const log = join(folder, 'grafana.log');
    const grafana = startProcess('Grafana', program, ['server', '--homepath', home, '--config', config], {
      cwd: home,
      env: { ...withoutGrafanaVariables(process.env), ...simulator.env, GPUCLOUD_CONSOLE_URL: '' },
      log,
    });
    const stop = async () => {
      await Promise.all([grafana.stop(), simulator.stop()]);
      await rm(folder, { recursive: true, force: true });
    };
    const reason = await Promise.race([grafana.ended, healthy(address)]);
    if (reason) {
      const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
      await stop();
      throw new Error([reason, 'The end of its log:', ...lines.slice(-15)].join('\n'));
    }
    return {
      grafanaUrl: address,
      simulatorUrl: simulator.address,
      /** Resolves with a sentence when either of the two ends. */
      ended: Promise.race([grafana.ended, simulator.ended]),
      stop,
    };
  } catch (error) {
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Variables such as GF_SERVER_HTTP_PORT take precedence over the configuration file. */
function withoutGrafanaVariables(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GF_')));
}

/** Fills Grafana's data folder, and returns the path of its configuration. */
async function prepare(folder, address, anonymous) {
  const plugins = join(folder, 'plugins');
  const provisioning = join(folder, 'provisioning');
  await mkdir(plugins);
  await symlink(join(root, 'dist'), join(plugins, PLUGIN), 'junction');
  await cp(join(root, 'provisioning'), provisioning, { recursive: true });
  for (const file of await readdir(join(provisioning, 'dashboards'))) {
    const path = join(provisioning, 'dashboards', file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(PACKAGED_PLUGINS, plugins));
  }
  const { port } = new URL(address);
  const config = join(folder, 'grafana.ini');
  const home = join(root, 'dist', 'dashboards', 'overview.json');
  await writeFile(
    config,
    `# No requests to the internet.
[paths]
data = ${folder}
logs = ${join(folder, 'logs')}
plugins = ${plugins}
provisioning = ${provisioning}
[server]
http_addr = 127.0.0.1
http_port = ${port}
root_url = ${address}/
[security]
admin_user = admin
admin_password = admin
[auth]
# In minutes. Browser tests share one session, whose token is refused soon after Grafana has rotated it, by default every 10.
token_rotation_interval_minutes = 1440

[auth.anonymous]
enabled = ${anonymous}
org_role = Admin
[plugins]
allow_loading_unsigned_plugins = ${PLUGIN}
preinstall_disabled = true
public_key_retrieval_disabled = true
[analytics]
reporting_enabled = false
check_for_updates = false
check_for_plugin_updates = false
[news]
news_feed_enabled = false
[dashboards]
default_home_dashboard_path = ${home}
[log.console]
level = info
`
  );
  return config;
}

/** Resolves when Grafana is ready, or with a sentence if it is not in time. */
async function healthy(address) {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end;) {
    const response = await fetch(`${address}/api/health`).catch(() => undefined);
    if (response?.ok) {
      return undefined;
    }
    await new Promise((wake) => setTimeout(wake, 250));
  }
  return `Grafana was not ready within ${READY_WITHIN_MS / 1000} s.`;
}
