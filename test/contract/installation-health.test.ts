/** What administrators read of the installation: its processes, releases and last outage. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HealthSources, readInstallationHealth } from '../../src/admin/installation-health.ts';
import { setFact } from '../../src/db/installation.ts';
import { onlyOn } from '../support/engines.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  test('engines are counted without the processes that only answer, and the newest five releases come first', async () => {
    const { db, clock } = app;
    const at = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000);
    await db.deleteFrom('releases').execute();
    const versions = ['0.1.0', '0.2.0', '0.3.0', '0.4.0', '0.5.0', '0.6.0'];
    for (const [index, version] of versions.entries())
      await db
        .insertInto('releases')
        .values({ version, first_started_at: at(index) })
        .execute();
    await setFact(db, 'last_backup', '', at(9));
    const process = { release: '0.6.0', started_at: at(0) };
    const sources = {
      ...{ db, engine: 'sqlite', clock, version: '0.6.0', role: 'all', mail: 'off', configured: ['apns'] },
      health: { lagSeconds: async () => 3, lastSweepAt: () => at(1) },
      outbox: {
        list: async () => ['apns', 'fcm'].map((provider) => ({ provider, due: 1, later: 2, waitSeconds: 2.6 })),
      },
      processes: { older: 1, list: async () => ['all', 'api', 'engine'].map((kind) => ({ ...process, kind })) },
      understudies: async () => ({}),
      findLastOutage: async () => ({ started_at: at(2), ended_at: at(4), people: 5, nudges: 6 }),
    } as unknown as HealthSources;
    const told = await readInstallationHealth(sources);
    assert.deepEqual(told.engine, { lag_seconds: 3, last_sweep_at: at(1), processes: 2 });
    assert.deepEqual([told.processes.length, told.older_processes], [3, 1]);
    assert.deepEqual(
      told.releases.map(({ version }) => version),
      versions.toReversed().slice(0, 5),
    );
    assert.deepEqual(told.last_outage, { from: at(2), to: at(4), people: 5, nudges: 6 });
    assert.deepEqual(told.last_backup_at, at(9));
    assert.deepEqual(
      told.providers.map(({ provider, configured, wait_seconds }) => [provider, configured, wait_seconds]),
      [
        ['apns', true, 3],
        ['fcm', false, 3],
      ],
    );
  });
});
