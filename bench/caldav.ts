/**
 * CalDAV beside Radicale and Xandikos, where installed, in turns on the same machine: a first sync of 1,000 tasks, a sync
 * after one change among 10,000, and a PUT. Each server is a process of its own, and all get the same tasks.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { findProgram } from '../test/support/installed-program.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { median, round, spread } from './statistics.ts';

interface DavServer {
  readonly name: string;
  readonly list: string;
  readonly authorization: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const FEW = sized(50, 1_000);
const MANY = sized(200, 10_000);
/** A server that compiles as it runs needs some. */
const WARM_UPS = sized(1, 8);
const ROUNDS = sized(3, 7);
/** A server that has taken this long is measured no further. */
const LONGEST_MS = 45_000;
const AT_ONCE = 4;
type Start = (count: number) => Promise<DavServer>;

const PROJECT = join(import.meta.dirname, '..');

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const taskOf = (index: number, title = `Task ${index}`): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//bench',
    'BEGIN:VTODO',
    `UID:bench-${index}`,
    'DTSTAMP:20260301T000000Z',
    'CREATED:20260301T000000Z',
    `SUMMARY:${title}`,
    'DESCRIPTION:Some notes that a person wrote\\, with a line\\nand another',
    `DUE:2030${String((index % 12) + 1).padStart(2, '0')}${String((index % 28) + 1).padStart(2, '0')}T090000Z`,
    'PRIORITY:5',
    'STATUS:NEEDS-ACTION',
    'END:VTODO',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const STARTS = { Crescendo: startCrescendo, Radicale: startRadicale, Xandikos: startXandikos };

export async function benchCaldav(report: Report): Promise<void> {
  const installed = Object.entries(STARTS).filter(
    ([name]) => name === 'Crescendo' || findProgram(name.toLowerCase()) !== undefined,
  );
  const few = await startAll(installed, FEW);
  const first = await inTurns(few, (server) => firstSync(server, FEW));
  const puts = await inTurns(few, (server, round) => put(server, `put-${round}`));
  for (const server of few) await server.stop();
  const many = await startAll(installed, MANY);
  const tokens = new Map<DavServer, string>();
  for (const server of many) tokens.set(server, await syncToken(server));
  const before = many.map(({ pid }) => `${round(residentMb(pid))} MB`);
  const changed = await inTurns(many, (server, round) => oneChange(server, tokens.get(server) ?? '', round));
  const [ours] = many;
  // It takes the others minutes to hours to be read as a whole.
  if (ours) await firstSync(ours, MANY);
  const names = installed.map(([name]) => name);
  addRow(report, 'caldav-first-sync', `a first sync of ${round(FEW)} tasks`, names, first);
  addRow(report, 'caldav-change', `a change, and the sync of it, among ${round(MANY)} tasks`, names, changed);
  addRow(report, 'caldav-put', `a PUT beside ${round(FEW)} tasks`, names, puts);
  report.add({
    id: 'caldav-memory',
    what: `resident memory after all ${round(MANY)} tasks were read`,
    figures: names.map((name, index) => `${name} before that ${before[index]}`),
    value: residentMb(ours?.pid ?? 0),
    unit: ' MB',
  });
  for (const server of many) await server.stop();
}

/** Our time as a share of the fastest other server's. */
function addRow(
  report: Report,
  id: string,
  what: string,
  names: readonly string[],
  times: readonly (readonly number[])[],
): void {
  const [ours = [], ...others] = times;
  const figures = names.map((name, index) => `${name} ${spread(times[index] ?? [], ' ms')}`);
  if (others.length === 0) report.add({ id, what, figures, value: median(ours), unit: ' ms' });
  else {
    const fastest = Math.min(...others.map(median));
    report.add({
      id,
      what: `${what} / the fastest other server`,
      figures,
      value: median(ours) / fastest,
      target: { atMost: 1 },
    });
  }
}

async function startAll(starts: readonly (readonly [string, Start])[], count: number): Promise<DavServer[]> {
  const servers: DavServer[] = [];
  for (const [, start] of starts) servers.push(await start(count));
  return servers;
}

/** One server after the other in each round. A slow one has fewer rounds. */
async function inTurns(
  servers: readonly DavServer[],
  measured: (server: DavServer, round: number) => Promise<void>,
): Promise<number[][]> {
  const times: number[][] = servers.map(() => []);
  for (let index = 0; index < WARM_UPS + ROUNDS; index += 1)
    for (const [which, server] of servers.entries()) {
      const own = times[which] ?? [];
      if (own.reduce((sum, ms) => sum + ms, 0) > LONGEST_MS) continue;
      const began = performance.now();
      await measured(server, index);
      own.push(performance.now() - began);
    }
  return times.map((own) => (own.length > WARM_UPS + 1 ? own.slice(WARM_UPS) : own.slice(1)));
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

async function ask(
  { authorization }: DavServer,
  method: string,
  url: string,
  body: string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, {
    method,
    body,
    headers: { authorization, 'content-type': 'text/xml', ...headers },
  });
  const text = await response.text();
  if (response.status >= 400) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 200)}`);
  return text;
}

const NAMES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';

/** What Tasks.org and DAVx5 do: the tags of all, then all texts. */
async function firstSync(server: DavServer, expected: number): Promise<void> {
  const filter = '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO"/></C:comp-filter></C:filter>';
  const query = `<C:calendar-query ${NAMES}><D:prop><D:getetag/></D:prop>${filter}</C:calendar-query>`;
  const listed = await ask(server, 'REPORT', server.list, query, { depth: '1' });
  const paths = [...listed.matchAll(/<(?:\w+:)?href>([^<]+\.ics)</g)].map(([, path]) => path);
  let texts = 0;
  for (let from = 0; from < paths.length; from += 100) {
    const hrefs = paths.slice(from, from + 100).map((path) => `<D:href>${path}</D:href>`);
    const body = `<C:calendar-multiget ${NAMES}><D:prop><D:getetag/><C:calendar-data/></D:prop>${hrefs.join('')}</C:calendar-multiget>`;
    texts += (await ask(server, 'REPORT', server.list, body)).split('BEGIN:VTODO').length - 1;
  }
  if (texts < expected) throw new Error(`${server.name} sent ${texts} of ${expected} tasks`);
}

const syncBody = (token: string) =>
  `<D:sync-collection ${NAMES}><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`;

async function syncToken(server: DavServer): Promise<string> {
  const text = await ask(server, 'REPORT', server.list, syncBody(''), { depth: '1' });
  return /<(?:\w+:)?sync-token>([^<]+)</.exec(text)?.[1] ?? '';
}

async function oneChange(server: DavServer, token: string, index: number): Promise<void> {
  await ask(server, 'PUT', `${server.list}bench-5.ics`, taskOf(5, `Changed ${index}`), {
    'content-type': 'text/calendar',
  });
  const text = await ask(server, 'REPORT', server.list, syncBody(token), { depth: '1' });
  if (!text.includes('bench-5.ics')) throw new Error(`${server.name} did not tell of the change`);
}

const put = async (server: DavServer, name: string): Promise<void> =>
  void (await ask(server, 'PUT', `${server.list}${name}.ics`, taskOf(0).replace('bench-0', name), {
    'content-type': 'text/calendar',
  }));

const ended = (child: ChildProcess, folder: string) => async () => {
  child.kill();
  await new Promise((resolve) => child.once('close', resolve));
  rmSync(folder, { recursive: true, force: true });
};

async function startCrescendo(count: number): Promise<DavServer> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    DATABASE_URL: `sqlite:${folder}/bench.db`,
    DATA_DIR: folder,
    SECRET_KEY: 'x'.repeat(32),
  };
  const child = spawn(process.execPath, ['--max-semi-space-size=4', join(PROJECT, 'src/main.ts')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  await waitUntil(async () => (await fetch(`${origin}/health/ready`).catch(() => undefined))?.ok ?? false);
  const post = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const email = 'bench@example.org';
  await post('/v1/auth/email/request', { email });
  await waitUntil(() => /is (\d{6})/.test(said));
  const { session_token: session, user_id } = await post('/v1/auth/email/verify', {
    email,
    code: /is (\d{6})/.exec(said)?.[1],
  });
  const { token = '' } = await post('/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] }, session);
  const server = {
    name: 'Crescendo',
    list: `${origin}/caldav/calendars/${user_id}/tasks/`,
    authorization: basic(email, token),
    pid: child.pid ?? 0,
    stop: ended(child, folder),
  };
  // As the others have them: as an app sent them.
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) =>
        ask(server, 'PUT', `${server.list}bench-${from + index}.ics`, taskOf(from + index), {
          'content-type': 'text/calendar',
        }),
      ),
    );
  return server;
}

function writeTasks(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) writeFileSync(join(folder, `bench-${index}.ics`), taskOf(index));
}

async function startRadicale(count: number): Promise<DavServer> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const tasks = join(folder, 'collection-root/ada/tasks');
  writeTasks(tasks, count);
  writeFileSync(join(tasks, '.Radicale.props'), '{"tag": "VCALENDAR", "C:supported-calendar-component-set": "VTODO"}');
  const host = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'radicale',
    ['--server-hosts', host, '--storage-filesystem-folder', folder, '--auth-type', 'none', '--config', ''],
    { stdio: 'ignore' },
  );
  await waitUntil(async () => (await fetch(`http://${host}`).catch(() => undefined)) !== undefined);
  return {
    name: 'Radicale',
    list: `http://${host}/ada/tasks/`,
    authorization: basic('ada', 'x'),
    pid: child.pid ?? 0,
    stop: ended(child, folder),
  };
}

async function startXandikos(count: number): Promise<DavServer> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const port = await freePort();
  const words = [
    '-d',
    folder,
    '-l',
    '127.0.0.1',
    '-p',
    String(port),
    '--defaults',
    '--current-user-principal',
    '/ada/',
  ];
  const made = spawn('xandikos', words, { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntil(async () => (await fetch(origin).catch(() => undefined)) !== undefined);
  made.kill();
  await new Promise((resolve) => made.once('close', resolve));
  const tasks = join(folder, 'ada/calendars/calendar');
  writeTasks(tasks, count);
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', tasks, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' });
  git('add', '.');
  git('commit', '-qm', 'tasks');
  const child = spawn('xandikos', words, { stdio: 'ignore' });
  await waitUntil(async () => (await fetch(origin).catch(() => undefined)) !== undefined);
  return {
    name: 'Xandikos',
    list: `${origin}/ada/calendars/calendar/`,
    authorization: basic('ada', 'x'),
    pid: child.pid ?? 0,
    stop: ended(child, folder),
  };
}
