/** What all commands have in common: help, usage errors, exit codes, JSON. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { runCommand } from '../support/command-line.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** Starts the program in an empty folder. */
async function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  const env = { ...COMPILE_CACHE, ...environment };
  execFile(process.execPath, [MAIN, ...words], { cwd: folder, env }, (error, out, err) =>
    resolve({ code: error ? Number(error.code) : 0, out, err }),
  );
  return promise.finally(() => rmSync(folder, { recursive: true, force: true }));
}

const groupsOf = (names: readonly string[]) =>
  new Set(names.flatMap((name) => (name.includes(' ') ? [name.slice(0, name.indexOf(' '))] : [])));

test('every command has help that names its parameters and options, and --help does nothing else', async () => {
  for (const [name, load] of Object.entries(commands)) {
    const { parameters, summary, options = {}, hasResult = true } = await load();
    const { code, out, err } = await runCommand([...name.split(' '), '--help'], { PORT: 'wrong' });
    assert.deepEqual([code, err], [0, ''], name);
    assert.ok(out.startsWith(`Usage: crescendo ${[name, ...parameters].join(' ')}\n`), out);
    assert.ok(out.includes(`${summary}.\n`), out);
    for (const option of [...Object.keys(options), 'help']) assert.match(out, new RegExp(`--${option}\\b`));
    assert.equal(out.includes('--json'), hasResult);
    assert.equal((await runCommand([...name.split(' '), '-h'])).out, out);
    // Summaries are list entries.
    assert.doesNotMatch(summary, /\.$/);
  }
});

test('the list of commands names each one; a group lists only its own', async () => {
  const names = Object.keys(commands);
  for (const words of [['--help'], ['-h'], ['help']]) {
    const { code, out } = await runCommand(words);
    assert.equal(code, 0);
    for (const name of names) assert.match(out, new RegExp(`^ {2}${name}\\b`, 'm'));
  }
  for (const group of groupsOf(names)) {
    const { code, out } = await runCommand([group, '--help']);
    assert.equal(code, 0);
    const listed = [...out.matchAll(/^ {2}([a-z-]+ ?[a-z-]*)(?= {2}| [A-Z[])/gm)].map(([, name = '']) => name.trim());
    assert.deepEqual(
      listed,
      names.filter((name) => name.startsWith(`${group} `)),
    );
  }
});

const misuses: readonly [guarantee: string, words: readonly string[], message: RegExp][] = [
  ['a word that is not a command', ['frobnicate'], /^There is no command "frobnicate"/],
  ['the name of an inherited property', ['constructor'], /^There is no command "constructor"/],
  ['an empty word', [''], /^There is no command ""/],
  ['a group without a subcommand', ['user'], /^"user" needs a subcommand/],
  ['an unknown subcommand', ['user', 'frobnicate'], /^"user" needs a subcommand/],
  ['an option in place of the command', ['--frobnicate'], /^There is no command "--frobnicate"/],
  ['an unknown option', ['user', 'list', '--frobnicate'], /--frobnicate/],
  ['an option without its value', ['user', 'list', '--limit'], /--limit/],
  ['an invalid value', ['user', 'list', '--limit', '0'], /^--limit must be/],
  ['a value for a switch', ['user', 'delete', 'a@b.c', '--yes=perhaps'], /--yes/],
  ['a missing parameter', ['user', 'find'], /^TEXT is missing/],
  ['a missing parameter after an option', ['user', 'sessions', '--revoke', 'all'], /^ID\|EMAIL is missing/],
  ['an empty parameter', ['backup', ''], /^FILE is empty/],
  ['a value for --json', ['doctor', '--json=1'], /--json/],
  ['an argument too many', ['user', 'find', 'a', 'b'], /^"b" is one argument too many/],
  ['an argument too many after --', ['doctor', '--', '--json'], /^"--json" is one argument too many/],
];

for (const [guarantee, words, message] of misuses) {
  test(`${guarantee} is a usage error: one line, exit code 2, nothing on standard output`, async () => {
    const { code, out, err } = await runCommand(words);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, message);
  });
}

test('with --json a usage error and a failure are the envelope of the API, and say which they are', async () => {
  const misused = await runCommand(['user', 'find', '--json']);
  assert.equal(misused.code, 2);
  assert.deepEqual(misused.json, { ok: false, data: null, error: 'usage: TEXT is missing.' });
  const failed = await runCommand(['user', 'list', '--json'], { PORT: 'wrong' });
  assert.equal(failed.code, 1);
  assert.equal(failed.json.ok, false);
  assert.match(failed.json.error, /^failed: PORT is "wrong"/);
  assert.equal(failed.err, '');
});

test('with --json the output is one JSON document, for help and version too', async () => {
  for (const words of [['--version'], ['--help'], ['help'], ['user', '--help'], ['doctor', '--help']]) {
    const { code, json, err } = await runCommand([...words, '--json']);
    assert.deepEqual([code, json.ok, err], [0, true, ''], words.join(' '));
    const [[name, value] = []] = Object.entries(json.data);
    assert.equal(name, words.includes('--version') ? 'version' : 'help');
    assert.equal((await runCommand(words)).out, `${value}\n`);
  }
  const served = await runCommand(['serve', '--json']);
  assert.deepEqual([served.code, served.json.ok], [2, false]);
  assert.match(served.json.error, /^usage: .*--json/);
});

test('a word after -- is a value, even if it looks like an option', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  try {
    const settings = { DATA_DIR: folder };
    for (const value of ['--json', '--version', '--help', '-h']) {
      assert.equal((await runCommand(['migrate'], settings)).code, 0);
      const { code, out, err } = await runCommand(['user', 'find', '--', value], settings);
      assert.deepEqual([code, out, err], [1, '', `No account matches "${value}".\n`]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a command on a database that does not exist fails with one line and creates nothing', async () => {
  const folder = join(tmpdir(), `crescendo-test-nowhere-${process.pid}`);
  for (const words of [
    ['user', 'list'],
    ['user', 'find', 'x'],
    ['keys', 'rotate'],
  ]) {
    const { code, err } = await runCommand(words, { DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(err, /^DATABASE_URL: there is no database at .*\.\S* ?.*\n$/);
    assert.throws(() => rmSync(folder), /ENOENT/);
  }
});

test('a file that is not our database is not changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  try {
    writeFileSync(join(folder, 'crescendo.db'), 'dear diary');
    const { code, err } = await runCommand(['user', 'list'], { DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(err, /is not an SQLite database\.\n$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the process exits with 0 for success, 1 for a failure, 2 for wrong usage', async () => {
  const [version, failed, misused, refused] = await Promise.all([
    start(['--version']),
    start(['user', 'find', 'ada', '--json']),
    start(['frobnicate']),
    start(['doctor', '--json'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }),
  ]);
  assert.deepEqual([version.code, version.err], [0, '']);
  assert.match(version.out, /^\d+\.\d+\.\d+\n$/);
  assert.equal(failed.code, 1);
  assert.match(JSON.parse(failed.out).error, /^failed: DATABASE_URL: there is no database/);
  assert.equal(misused.code, 2);
  assert.match(misused.err, /^There is no command/);
  assert.equal(refused.code, 1);
  assert.equal(JSON.parse(refused.out).ok, true);
});
