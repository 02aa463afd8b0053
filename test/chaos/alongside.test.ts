/** Commands on the database of a service, which is another process and writes all the time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open.ts';
import { transact } from '../../src/db/transact.ts';
import { Vault } from '../../src/keys/vault.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { hashToken, newToken } from '../../src/lib/secrets.ts';
import { runCommand } from '../support/command-line.ts';
import { createDatabase, type EngineName, onSomeEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startService } from '../support/service-process.ts';
import { sized } from '../support/size.ts';
import { VERSION } from '../support/test-app.ts';

const [FIRST, SECOND] = ['the first key of 32 characters and more', 'the second key of 32 characters and more'];
const PEOPLE = sized(60, 300);
const WRITERS = sized(4, 8);
const COMMANDS = sized(6, 40);

/** Creates users with second factors sealed with the first key; the first user is signed in. */
async function populate(engine: EngineName, url: string): Promise<{ token: string; ids: string[] }> {
  const location = engine === 'sqlite' ? { engine, file: url.slice('sqlite:'.length) } : { engine, url };
  const opening = { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') };
  const db = await openDatabase(location as Parameters<typeof openDatabase>[0], opening);
  const vault = new Vault([FIRST]);
  const [token, now] = [newToken('st_'), new Date()];
  const ids = Array.from({ length: PEOPLE }, newId);
  const users = ids.map((id, index) => ({
    id,
    email: `person-${index}@example.org`,
    display_name: null,
    keep_must_not_miss: true,
    created_at: now,
    updated_at: now,
    totp_secret: vault.seal(`totp of ${id}`, id),
    mfa_enabled_at: now,
  }));
  const expires_at = new Date(now.getTime() + 90 * 86_400_000);
  const sessions = ids.map((user_id, index) => ({
    id: newId(),
    user_id,
    token_hash: hashToken(index === 0 ? token : newToken('st_')),
    created_at: now,
    expires_at,
  }));
  await transact(db, async (trx) => {
    await trx.insertInto('users').values(users).execute();
    await trx.insertInto('sessions').values(sessions).execute();
  });
  await db.destroy();
  return { token, ids };
}

onSomeEngine('sqlite', (engine) => {
  test('while a service writes all the time, commands succeed and no request fails', async () => {
    const database = await createDatabase(engine);
    try {
      const { token, ids } = await populate(engine, database.url);
      const environment = {
        DATABASE_URL: database.url,
        SECRET_KEY: SECOND,
        SECRET_KEY_OLD: FIRST,
        LOG_LEVEL: 'error',
        ...(database.folder && { DATA_DIR: database.folder }),
      };
      await using service = await startService(environment);
      const load = startLoad(service.baseUrl, token);
      await load.acknowledged(WRITERS);

      const rotated = await runCommand(['keys', 'rotate', '--json'], environment);
      assert.equal(rotated.code, 0, rotated.out);
      assert.equal(rotated.json.data.places.second_factors.resealed, PEOPLE);
      for (const [index, id] of ids.slice(1, 1 + COMMANDS).entries()) {
        const words = [
          ['delete', id, '--yes'],
          ['mfa-off', id, '--yes'],
          ['sessions', id, '--revoke', 'all'],
        ][index % 3];
        const written = load.acknowledged(WRITERS);
        const { code, out, err } = await runCommand(['user', ...(words ?? []), '--json'], environment);
        assert.equal(code, 0, out + err);
        await written;
      }
      const { requests, failures } = await load.stop();
      assert.deepEqual(failures, []);
      const listed = await runCommand(['user', 'list', '--limit', '1000', '--json'], environment);
      assert.equal(listed.json.data.users.length, PEOPLE - Math.ceil(COMMANDS / 3));
      const writer = listed.json.data.users.find(({ id }: { id: string }) => id === ids[0]);
      assert.equal(writer.open_tasks, requests);
    } finally {
      await database.drop();
    }
  });
});

/**
 * Starts writers that each create one task after the other until `stop` is called. A refusal for overload is no failure:
 * it says that nothing was done, and on a busy machine a request may wait too long to begin.
 */
function startLoad(baseUrl: string, token: string) {
  const failures: string[] = [];
  let awaited: { readonly requests: number; readonly resolve: () => void } | undefined;
  let [requests, isStopped] = [0, false];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const write = async () => {
    while (!isStopped) {
      const response = await fetch(`${baseUrl}/v1/tasks`, { method: 'POST', headers, body: '{"title":"one more"}' });
      const text = await response.text();
      if (response.status === 200) requests += 1;
      else if (!text.includes('"overloaded: ')) failures.push(`${response.status} ${text}`);
      if (awaited && (requests >= awaited.requests || failures.length > 0)) awaited.resolve();
    }
  };
  const giveUp = (error: unknown) => {
    failures.push(String(error));
    awaited?.resolve();
  };
  const writers = Array.from({ length: WRITERS }, () => write().catch(giveUp));
  /** Resolves when so many more tasks are created, or one has failed. */
  const acknowledged = (more: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    awaited = { requests: requests + more, resolve };
    return promise;
  };
  const stop = async () => {
    isStopped = true;
    await Promise.all(writers);
    return { requests, failures };
  };
  return { acknowledged, stop };
}
