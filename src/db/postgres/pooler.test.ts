import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { createLogger } from '../../lib/logger.ts';
import { findMissingSettings, reportSharedSessions } from './pooler.ts';

const URL = 'postgres://localhost/x';
const WANTED = { jit: 'off', statement_timeout: '8000' };

/** A server on which the first client gets another session from this attempt on; never, if it has one of its own. */
function serve({ mock }: TestContext, sharedFrom: number, resets: Readonly<Record<string, string>> = {}) {
  const ended = new Set<pg.Client>();
  const clients: pg.Client[] = [];
  let attempts = 0;
  mock.method(pg.Client.prototype, 'connect', async function (this: pg.Client) {
    clients.push(this);
  });
  mock.method(pg.Client.prototype, 'end', async function (this: pg.Client) {
    ended.add(this);
  });
  mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, text: string) {
    if (text === 'begin') attempts += 1;
    if (text.includes('pg_backend_pid')) return { rows: [{ pid: attempts >= sharedFrom ? 2 : 1 }] };
    const rows = Object.entries(resets).map(([name, reset_val]) => ({ name, reset_val, role: '"a role"' }));
    return { rows: text.includes('pg_settings') ? rows : [] };
  });
  const warnings: { msg: string; statements?: string[] }[] = [];
  const logger = createLogger('warn', { write: (line) => void warnings.push(JSON.parse(line)) });
  return { warnings, logger, isOver: () => ended.size === 2 && clients.every((client) => ended.has(client)) };
}

test('where each client has a session of its own, nothing is missing, whatever the role has', async (t) => {
  const { warnings, logger, isOver } = serve(t, Number.POSITIVE_INFINITY, { jit: 'on' });
  assert.equal(await findMissingSettings(URL, WANTED), undefined);
  assert.ok(isOver());
  assert.equal(await reportSharedSessions(URL, WANTED, logger), false);
  assert.deepEqual(warnings, []);
});

test('where sessions are shared, also if the first attempts miss it, the settings that the role lacks are told', async (t) => {
  const { warnings, logger, isOver } = serve(t, 5, { jit: 'on', statement_timeout: '8000' });
  assert.equal(await reportSharedSessions(URL, WANTED, logger), true);
  assert.ok(isOver());
  assert.deepEqual(
    warnings.map(({ statements }) => statements),
    [[`alter role "a role" set jit = 'off'`]],
  );
});

test('sessions that are shared with all settings are no reason for a line, and what could not be asked counts as shared', async (t) => {
  const { warnings, logger } = serve(t, 1, WANTED);
  assert.equal(await reportSharedSessions(URL, WANTED, logger), true);
  assert.equal(warnings.length, 0);
  t.mock.method(pg.Client.prototype, 'connect', () => Promise.reject(new Error('no more connections')));
  assert.equal(await reportSharedSessions(URL, WANTED, logger), true);
  assert.match(warnings[0]?.msg ?? '', /could not be checked/);
});
