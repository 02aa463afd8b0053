/**
 * Puts deliberate breaks into a copy of the project, one at a time, and runs the tests that should notice:
 * `npm run breaks`, `npm run breaks -- tasks deliveries` for some rooms, `npm run breaks -- worlds` for those that the
 * simulated worlds notice. A run that was stopped goes on where it was; `--again` starts from the beginning.
 *
 * Without a break all these tests must pass, which is tried first. The first test that fails notices a break; a run that
 * takes too long notices nothing. The last line is "N of M breaks noticed".
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BREAKS, brokenSources } from '../simulation/breaks.ts';
import { Copy } from './copy.ts';
import type { RoomBreak } from './room-break.ts';
import { ROOMS } from './rooms.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORLDS = 'worlds';
const CACHE = join(ROOT, 'node_modules/.cache/crescendo-breaks');
const RESULTS = join(CACHE, 'results.json');
const LONGEST_RUN_MS = 300_000;
/** All tests of all rooms without a break. */
const LONGEST_FIRST_RUN_MS = 2_400_000;
const SEEDS_PER_BREAK = '800';

interface Job {
  readonly room: string;
  readonly name: string;
  /** Changes with the break, the file that it breaks and the tests that it names. */
  readonly key: string;
  readonly run: (copy: Copy) => Promise<Outcome>;
}

interface Outcome {
  /** The first test or promise that failed, if one did. */
  readonly noticedBy?: string;
  /** Why a run says nothing. */
  readonly fault?: string;
  readonly seconds: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { again: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});
const known = [...Object.keys(ROOMS), WORLDS];
const rooms = positionals.length === 0 ? known : positionals;
const unknown = rooms.filter((room) => !known.includes(room));
if (unknown.length > 0) {
  console.error(`There is no room ${unknown.join(', ')}. The rooms are ${known.join(', ')}.`);
  process.exit(2);
}

const jobs = rooms.flatMap((room) => (room === WORLDS ? BREAKS.map(worldJob) : (ROOMS[room] ?? []).map(roomJob(room))));
const results = values.again ? new Map<string, Outcome>() : readResults();
const isNoticed = ({ key }: Job) => results.get(key)?.noticedBy !== undefined;
const open = jobs.filter((job) => !isNoticed(job));
if (values.list)
  for (const job of jobs) console.log(`${isNoticed(job) ? '✔' : ' '} ${job.room}: ${job.name}${tellBy(job)}`);
else await runAll();

const missed = jobs.filter((job) => !isNoticed(job));
console.log();
for (const [room, own] of Map.groupBy(jobs, ({ room }) => room)) {
  const seconds = own.reduce((sum, { key }) => sum + (results.get(key)?.seconds ?? 0), 0);
  console.log(`${room}: ${own.filter(isNoticed).length} of ${own.length} noticed, ${seconds} s`);
}
for (const { room, name } of missed) console.log(`NOT NOTICED ${room}: ${name}`);
console.log(`${jobs.length - missed.length} of ${jobs.length} breaks noticed`);
process.exitCode = missed.length === 0 && jobs.length > 0 ? 0 : 1;

async function runAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-breaks-'));
  const count = Math.min(availableParallelism(), Math.max(open.length, 1));
  const copies = Array.from({ length: count }, (_, index) => new Copy(join(folder, `copy-${index}`)));
  try {
    const [first] = copies;
    if (first && !(await passUnbroken(first))) return;
    const waiting = [...open];
    await Promise.all(copies.map((copy) => work(copy, waiting)));
  } finally {
    for (const copy of copies) copy[Symbol.dispose]();
  }
}

async function work(copy: Copy, waiting: Job[]): Promise<void> {
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    const outcome = await job.run(copy);
    results.set(job.key, outcome);
    saveResults();
    const word = isNoticed(job) ? 'noticed' : 'NOT NOTICED';
    console.log(`${word} (${outcome.seconds} s) ${job.room}: ${job.name}${tellBy(job)}`);
  }
}

function tellBy({ key }: Job): string {
  const { noticedBy, fault } = results.get(key) ?? {};
  return noticedBy === undefined ? (fault ?? '') && `\n    ${fault}` : `\n    by ${noticedBy}`;
}

/** A test that fails anyway would notice every break. */
async function passUnbroken(copy: Copy): Promise<boolean> {
  const breaks = open.flatMap(({ room, name }) => (ROOMS[room] ?? []).filter((one) => one.name === name));
  for (const engine of ['sqlite', 'postgres']) {
    const own = breaks.filter((one) => (one.engine ?? 'sqlite') === engine);
    if (own.length === 0) continue;
    const words = [...new Set(own.flatMap(({ by }) => by))];
    const { noticedBy, fault, seconds } = await runTests(copy, words, engine, LONGEST_FIRST_RUN_MS);
    const failure = noticedBy ?? fault;
    console.log(`${failure === undefined ? 'passed' : 'FAILED'} (${seconds} s) without a break on ${engine}`);
    if (failure === undefined) continue;
    console.log(`    ${failure}`);
    return false;
  }
  return true;
}

function roomJob(room: string): (one: RoomBreak) => Job {
  return (one) => {
    const sources = sourcesOf(one);
    return {
      room,
      name: one.name,
      key: hash([one.by, one.engine, sources]),
      run: (copy) =>
        copy.with(sources, async () => {
          requireReadable(sources);
          return runTests(copy, one.by, one.engine ?? 'sqlite');
        }),
    };
  };
}

function worldJob(one: (typeof BREAKS)[number]): Job {
  const { name, noticedBy, from = 1 } = one;
  const words = ['--broken', name, '--from', String(from), '--seeds', SEEDS_PER_BREAK, '--unshrunk'];
  return {
    room: WORLDS,
    name,
    key: hash([one, sourcesOf(one)]),
    run: async ({ folder }) => {
      const { output, seconds } = await node(folder, ['test/simulation/simulate.ts', ...words]);
      const promise = /^The promise: (.*)$/m.exec(output)?.[1];
      return promise !== undefined && noticedBy.includes(promise) ? { noticedBy: promise, seconds } : { seconds };
    },
  };
}

function sourcesOf(one: Omit<RoomBreak, 'promise' | 'by'>): [file: string, source: string][] {
  return brokenSources({ ...one, noticedBy: [] });
}

/** Every test would notice a file that cannot be read. */
function requireReadable(sources: readonly (readonly [file: string, source: string])[]): void {
  for (const [file, source] of sources) {
    try {
      // Not `node --check`: it takes a file that begins with no import for CommonJS, and fails at its types.
      stripTypeScriptTypes(source);
    } catch (error) {
      throw new Error(`a break leaves ${file} unreadable`, { cause: error });
    }
  }
}

async function runTests(
  { folder }: Copy,
  words: readonly string[],
  engine: string,
  timeout = LONGEST_RUN_MS,
): Promise<Outcome> {
  const { output, seconds } = await node(folder, ['test/run.ts', `--engine=${engine}`, '--bail', ...words], timeout);
  if (seconds * 1_000 >= timeout) return { fault: `The tests took longer than ${seconds} s.`, seconds };
  const [, noticedBy] = /^FAILED (.*)$/m.exec(output) ?? [];
  if (noticedBy !== undefined) return { noticedBy, seconds };
  return /^[1-9]\d* passed, 0 failed$/m.test(output) ? { seconds } : { fault: output.slice(-300), seconds };
}

async function node(cwd: string, words: readonly string[], timeout = LONGEST_RUN_MS) {
  const began = performance.now();
  const child = spawn(process.execPath, words, { cwd, timeout, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { output, status, seconds: Math.round((performance.now() - began) / 1_000) };
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function readResults(): Map<string, Outcome> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(RESULTS, 'utf8'))));
  } catch {
    return new Map();
  }
}

function saveResults(): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(RESULTS, JSON.stringify(Object.fromEntries(results), null, 1));
}
