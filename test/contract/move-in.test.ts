import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineName } from '../support/engines.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const FIXTURES = join(import.meta.dirname, '../support/move-in');
const fixture = (name: string) => readFile(join(FIXTURES, name));

async function preview(app: TestApp, person: Person, bytes: Buffer | string, name = '') {
  return app.ask({
    method: 'POST',
    url: `/v1/move-in/preview?name=${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${person.sessionToken}`, 'content-type': 'application/octet-stream' },
    payload: Buffer.from(bytes),
  });
}

onEveryEngine((engine: EngineName, it) => {
  it('smoke', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const seen = await preview(app, ada, await fixture('todoist.csv'), 'Home [12].csv');
    console.log(JSON.stringify(seen.body, null, 1));
    const started = await ada.ask('POST', '/v1/move-in', {
      preview_id: seen.body.data.id,
      which: 'all',
      labels: [{ list: 0, label: 'home' }],
      ladder: { preset: 'gentle' },
    });
    console.log(started.status, JSON.stringify(started.body));
    await app.engine?.settled();
    console.log(JSON.stringify((await ada.ask('GET', '/v1/move-in')).body));
    const id = seen.body.data.id;
    const over = await ada.ask('GET', `/v1/move-in/${id}/overdue`);
    console.log(JSON.stringify(over.body));
    console.log(
      JSON.stringify(
        (await ada.ask('GET', '/v1/tasks')).body.data.map((t: any) => [
          t.title,
          t.kind,
          t.due_at,
          t.next_fire_at,
          t.mode,
        ]),
      ),
    );
    const undone = await ada.ask('DELETE', `/v1/move-in/${id}`);
    console.log(undone.status, JSON.stringify(undone.body));
    await app.engine?.settled();
    console.log(JSON.stringify((await ada.ask('GET', '/v1/move-in')).body));
    console.log(
      JSON.stringify((await ada.ask('GET', '/v1/tasks')).body.data.length),
      JSON.stringify((await ada.ask('GET', '/v1/stats')).body),
    );
  });
});
