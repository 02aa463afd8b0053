/** Backup and restore with a real service that is being written to, and what the two must never do. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { generateSync } from 'otplib';
import { copySnapshot } from '../../src/cli/backup/snapshot.ts';
import { openDatabase } from '../../src/db/open.ts';
import { lockFile } from '../../src/db/sqlite/sqlite-files.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { runCommand } from '../support/command-line.ts';
import { spawnCommand } from '../support/command-process.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onlyOn } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { sized, testInFull } from '../support/size.ts';
import { testAsSuperuser } from '../support/superuser.ts';
import { VERSION } from '../support/test-app.ts';

const TASKS = sized(2_000, 20_000);

/** A folder for a database. */
class Home implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  readonly data = join(this.folder, 'data');
  readonly database = join(this.data, 'crescendo.db');
  readonly environment = { DATA_DIR: this.data, HOST: '127.0.0.1' };

  at(name: string): string {
    return join(this.folder, name);
  }

  async fill(tasks: number): Promise<void> {
    const opening = { version: VERSION, clock: systemClock(), logger: createLogger('silent') };
    const db = await openDatabase({ engine: 'sqlite', file: this.database }, opening);
    await insertDueTasks(db, { tasks, owners: 10, dueAt: new Date(Date.now() + 86_400_000) });
    await db.destroy();
  }

  /** Every file with its content, except the lock, which is empty. */
  files(): Record<string, string> {
    const names = existsSync(this.data) ? readdirSync(this.data).filter((name) => this.#holdsSomething(name)) : [];
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.data, name), 'latin1')]));
  }

  #holdsSomething(name: string): boolean {
    return !name.endsWith('.lock') && existsSync(join(this.data, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Client {
  readonly #service: ServiceProcess;
  token = '';

  constructor(service: ServiceProcess, token = '') {
    this.#service = service;
    this.token = token;
  }

  async ask(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const answer = await fetch(this.#service.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a client without our types would.
    return { status: answer.status, data: ((await answer.json()) as any).data };
  }

  async proveEmail(email: string) {
    await this.ask('POST', '/v1/auth/email/request', { email });
    const code = [...this.#service.stdout.matchAll(/Your sign-in code is (\d{6})/g)].at(-1)?.[1];
    return (await this.ask('POST', '/v1/auth/email/verify', { email, code })).data;
  }
}

const appCode = (secret: string) => generateSync({ secret });

async function enrol(ada: Client): Promise<string> {
  const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).data;
  const confirmed = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(secret) });
  assert.equal(confirmed.status, 200);
  return secret;
}

/** Eight concurrent writers, until `stop` is called. */
function keepWriting(ada: Client) {
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const { status, data } = await ada.ask('POST', '/v1/tasks', { title: 'pills' });
      assert.equal(status, 200);
      acknowledged.push(data.id);
    }
  };
  const writers = Promise.all(Array.from({ length: 8 }, write));
  const stop = async () => {
    isOver = true;
    await writers;
  };
  return { acknowledged, stop };
}

/** The names of what is stored about the installation. */
function factsIn(file: string): unknown[] {
  using db = new DatabaseSync(file, { readOnly: true });
  return db
    .prepare('select name from installation')
    .all()
    .map(({ name }) => name);
}

function idsIn(file: string): Set<string> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    assert.deepEqual(db.prepare('pragma foreign_key_check').all(), []);
    return new Set(
      db
        .prepare('select id from tasks')
        .all()
        .map(({ id }) => String(id)),
    );
  } finally {
    db.close();
  }
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

async function madeBackup(home: Home, tasks = 20): Promise<string> {
  await home.fill(tasks);
  writeFileSync(join(home.data, 'secret.key'), `${'k'.repeat(40)}\n`, { mode: 0o600 });
  const file = home.at('backup');
  const { code, err } = await runCommand(['backup', file], home.environment);
  assert.equal(code, 0, err);
  return file;
}

onlyOn('sqlite', () => {
  test('a backup under load holds every write that was acknowledged before it started, and restores a working service', async () => {
    using home = new Home();
    using other = new Home();
    await home.fill(TASKS);
    const file = home.at('backup');
    let ada: Client;
    let secret: string;
    let vapidKey: unknown;
    {
      await using service = await startService(home.environment);
      ada = new Client(service);
      ada.token = (await ada.proveEmail('ada@example.org')).session_token;
      secret = await enrol(ada);
      vapidKey = (await ada.ask('GET', '/v1/devices/vapid-key')).data.public_key;
      const writing = keepWriting(ada);
      for (let written = 0; written < 100; written = writing.acknowledged.length) await ada.ask('GET', '/v1/me');
      const before = [...writing.acknowledged];
      const { code, stderr, stdout } = await spawnCommand(['backup', file, '--json'], home.environment);
      const during = writing.acknowledged.length - before.length;
      await writing.stop();
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout).data.keys, ['secret.key', 'vapid.key']);
      assert.ok(during > 0, 'nothing was written during the backup');
      const held = idsIn(file);
      assert.deepEqual(
        before.filter((id) => !held.has(id)),
        [],
      );
      assert.ok(held.size >= TASKS + before.length);
    }
    assert.equal(modeOf(file), '600');
    assert.deepEqual(readdirSync(home.folder).toSorted(), ['backup', 'data']);

    chmodSync(file, 0o644);
    const restored = await spawnCommand(['restore', file], other.environment);
    assert.equal(restored.code, 0, restored.stderr);
    // The time since the backup is no outage.
    assert.ok(factsIn(file).includes('sign_of_life'));
    assert.ok(!factsIn(other.database).includes('sign_of_life'));
    for (const name of ['crescendo.db', 'secret.key', 'vapid.key'])
      assert.equal(modeOf(join(other.data, name)), '600', name);
    assert.doesNotMatch(
      readFileSync(other.database, 'latin1'),
      new RegExp(readFileSync(join(other.data, 'secret.key'), 'utf8').trim()),
    );
    await using service = await startService(other.environment);
    const again = new Client(service, ada.token);
    assert.equal((await again.ask('GET', '/v1/me')).data.email, 'ada@example.org');
    assert.equal((await again.ask('GET', '/v1/devices/vapid-key')).data.public_key, vapidKey);
    const { status, mfa_token } = await again.proveEmail('ada@example.org');
    assert.equal(status, 'mfa_required');
    const verified = await again.ask('POST', '/v1/auth/mfa/verify', { mfa_token, code: appCode(secret) });
    assert.equal(verified.data.status, 'authenticated');
    assert.equal((await again.ask('POST', '/v1/tasks', { title: 'after' })).status, 200);
  });

  test('a backup is the state of one moment and never starts over, however much is written during it', async () => {
    using home = new Home();
    await home.fill(20_000);
    const writer = new DatabaseSync(home.database);
    const write = () => writer.exec('insert into throttles values (lower(hex(randomblob(8))), 1, 0)');
    write();
    const steps: number[] = [];
    const progress = (percent: number) => {
      // The limit keeps a copy that starts over at each write from running forever.
      if (steps.push(percent) < 50) write();
    };
    const { signal } = new AbortController();
    const moment = await copySnapshot(home.database, home.at('copy'), { signal, progress }, () => 'this one');
    assert.equal(moment, 'this one');
    assert.ok(steps.length > 1);
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
    const copy = new DatabaseSync(home.at('copy'));
    assert.deepEqual({ ...copy.prepare('select count(*) as rows from throttles').get() }, { rows: 1 });
    for (const db of [writer, copy]) db.close();
  });

  test('an interrupted backup leaves nothing behind', async () => {
    using home = new Home();
    await home.fill(20_000);
    const typed = await runCommand(['backup', home.at('backup')], home.environment, {
      onStderr: (_line, interrupt) => interrupt(),
    });
    assert.deepEqual([typed.code, typed.err.split('\n').at(-2)], [1, 'Stopped. No backup was written.']);
    assert.deepEqual(readdirSync(home.folder), ['data']);
  });

  test('a backup overwrites nothing, creates no database, and on PostgreSQL points to pg_dump', async () => {
    using home = new Home();
    const missing = await runCommand(['backup', home.at('backup')], home.environment);
    assert.match(missing.err, /^There is no database at .*crescendo\.db\.\n$/);
    assert.deepEqual(readdirSync(home.folder), []);
    const file = await madeBackup(home);
    const before = readFileSync(file);
    const taken = await runCommand(['backup', file], home.environment);
    assert.deepEqual([taken.code, taken.err], [1, `${file} already exists and is not overwritten.\n`]);
    assert.deepEqual(readFileSync(file), before);
    const nowhere = await runCommand(['backup', home.at('none/backup')], home.environment);
    assert.match(nowhere.err, /^There is no folder .*none\.\n$/);
    const settings = { DATABASE_URL: 'postgres://u@127.0.0.1:1/d', SECRET_KEY: 'k'.repeat(40) };
    assert.match((await runCommand(['backup', 'f'], settings)).err, /pg_dump --format=custom/);
  });

  test('a foreign or empty database is not backed up, and a backup never replaces a file of the database', async () => {
    using home = new Home();
    mkdirSync(home.data);
    const refusal = async (file = home.at('backup')) => {
      const { code, out, err } = await runCommand(['backup', file], home.environment);
      assert.deepEqual([code, out], [1, '']);
      assert.deepEqual(readdirSync(home.folder), ['data']);
      return err;
    };
    writeFileSync(home.database, '');
    assert.match(await refusal(), /^.*crescendo\.db is empty: there is nothing to back up\.\n$/);
    execute(home.database, 'create table albums (id integer)');
    assert.match(await refusal(), /this database belongs to another application: it has a table "albums"/);
    rmSync(home.database);
    await home.fill(1);
    const names = ['', '-wal', '-shm', '-journal', '.lock'].map((side) => home.database + side);
    for (const name of names) assert.match(await refusal(name), /is a file of the database itself/);
    symlinkSync(home.data, home.at('data/link'));
    assert.match(await refusal(join(home.data, 'link/crescendo.db-wal')), /is a file of the database itself/);
  });

  test('a missing key is reported in JSON too', async () => {
    using home = new Home();
    await home.fill(1);
    const { code, out, err } = await runCommand(['backup', home.at('backup'), '--json'], home.environment);
    const { warnings } = JSON.parse(out).data;
    assert.deepEqual([code, warnings.length, err.includes(`Warning: ${warnings[0]}`)], [0, 1, true]);
    assert.match(warnings[0], /^there is no key in /);
  });

  test('a backup that was copied into place is refused by every command, and can still be restored', async () => {
    using home = new Home();
    using other = new Home();
    const file = await madeBackup(home);
    mkdirSync(other.data);
    copyFileSync(file, other.database);
    const before = other.files();
    for (const words of [['migrate'], ['user', 'list'], ['backup', other.at('backup')], ['keys', 'rotate']]) {
      const { code, err } = await runCommand(words, other.environment);
      assert.equal(code, 1);
      assert.match(
        err,
        /^DATABASE_URL: this is a backup that was copied into place, .* "crescendo restore FILE"\.\n$/m,
      );
    }
    assert.deepEqual(other.files(), before);
    renameSync(other.database, other.at('backup'));
    assert.equal((await runCommand(['restore', other.at('backup')], other.environment)).code, 0);
    assert.equal((await runCommand(['user', 'list'], other.environment)).code, 0);
  });

  testInFull('a closed terminal leaves no partial backup', async () => {
    using home = new Home();
    await home.fill(3 * TASKS);
    const backUp = () => spawnCommand(['backup', home.at('backup')], home.environment, (child) => child.kill('SIGHUP'));
    let ended = await backUp();
    // On a busy machine the backup may be complete before the signal arrives.
    for (let attempts = 1; ended.code === 0 && attempts < 10; attempts += 1) {
      rmSync(home.at('backup'));
      ended = await backUp();
    }
    assert.deepEqual([ended.code, ended.stderr.split('\n').at(-2)], [1, 'Stopped. No backup was written.']);
    assert.deepEqual(readdirSync(home.folder), ['data']);
  });

  test('a damaged database is not backed up', async () => {
    using home = new Home();
    await home.fill(5_000);
    damage(home.database);
    const { code, err } = await runCommand(['backup', home.at('backup')], home.environment);
    assert.equal(code, 1);
    assert.match(err, /^The database is damaged, so no backup was written: (?!\*)/m);
    assert.deepEqual(readdirSync(home.folder), ['data']);
  });

  describe('a restore refuses in one line and changes nothing', () => {
    const cases: [string, (home: Home, file: string) => void, RegExp, Record<string, string>?][] = [
      ['where a database exists', (home) => put(home, 'crescendo.db', 'something'), /crescendo\.db already exists/],
      ['where a side file exists', (home) => put(home, 'crescendo.db-wal', 'x'), /crescendo\.db-wal already exists/],
      [
        'where another key exists',
        (home) => put(home, 'secret.key', 'other'),
        /secret\.key already exists with another key/,
      ],
      ['a missing file', (_, file) => rmSync(file), /^There is no file/],
      ['a file that is not a database', (_, file) => writeFileSync(file, 'hello'), /is not a backup of Crescendo/],
      ['a plain copy', (_, file) => execute(file, 'drop table crescendo_backup'), /is not a backup of Crescendo/],
      ['a damaged backup', (_, file) => damage(file), /is damaged: (?!\*)/],
      [
        'a backup that lacks a table',
        (_, file) => execute(file, 'drop table releases'),
        /backup is not a complete backup of Crescendo: no such table: releases/,
      ],
      [
        'where a key is a broken link',
        (home) => {
          mkdirSync(home.data);
          symlinkSync('/nowhere/secret.key', join(home.data, 'secret.key'));
        },
        /secret\.key is a broken link/,
      ],
      [
        'a newer backup',
        (_, file) => execute(file, NEWER),
        /is newer than Crescendo .* last used by Crescendo 9\.0\.0/,
      ],
      [
        'under another SECRET_KEY',
        () => undefined,
        /^SECRET_KEY is not the key .* leave it unset/,
        { SECRET_KEY: 'x'.repeat(40) },
      ],
    ];
    const source = new Home();
    before(() => madeBackup(source, 1_000));
    after(() => source[Symbol.dispose]());
    for (const [situation, spoil, expected, settings = {}] of cases) {
      test(situation, async () => {
        using home = new Home();
        using other = new Home();
        const file = home.at('backup');
        copyFileSync(source.at('backup'), file);
        spoil(other, file);
        const before = other.files();
        const { code, out, err } = await runCommand(['restore', file], { ...other.environment, ...settings });
        assert.deepEqual([code, out], [1, '']);
        assert.match(err, /^[^\n]+\n$/);
        assert.match(err, expected);
        assert.deepEqual(other.files(), before);
      });
    }

    test('while a service holds the lock', async () => {
      using home = new Home();
      using other = new Home();
      const file = await madeBackup(home);
      mkdirSync(other.data);
      const lock = lockFile(other.database);
      const { code, err } = await runCommand(['restore', file], other.environment);
      lock.close();
      assert.deepEqual([code, err], [1, `DATABASE_URL: another process already has ${other.database} open.\n`]);
      assert.deepEqual(other.files(), {});
    });
  });

  test('a restore follows a link, even to a file that does not exist yet', async () => {
    using home = new Home();
    using other = new Home();
    const file = await madeBackup(home);
    mkdirSync(other.data);
    symlinkSync(other.at('disk/real.db'), other.database);
    const { code, err } = await runCommand(['restore', file], other.environment);
    assert.equal(code, 0, err);
    assert.ok(lstatSync(other.database).isSymbolicLink());
    assert.equal(idsIn(other.at('disk/real.db')).size, 20);
    assert.deepEqual(readdirSync(other.at('disk')), ['real.db', 'real.db.lock']);
  });

  testAsSuperuser('files restored by root belong to the owner of the folder', async () => {
    using home = new Home();
    using other = new Home();
    const file = await madeBackup(home);
    mkdirSync(other.data);
    chownSync(other.data, 65_534, 65_534);
    assert.equal((await runCommand(['restore', file], other.environment)).code, 0);
    const names = readdirSync(other.data);
    assert.deepEqual(names, ['crescendo.db', 'crescendo.db.lock', 'secret.key']);
    for (const name of names) assert.equal(statSync(join(other.data, name)).uid, 65_534, name);
  });

  test('a restore that was interrupted after the keys can be run again', async () => {
    using home = new Home();
    using other = new Home();
    const file = await madeBackup(home);
    put(other, 'secret.key', `${'k'.repeat(40)}\n`);
    put(other, 'crescendo.db.restoring', 'half of it');
    put(other, 'crescendo.db', '');
    const { code, err } = await runCommand(['restore', file], other.environment);
    assert.equal(code, 0, err);
    assert.equal(idsIn(other.database).size, 20);
    assert.deepEqual(Object.keys(other.files()), ['crescendo.db', 'secret.key']);
  });

  test('a key from the environment is not in the backup, and the restore requires it', async () => {
    using home = new Home();
    using other = new Home();
    await home.fill(1);
    const [key, file] = ['a key that only the environment knows', home.at('backup')];
    assert.equal((await runCommand(['backup', file], { ...home.environment, SECRET_KEY: key })).code, 0);
    assert.ok(!readFileSync(file, 'latin1').includes(key));
    const without = await runCommand(['restore', file], other.environment);
    assert.match(
      without.err,
      /^SECRET_KEY is not the key .*: set it to the value it had then\. Or add --other-keys\.\n$/,
    );
    const copy = home.at('copy');
    copyFileSync(file, copy);
    using third = new Home();
    assert.equal((await runCommand(['restore', copy, '--other-keys'], third.environment)).code, 0);
    assert.equal((await runCommand(['restore', file], { ...other.environment, SECRET_KEY: key })).code, 0);
  });
});

const NEWER = `insert into kysely_migration values ('9999-later', '2030');
  insert into releases values ('9.0.0', 99999999999999)`;

function put(home: Home, name: string, content: string): void {
  mkdirSync(home.data, { recursive: true });
  writeFileSync(join(home.data, name), content);
}

function execute(file: string, statements: string): void {
  const db = new DatabaseSync(file);
  db.exec(statements);
  db.close();
}

/** Zeroes a page in the middle, as a dying disk would. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.length / 8_192) * 4_096;
  writeFileSync(file, bytes.fill(0, page, page + 4_096));
}
