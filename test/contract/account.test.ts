import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Db } from '../../src/db/schema.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { LabelsService } from '../../src/tasks/labels/labels.service.ts';
import { createDatabase, onEveryEngineWith, onlyOn } from '../support/engines.ts';
import { receiveCode, signIn, startWithAda, verifyCode } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const PLANNED = '/v1/me/pause/planned';

/** The whole content of the database as one string. */
async function dump(db: Db): Promise<string> {
  const tables = await db.introspection.getTables();
  const contents = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(contents.map(({ rows }) => rows));
}

onEveryEngineWith(startWithAda, (it, test) => {
  it('a new account has all settings, with their defaults', async ({ app }) => {
    const ada = await signIn(app, 'ada@example.org');
    const { body } = await ada.ask('GET', '/v1/me');
    assert.deepEqual(body.data, {
      id: ada.userId,
      email: 'ada@example.org',
      display_name: null,
      timezone: 'UTC',
      quiet_hours_start: null,
      quiet_hours_end: null,
      day_start: '09:00',
      paused_until: null,
      keep_must_not_miss: true,
      welcome_back: null,
      mfa_enabled: false,
      plan: 'free',
      plan_expires_at: null,
      created_at: '2026-03-02T09:00:00.000Z',
    });
  });

  it('a change keeps omitted settings, null clears one, unknown and read-only fields are ignored', async ({ ada }) => {
    const change = {
      display_name: 'Ada',
      timezone: 'europe/AMSTERDAM',
      quiet_hours_start: '22:00',
      quiet_hours_end: '07:30',
    };
    const first = await ada.ask('PATCH', '/v1/me', { ...change, plan: 'pro', email: 'other@example.org', id: 'x' });
    assert.equal(first.status, 200);
    const { data } = first.body;
    assert.deepEqual(
      [data.display_name, data.timezone, data.plan, data.email],
      ['Ada', 'Europe/Amsterdam', 'free', ada.email],
    );
    const second = await ada.ask('PATCH', '/v1/me', { quiet_hours_start: null, day_start: '06:15' });
    assert.deepEqual([second.body.data.quiet_hours_start, second.body.data.quiet_hours_end], [null, '07:30']);
    assert.deepEqual([second.body.data.day_start, second.body.data.display_name], ['06:15', 'Ada']);
    assert.deepEqual((await ada.ask('PATCH', '/v1/me', {})).body.data, second.body.data);
    assert.deepEqual((await ada.ask('GET', '/v1/me')).body.data, second.body.data);
  });

  it('colours of labels are their own: set, kept, changed and deleted, within bounds', async ({ app, ada }) => {
    const bob = await signIn(app);
    const red = { label: 'a/b ?#..', colour: 'red' };
    const set = async (labels: object[], more = {}) => ada.ask('PUT', '/v1/labels', { labels, ...more });
    // What a newer client sends is ignored.
    assert.deepEqual((await set([{ label: 'bill', colour: 'gold', pattern: 'dots' }, red])).body.data, [
      red,
      { label: 'bill', colour: 'gold' },
    ]);
    const carried = [
      { label: 'bill', colour: 'blue' },
      { label: 'home', colour: 'teal' },
    ];
    await set(carried, { keep_existing: true });
    const kept = [red, { label: 'bill', colour: 'gold' }, { label: 'home', colour: 'teal' }];
    assert.deepEqual((await ada.ask('GET', '/v1/labels')).body.data, kept);
    await bob.ask('PUT', '/v1/labels', { labels: [{ ...red, colour: 'blue' }] });
    const twice = ['green', 'olive'].map((colour) => ({ label: 'home', colour }));
    assert.equal((await set(twice)).body.data[2].colour, 'olive', 'the last one counts');
    const gone = await ada.ask('DELETE', `/v1/labels?label=${encodeURIComponent(red.label)}`);
    assert.deepEqual(
      gone.body.data.map(({ label }: { label: string }) => label),
      ['bill', 'home'],
    );
    for (const wrong of [
      { label: 'x', colour: '#f00' },
      { label: '', colour: 'red' },
      { label: 'x'.repeat(101), colour: 'red' },
    ]) {
      assert.equal((await set([wrong])).status, 422, JSON.stringify(wrong));
    }
    const many = Array.from({ length: 499 }, (_, index) => ({ label: `label ${index}`, colour: 'red' }));
    const full = await set(many);
    assert.deepEqual([full.status, full.body.error.split(':')[0]], [409, 'too_many_labels']);
    assert.equal((await set(many.slice(1))).body.data.length, 500);
    // What an archive has beyond the bound is left out.
    await new LabelsService(app.db).restore(ada.userId, [{ label: 'one more', colour: 'red' }]);
    assert.equal((await ada.ask('GET', '/v1/labels')).body.data.length, 500);
    assert.equal(
      (await set([{ label: 'bill', colour: 'red' }])).status,
      200,
      'a label that has a colour takes another',
    );
    assert.deepEqual((await bob.ask('GET', '/v1/labels')).body.data, [{ ...red, colour: 'blue' }]);
  });

  it('an invalid setting is refused, the error names it, and nothing changes', async ({ ada }) => {
    const wrong: [string, unknown][] = [
      ...['Mars/Olympus', '+01:00', '', 'UTC+1', 'Europe'].map((zone): [string, unknown] => ['timezone', zone]),
      ...['24:00', '9:00', '09:60', '09:00:00', '', 900].map((time): [string, unknown] => ['day_start', time]),
      ...([
        ['quiet_hours_start', '25:00'],
        ['quiet_hours_end', 'late'],
        ['day_start', null],
        ['timezone', null],
      ] as [string, unknown][]),
      ...([
        ['display_name', ''],
        ['display_name', 'x'.repeat(101)],
      ] as [string, unknown][]),
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await ada.ask('PATCH', '/v1/me', {
        [field]: value,
        display_name: field === 'display_name' ? value : 'New',
      });
      assert.equal(status, 422, `${field}: ${value}`);
      assert.deepEqual(body.detail[0].loc, ['body', field]);
    }
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.display_name, null);
  });

  it('the end of a running pause can be moved, its start cannot', async ({ app, ada }) => {
    const first = await ada.ask('POST', '/v1/me/pause', { until: '2026-03-10T00:00:00Z' });
    assert.deepEqual(
      [first.body.data.paused_until, first.body.data.keep_must_not_miss],
      ['2026-03-10T00:00:00.000Z', true],
    );
    assert.equal(first.body.data.welcome_back, null);
    await app.clock.advance('1d');
    const earlier = await ada.ask('POST', '/v1/me/pause', { until: '2026-03-04T00:00:00Z', keep_must_not_miss: false });
    assert.deepEqual(
      [earlier.body.data.paused_until, earlier.body.data.keep_must_not_miss],
      ['2026-03-04T00:00:00.000Z', false],
    );
    await app.clock.advance('1d');
    const { body } = await ada.ask('GET', '/v1/me');
    assert.equal(body.data.paused_until, null);
    assert.deepEqual(body.data.welcome_back, {
      paused_from: '2026-03-02T09:00:00.000Z',
      paused_until: '2026-03-04T00:00:00.000Z',
      held: 0,
    });
  });

  it('the welcome-back card shows from the end of a pause until it is acknowledged, once per pause', async (service) => {
    const { app, ada } = service;
    const card = async () => (await ada.ask('GET', '/v1/me')).body.data.welcome_back;
    const acknowledge = () => ada.ask('POST', '/v1/me/pause/ack');
    assert.equal((await acknowledge()).status, 200);
    await ada.ask('POST', '/v1/me/pause', { until: '2026-03-05T00:00:00Z' });
    assert.equal((await acknowledge()).body.data.paused_until, '2026-03-05T00:00:00.000Z');
    await app.clock.advance('1h');
    const ended = await ada.ask('DELETE', '/v1/me/pause');
    assert.equal(ended.body.data.paused_until, null);
    assert.equal(ended.body.data.welcome_back.paused_until, '2026-03-02T10:00:00.000Z');
    await app.clock.advance('1h');
    assert.deepEqual((await ada.ask('DELETE', '/v1/me/pause')).body.data.welcome_back, ended.body.data.welcome_back);
    assert.ok(await card());
    assert.equal((await acknowledge()).body.data.welcome_back, null);
    assert.equal((await acknowledge()).body.data.welcome_back, null);
    assert.equal(await card(), null);
    await ada.ask('POST', '/v1/me/pause', { until: '2026-03-03T00:00:00Z' });
    assert.equal(await card(), null);
    await app.clock.advance('1d');
    assert.ok(await card());
  });

  it('a new pause keeps the welcome-back card of earlier pauses until it is acknowledged', async ({ app, ada }) => {
    const pause = (until: string) => ada.ask('POST', '/v1/me/pause', { until });
    const settings = async () => (await ada.ask('GET', '/v1/me')).body.data;
    const acknowledge = () => ada.ask('POST', '/v1/me/pause/ack');
    await ada.ask('POST', '/v1/tasks', { title: 'held', due_at: '2026-03-02T10:00:00Z', has_time: true });
    await pause('2026-03-02T12:00:00Z');
    await app.clock.advance('4h');
    const first = { paused_from: '2026-03-02T09:00:00.000Z', paused_until: '2026-03-02T12:00:00.000Z', held: 1 };
    assert.deepEqual((await settings()).welcome_back, first);

    // While the second pause runs, also after its end was moved.
    const second = await pause('2026-03-05T00:00:00Z');
    assert.deepEqual(second.body.data.welcome_back, first);
    const moved = await pause('2026-03-04T00:00:00Z');
    assert.deepEqual([moved.body.data.paused_until, moved.body.data.welcome_back], ['2026-03-04T00:00:00.000Z', first]);
    // After both, one card covers both, and a third pause keeps it.
    await app.clock.advance('2d');
    const both = { ...first, paused_until: '2026-03-04T00:00:00.000Z', held: 2 };
    assert.deepEqual((await settings()).welcome_back, both);
    await pause('2026-03-10T00:00:00Z');
    const { held: _, ...covered } = (await settings()).welcome_back;
    assert.deepEqual(covered, { paused_from: both.paused_from, paused_until: both.paused_until });

    // Acknowledging the card leaves the running pause alone.
    const acknowledged = (await acknowledge()).body.data;
    assert.deepEqual([acknowledged.welcome_back, acknowledged.paused_until], [null, '2026-03-10T00:00:00.000Z']);
    const ended = (await ada.ask('DELETE', '/v1/me/pause')).body.data;
    assert.equal(ended.welcome_back.paused_from, '2026-03-04T13:00:00.000Z');
    assert.equal((await acknowledge()).body.data.welcome_back, null);
    assert.equal((await settings()).welcome_back, null);
  });

  it("the end of a pause must be in the future, and without an offset it is read in the user's time zone", async (service) => {
    const { ada } = service;
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    for (const until of ['2026-03-02T09:00:00Z', '2020-01-01T00:00:00', '2026-03-02T03:59:59']) {
      const { status, body } = await ada.ask('POST', '/v1/me/pause', { until });
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', 'until']], until);
    }
    const inTheGap = await ada.ask('POST', '/v1/me/pause', { until: '2026-03-08T02:30:00' });
    assert.equal(inTheGap.body.data.paused_until, '2026-03-08T07:30:00.000Z');
    const away = await ada.ask('POST', '/v1/me/pause', { until: '2026-03-08T02:30:00+05:45' });
    assert.equal(away.body.data.paused_until, '2026-03-07T20:45:00.000Z');
  });

  it('a pause can be planned, replaced and cancelled, and the settings show it only from its start on', async (service) => {
    const { app, ada } = service;
    const settings = async () => (await ada.ask('GET', '/v1/me')).body.data;
    const planned = async () => (await ada.ask('GET', PLANNED)).body.data.planned_pause;
    const plan = async (body: object) => (await ada.ask('PUT', PLANNED, body)).body.data.planned_pause;

    assert.equal(await planned(), null);
    const unplanned = await settings();
    await plan({ from: '2026-03-20T00:00:00Z', until: '2026-03-21T00:00:00Z' });
    const away = { from: '2026-03-10T00:00:00.000Z', until: '2026-03-12T00:00:00.000Z', keep_must_not_miss: false };
    assert.deepEqual(await plan({ ...away }), away);
    assert.deepEqual(await planned(), away);
    assert.deepEqual(await settings(), unplanned);
    await ada.ask('POST', '/v1/me/pause/ack');
    assert.equal((await ada.ask('DELETE', '/v1/me/pause')).body.data.paused_until, null);
    assert.deepEqual(await planned(), away, 'nothing of the running pause touches the planned one');
    const exported = (await ada.ask('GET', '/v1/me/export')).body.data.settings;
    assert.deepEqual(exported.planned_pause, away);

    await app.clock.advance('8d');
    const during = await settings();
    assert.deepEqual([during.paused_until, during.keep_must_not_miss, await planned()], [away.until, false, null]);
    assert.equal((await ada.ask('DELETE', PLANNED)).status, 200);
    assert.equal((await settings()).paused_until, away.until, 'a pause that has begun is not cancelled');
    await app.clock.advance('2d');
    const after = await settings();
    assert.deepEqual(
      [after.paused_until, after.welcome_back],
      [null, { paused_from: away.from, paused_until: away.until, held: 0 }],
    );

    await plan({ from: '2026-03-20T00:00:00Z', until: '2026-03-21T00:00:00Z' });
    for (const attempt of ['cancels', 'cancels again']) {
      const { status, body } = await ada.ask('DELETE', PLANNED);
      assert.deepEqual([status, body.data], [200, { planned_pause: null }], attempt);
    }
    assert.equal(await planned(), null);
    await app.clock.advance('9d');
    assert.equal((await settings()).paused_until, null);
  });

  it("a planned pause begins in the future and ends after it begins, read in the user's time zone, and a move keeps its instants", async (service) => {
    const { ada } = service;
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const WRONG: readonly (readonly [string, string, string])[] = [
      ['2026-03-02T09:00:00Z', '2026-03-03T00:00:00Z', 'from'],
      ['2026-03-02T03:59:59', '2026-03-03T00:00:00', 'from'],
      ['2026-03-05T00:00:00Z', '2026-03-05T00:00:00Z', 'until'],
      ['2026-03-05T00:00:00Z', '2026-03-04T00:00:00Z', 'until'],
      ['2026-02-30T00:00:00Z', '2026-03-04T00:00:00Z', 'from'],
    ];
    for (const [from, until, field] of WRONG) {
      const { status, body } = await ada.ask('PUT', PLANNED, { from, until });
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', field]], `${from} – ${until}`);
    }
    assert.equal((await ada.ask('PUT', PLANNED, { until: '2026-03-05T00:00:00Z' })).status, 422);
    // The clock in New York is set from 02:00 to 03:00 on 8 March.
    await ada.ask('PUT', PLANNED, { from: '2026-03-07T00:00:00', until: '2026-03-08T02:30:00' });
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    assert.deepEqual((await ada.ask('GET', PLANNED)).body.data.planned_pause, {
      from: '2026-03-07T05:00:00.000Z',
      until: '2026-03-08T07:30:00.000Z',
      keep_must_not_miss: true,
    });
  });

  it('an access token is shown once, listed without its value, and refused once revoked or expired', async (service) => {
    const { app, ada } = service;
    const bob = await signIn(app);
    const minted = await ada.ask('POST', '/v1/tokens', { name: 'Agent', expires_at: '2026-03-02T11:00:00Z' });
    const { token, ...shown } = minted.body.data;
    assert.match(token, /^pk_[\w-]{43}$/);
    assert.deepEqual(Object.keys(shown), [
      'id',
      'name',
      'scopes',
      'prefix',
      'created_at',
      'last_used_at',
      'expires_at',
      'max_stage',
      'max_open_tasks',
    ]);
    assert.deepEqual([shown.scopes, shown.prefix], [['tasks:read'], token.slice(0, 11)]);
    assert.deepEqual((await ada.ask('GET', '/v1/tokens')).body.data, [{ ...shown, client: null }]);
    assert.deepEqual((await bob.ask('GET', '/v1/tokens')).body.data, []);
    assert.equal((await ada.ask('GET', '/v1/me', undefined, token)).status, 200);
    assert.equal((await bob.ask('DELETE', `/v1/tokens/${shown.id}`)).status, 404);
    await app.clock.advance('2h');
    assert.equal((await ada.ask('GET', '/v1/me', undefined, token)).status, 401);

    const second = await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:write', 'settings:write'] });
    const paused = await ada.ask('POST', '/v1/me/pause', { until: '2026-03-09T00:00:00Z' }, second.body.data.token);
    assert.equal(paused.status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/tokens/${second.body.data.id}`)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/tokens/${second.body.data.id}`)).status, 404);
    assert.equal((await ada.ask('POST', '/v1/me/pause/ack', undefined, second.body.data.token)).status, 401);
  });

  test('last_used_at of a token is accurate to the minute, without a write per request', async ({ app, ada }) => {
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const use = async () => {
      await ada.ask('GET', '/v1/me', undefined, token);
      return (await ada.ask('GET', '/v1/tokens')).body.data[0].last_used_at;
    };
    const first = await use();
    assert.equal(first, app.clock.now().toISOString());
    await app.clock.advance('59s');
    assert.equal(await use(), first);
    await app.clock.advance('1s');
    assert.equal(await use(), app.clock.now().toISOString());
  });

  it('a token with invalid scopes, name or expiry is not minted', async ({ ada }) => {
    const wrong = [
      { scopes: [] },
      { scopes: ['tasks:admin'] },
      { scopes: ['tasks:read', 'tasks:read'] },
      { scopes: 'tasks:read' },
      { name: '' },
      { name: 'x'.repeat(101) },
      { expires_at: '2026-03-02T09:00:00Z' },
      { expires_at: 'never' },
    ];
    for (const body of wrong)
      assert.equal((await ada.ask('POST', '/v1/tokens', body)).status, 422, JSON.stringify(body));
    assert.deepEqual((await ada.ask('GET', '/v1/tokens')).body.data, []);
  });

  test('deleting an account deletes all its data at once, and no data of other accounts', async ({ app }) => {
    const bob = await signIn(app);
    // Every account may use a key of its own choice, so two may use the same.
    const useKey = ({ sessionToken }: typeof bob) => {
      const headers = { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'the same' };
      return app.ask({ method: 'POST', url: '/v1/me/pause/ack', headers });
    };
    await useKey(bob);
    const before = await dump(app.db);
    const ada = await signIn(app, 'ada@example.org');
    await useKey(ada);
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await ada.ask('POST', '/v1/auth/mfa/enroll');
    const url = 'https://example.org/hook';
    const made = await ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url } });
    const code = { channel_id: made.body.data.channel.id, code_hash: 'x', tries: 0, expires_at: app.clock.now() };
    await app.db.insertInto('channel_codes').values(code).execute();
    await ada.ask('PUT', '/v1/labels', { labels: [{ label: 'bill', colour: 'red' }] });
    const pendingCode = await receiveCode(app, 'ada@example.org');
    assert.deepEqual((await ada.ask('DELETE', '/v1/me')).body.data, { deleted: true });
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/me', undefined, token)).status, 401);
    assert.equal((await bob.ask('GET', '/v1/me')).status, 200);
    assert.equal((await verifyCode(app, 'ada@example.org', pendingCode)).status, 401);
    await app.db.deleteFrom('throttles').execute();
    assert.equal(await dump(app.db), before.replace(/\[\{"key":.*?\}\]/, '[]'));
    const returned = await signIn(app, 'ada@example.org');
    assert.notEqual(returned.userId, ada.userId);
  });

  test('neither the database nor the log contains a usable token, code or secret', async ({ app }) => {
    const ada = await signIn(app, 'ada@example.org');
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const code = await receiveCode(app, 'grace@example.org');
    const copy = await dump(app.db);
    assert.ok(copy.includes('ada@example.org'));
    for (const usable of [ada.sessionToken, token, token.slice(11), secret, code])
      assert.ok(!copy.includes(usable), usable);
    for (const line of app.log) {
      for (const usable of [ada.sessionToken, token, secret, code]) assert.ok(!JSON.stringify(line).includes(usable));
    }
  });

  it('every sign-in and change of access leaves one audit line: who, from where, with which result', async (service) => {
    const { app } = service;
    const ada = await signIn(app, 'ada@example.org');
    await verifyCode(app, 'ada@example.org', 'wrong');
    const { id } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await ada.ask('DELETE', `/v1/tokens/${id}`);
    await ada.ask('POST', '/v1/auth/mfa/enroll');
    await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: '000000' });
    await ada.ask('DELETE', '/v1/me');
    const lines = app.log.filter(({ audit }) => audit).map(({ audit, result }) => `${audit}: ${result}`);
    assert.deepEqual(lines, [
      'code_requested: ok',
      'sign_in: ok',
      'sign_in: wrong',
      'token_minted: ok',
      'token_revoked: ok',
      'mfa_enrolled: ok',
      'mfa_enabled: wrong',
      'account_deleted: ok',
    ]);
    for (const line of app.log.filter(({ audit }) => audit)) {
      assert.equal(line.address, '127.0.0.1');
      assert.ok(line.user_id === ada.userId || line.email === 'ada@example.org');
    }
  });
});

onlyOn('sqlite', () => {
  test('what an account wrote cannot be read from the files after its deletion', async () => {
    await using parts = new AsyncDisposableStack();
    const database = parts.adopt(await createDatabase('sqlite'), (made) => made.drop());
    const app = parts.use(await startTestApp('sqlite', { databaseUrl: database.url }));
    const ada = await signIn(app, 'zyxada@example.org');
    const SECRETS = ['zyxada', 'Zyxtitle', 'Zyxold', 'Zyxnotes', 'Zyxspace', 'Zyxlabel'];
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'Zyxspace' })).body.data;
    for (let index = 0; index < 40; index += 1) {
      const task = {
        title: `Zyxold ${index}`,
        notes: `Zyxnotes ${'x'.repeat(6000)}`,
        kind: 'Zyxlabel',
        space_id: space.id,
      };
      const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
      await ada.ask('PATCH', `/v1/tasks/${id}`, { title: `Zyxtitle ${index}` });
    }
    assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    await app.clock.advance('1m');
    await new Housekeeping(app.db, app.clock).runOnce();
    const files = readdirSync(database.folder ?? '').map((name) =>
      readFileSync(join(database.folder ?? '', name), 'latin1'),
    );
    const left = SECRETS.filter((secret) => files.some((content) => content.includes(secret)));
    assert.deepEqual(left, []);
  });
});
