/**
 * Real programs against the service, and the same scripts against Radicale, which shows that the scripts are right. They
 * run in a full run, where installed: `apt-get install vdirsyncer todoman python3-caldav litmus radicale`.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { basic, connectApp } from '../support/caldav-client.ts';
import { onSomeEngine } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { findProgram } from '../support/installed-program.ts';
import { createPerson } from '../support/people.ts';
import { IS_FULL } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Server extends AsyncDisposable {
  readonly name: string;
  /** What a person enters. */
  readonly address: string;
  /** The list of tasks. */
  readonly list: string;
  readonly user: string;
  readonly password: string;
}

const PYTHON = '/usr/bin/python3';

async function startCrescendo(engine: 'sqlite' | 'postgres'): Promise<Server> {
  const app = await startTestApp(engine);
  const ada = await createPerson(app);
  const { token, list } = await connectApp(app, ada);
  const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  const dispose = () => app[Symbol.asyncDispose]();
  return {
    name: 'Crescendo',
    address,
    list: `${address}${list}`,
    user: ada.email,
    password: token,
    [Symbol.asyncDispose]: dispose,
  };
}

async function startRadicale(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-radicale-'));
  const host = `127.0.0.1:${await freePort()}`;
  const settings = [
    '--server-hosts',
    host,
    '--storage-filesystem-folder',
    folder,
    '--auth-type',
    'none',
    '--config',
    '',
  ];
  const child = spawn('radicale', settings, { stdio: 'ignore' });
  const address = `http://${host}`;
  await waitUntil(async () => (await fetch(address).catch(() => undefined)) !== undefined);
  const list = `${address}/ada/tasks/`;
  const body =
    '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Tasks</D:displayname>' +
    '<C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>';
  const made = await fetch(list, { method: 'MKCALENDAR', body, headers: { authorization: basic('ada', 'x') } });
  assert.equal(made.status, 201);
  const dispose = async () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: 'Radicale', address, list, user: 'ada', password: 'x', [Symbol.asyncDispose]: dispose };
}

const run = promisify(execFile);

/** Two folders that vdirsyncer keeps equal to the list, as two devices do. */
class Device {
  readonly folder = mkdtempSync(join(tmpdir(), 'crescendo-vdir-'));
  readonly #environment: NodeJS.ProcessEnv;

  constructor({ address, user, password }: Server) {
    mkdirSync(join(this.folder, 'tasks'));
    writeFileSync(
      join(this.folder, 'config'),
      `[general]\nstatus_path = "${this.folder}/status"\n[pair p]\na = "l"\nb = "r"\ncollections = ["from b"]\n` +
        `conflict_resolution = "b wins"\n[storage l]\ntype = "filesystem"\npath = "${this.folder}/lists"\nfileext = ".ics"\n` +
        `[storage r]\ntype = "caldav"\nurl = "${address}"\nusername = "${user}"\npassword = "${password}"\nitem_types = ["VTODO"]\n`,
    );
    writeFileSync(
      join(this.folder, 'todoman.py'),
      `path = "${this.folder}/lists/*"\ndate_format = "%Y-%m-%d"\ntime_format = "%H:%M"\ncache_path = "${this.folder}/cache.db"\n`,
    );
    this.#environment = {
      ...process.env,
      HOME: this.folder,
      VDIRSYNCER_CONFIG: join(this.folder, 'config'),
      LC_ALL: 'C.UTF-8',
    };
  }

  async discover(): Promise<void> {
    mkdirSync(join(this.folder, 'lists'), { recursive: true });
    const child = spawn('vdirsyncer', ['discover'], { env: this.#environment, stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    child.stdin.end('y\n'.repeat(10));
    const status = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(status, 0, said);
  }

  async sync(): Promise<void> {
    await run('vdirsyncer', ['sync'], { env: this.#environment });
  }

  async todo(...words: string[]): Promise<string> {
    const { stdout } = await run('todoman', ['--config', join(this.folder, 'todoman.py'), ...words], {
      env: this.#environment,
    });
    return stdout;
  }

  /** The texts of all tasks. */
  texts(): string[] {
    const lists = join(this.folder, 'lists');
    return readdirSync(lists).flatMap((list) =>
      readdirSync(join(lists, list))
        .filter((name) => name.endsWith('.ics'))
        .map((name) => readFileSync(join(lists, list, name), 'utf8')),
    );
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const TODAY = () => new Date().toISOString().slice(0, 10);

async function syncTwoDevices(server: Server): Promise<void> {
  const [one, two] = [new Device(server), new Device(server)];
  try {
    for (const device of [one, two]) await device.discover();
    const [list = ''] = readdirSync(join(one.folder, 'lists'));
    const name = readFileSyncOr(join(one.folder, 'lists', list, 'displayname'), list);
    await one.todo('new', '--list', name, '--due', `${TODAY()} 23:00`, 'Buy milk, eggs');
    const repeating = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//x',
      'BEGIN:VTODO',
      'UID:repeats',
      'DTSTAMP:20260301T000000Z',
      `DTSTART;VALUE=DATE:${TODAY().replaceAll('-', '')}`,
      `DUE;VALUE=DATE:${TODAY().replaceAll('-', '')}`,
      'RRULE:FREQ=DAILY',
      'SUMMARY:Pills',
      'END:VTODO',
      'END:VCALENDAR',
      '',
    ];
    writeFileSync(join(one.folder, 'lists', list, 'repeats.ics'), repeating.join('\r\n'));
    await one.sync();
    await two.sync();
    assert.ok(
      two.texts().some((text) => text.includes('SUMMARY:Buy milk\\, eggs')),
      two.texts().join('\n'),
    );
    await one.sync();
    // Edited there, seen here.
    const listed = await two.todo('list');
    const id = /^\s*(?:\[ \]\s+)?(\d+)?.*Buy milk/m.exec(listed)?.[1] ?? /(\d+).*Buy milk/.exec(listed)?.[1] ?? '1';
    await two.todo('edit', id, '--no-interactive', '--location', 'Shop').catch(() => undefined);
    await two.todo('done', /(\d+).*Pills/.exec(listed)?.[1] ?? '2');
    await two.sync();
    await one.sync();
    const texts = one.texts().filter((text) => text.includes('SUMMARY:Pills'));
    assert.equal(texts.filter((text) => text.includes('STATUS:COMPLETED')).length, 1, texts.join('\n'));
    const open = texts.filter((text) => !text.includes('STATUS:COMPLETED'));
    assert.equal(open.length, 1, texts.join('\n'));
    assert.match(open[0] ?? '', /RRULE:FREQ=DAILY/);
    assert.ok(!open[0]?.includes(`DUE;VALUE=DATE:${TODAY().replaceAll('-', '')}`), open[0] ?? '');
    // Both change the same task: one of them is told, and takes the other's.
    for (const [device, summary] of [
      [one, 'milk one'],
      [two, 'milk two'],
    ] as const) {
      const folder = join(device.folder, 'lists', list);
      const file =
        readdirSync(folder).find(
          (entry) => entry.endsWith('.ics') && readFileSync(join(folder, entry), 'utf8').includes('Buy milk'),
        ) ?? '';
      const path = join(folder, file);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/SUMMARY:.*/, `SUMMARY:${summary}`));
    }
    await one.sync();
    await two.sync();
    assert.ok(
      two.texts().some((text) => text.includes('SUMMARY:milk one')),
      two.texts().join('\n'),
    );
    // Deleted there, gone here.
    const folder = join(two.folder, 'lists', list);
    for (const file of readdirSync(folder))
      if (readFileSync(join(folder, file), 'utf8').includes('milk one')) rmSync(join(folder, file));
    await two.sync();
    await one.sync();
    assert.ok(!one.texts().some((text) => text.includes('milk')), one.texts().join('\n'));
  } finally {
    one.end();
    two.end();
  }
}

function readFileSyncOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8').trim() || otherwise;
  } catch {
    return otherwise;
  }
}

async function askAsHomeAssistant({ address, user, password }: Server): Promise<void> {
  const script = join(import.meta.dirname, '../clients/python-caldav.py');
  const { stdout } = await run(PYTHON, [script, address, user, password]);
  for (const line of stdout.trim().split('\n')) assert.match(line, / True$/);
  assert.equal(stdout.trim().split('\n').length, 8, stdout);
}

const SCRIPTS: readonly [string, readonly string[], (server: Server) => Promise<void>][] = [
  ['vdirsyncer and todoman on two devices', ['vdirsyncer', 'todoman'], syncTwoDevices],
  ['python-caldav, as Home Assistant uses it', [PYTHON], askAsHomeAssistant],
];

if (IS_FULL || process.env.CRESCENDO_CALDAV_CLIENTS !== undefined) {
  onSomeEngine('sqlite', (engine) => {
    for (const [name, programs, script] of SCRIPTS)
      for (const start of [startRadicale, () => startCrescendo(engine)])
        test(`${name}: ${start === startRadicale ? 'Radicale' : 'Crescendo'}`, async (t: TestContext) => {
          const missing = [...programs, 'radicale'].filter(
            (program) => !program.startsWith('/') && findProgram(program) === undefined,
          );
          const hasCaldav = !programs.includes(PYTHON) || spawnSync(PYTHON, ['-c', 'import caldav']).status === 0;
          if (missing.length > 0 || !hasCaldav)
            return t.diagnostic(`not installed: ${[...missing, ...(hasCaldav ? [] : ['python3-caldav'])]}`);
          const server = await start();
          await script(server).finally(() => server[Symbol.asyncDispose]());
        });
  });
}
