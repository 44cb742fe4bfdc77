// cspell:ignore semgrep sqlds
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

interface Rule {
  /** What the rule is against, as it would be written. */
  example: string;
  forbidden: RegExp;
}

const OS =
  'Chdir|Chmod|Chown|Chtimes|Clearenv|Create(Temp)?|DirFS|Environ|ExpandEnv|Getenv|Getwd|Lchown|Link|LookupEnv|Lstat|' +
  'Mkdir(All|Temp)?|NewFile|Open(File)?|ReadDir|ReadFile|Readlink|Remove(All)?|Rename|SameFile|Setenv|Stat|Symlink|TempDir|' +
  'Truncate|Unsetenv|User(Cache|Config|Home)Dir|WriteFile';

/**
 * Rules of Grafana's plugin-validator 0.41 about the code of the backend, `semgrep-rules.yaml`, and of Grafana's review: clients
 * are made in one place, and bodies are not logged. What is logged while something fails is looked at in tests/faults.
 */
const BACKEND: Record<string, Rule> = {
  'files and environment by os': { example: 'os.Getenv("HOME")', forbidden: new RegExp(`\\bos\\.(${OS})\\(`) },
  'files by filepath': {
    example: 'filepath.Walk(dir, visit)',
    forbidden: /\bfilepath\.(Walk(Dir)?|VolumeName|EvalSymlinks|Glob)\(/,
  },
  'files by fs': { example: 'fs.ReadFile(files, name)', forbidden: /(?<![\w.])fs\.[A-Z]\w*\(/ },
  'system calls': { example: 'syscall.Kill(pid, 9)', forbidden: /\bsyscall\.[A-Z]\w*\(/ },
  'standard output': { example: 'fmt.Println(frame)', forbidden: /\bfmt\.Print(ln|f)?\(/ },
  'an old sqlds': { example: '"github.com/grafana/sqlds/v2"', forbidden: /"github\.com\/grafana\/sqlds(\/v2)?"/ },
  'HTTP clients of its own': {
    example: '&http.Client{}',
    forbidden: /\bhttp\.(Client\{|DefaultClient|DefaultTransport)/,
  },
  'bodies and credentials in logs': {
    example: 'logger.Info("Response", "body", text)',
    forbidden: /\.(Info|Warn|Error)\([^\n]*"(body|payload|token|secret|apiKey|authorization)"/i,
  },
};

/** Of the front end, from the same file. */
const FRONT_END: Record<string, Rule> = {
  'the console': {
    example: 'console.log(data)',
    forbidden: /\bconsole\.(log|info|table|clear|count\w*|dir\w*|group\w*|time\w*|trace)\(/,
  },
  'queries past the runtime': { example: "fetch('/api/ds/query')", forbidden: /\/api\/ds\/query/ },
  'properties of the window': {
    example: 'window.grafanaBootData',
    forbidden: /window\.(grafanaBootData|grafanaRuntime|__grafanaSceneContext|location\.(search|href))/,
  },
  'dialogs of the browser': {
    example: "window.confirm('Sure?')",
    forbidden: /(?<![\w.])alert\(|\bwindow\.(alert|confirm|prompt)\(/,
  },
  'windows that know their opener': { example: 'window.open(url)', forbidden: /\bwindow\.open\((?!.*noopener)/ },
  'classes of old forms': { example: '<div className="gf-form">', forbidden: /gf-form/ },
  'errors of types that are ignored': { example: '// @ts-ignore', forbidden: /@ts-(ignore|expect-error)/ },
  'style sheets': { example: "import './style.css'", forbidden: /import\s+['"].*\.(css|scss|less)['"]|<Global\b/ },
  'internals of React': { example: 'React.__SECRET_INTERNALS_X', forbidden: /__SECRET_INTERNALS/ },
  'what React 19 lacks': {
    example: 'ReactDOM.render(<App />, root)',
    forbidden: /\bReactDOM\.(render|findDOMNode|unmountComponentAtNode)\b|\.(propTypes|contextTypes|defaultProps) =/,
  },
};

describe('Grafana’s catalog refuses', () => {
  const parts = [
    { rules: BACKEND, files: globSync('pkg/**/*.go', { cwd: root }).filter((file) => !file.endsWith('_test.go')) },
    {
      rules: FRONT_END,
      files: globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.|^src\/testing\//.test(file)),
    },
  ];
  for (const { rules, files } of parts) {
    assert.ok(files.length > 50);
    const sources = files.map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n') }));
    for (const [what, { example, forbidden }] of Object.entries(rules)) {
      it(`${what}, of which there is none`, () => {
        assert.match(example, forbidden);
        const found = sources.flatMap(({ file, lines }) =>
          lines.flatMap((line, index) => (forbidden.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
        );
        assert.deepEqual(found, []);
      });
    }
  }
});
