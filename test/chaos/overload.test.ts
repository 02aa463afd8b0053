/** More writers than the process can serve: it refuses the rest at once, says so, and is normal again afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, onSomeEngine } from '../support/engines.ts';
import { Ledger } from '../support/ledger.ts';
import { startService } from '../support/service-process.ts';
import { sized } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const WRITERS = sized(250, 400);

async function askForHealth(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/health`);
  const { data } = (await response.json()) as { data: { status: string } | null };
  return `${response.status} ${data?.status}`;
}

onSomeEngine('postgres', (engine) => {
  test('an overload is refused with 503, /health calls it busy, and every acknowledged task is stored and nudged', async () => {
    const { url } = await createDatabase(engine);
    await using ledger = await Ledger.open(url);
    const settings = { DATABASE_URL: url, SECRET_KEY: 'x'.repeat(32), DELIVERIES_PER_MINUTE: '100000' };
    await using service = await startService({ ...settings, ...ledger.settings });
    const health = new Set<string>();
    {
      await using load = ledger.keepWriting(service.baseUrl, WRITERS);
      const refused = () => ledger.entries.filter(({ answer }) => answer === '503 overloaded').length;
      await waitUntil(async () => {
        health.add(await askForHealth(service.baseUrl));
        return refused() > 0 && health.has('200 busy');
      });
      await load.stop();
    }
    await waitUntil(async () => (await askForHealth(service.baseUrl)) === '200 ok');
    const answersBefore = ledger.entries.length;
    for (let count = 0; count < 20; count += 1) await ledger.write(service.baseUrl);
    const after = ledger.entries.slice(answersBefore).map(({ answer }) => answer);
    assert.deepEqual(new Set(after), new Set(['200']));
    assert.deepEqual(health.difference(new Set(['200 ok', '200 busy'])), new Set());
    await ledger.allNudged();
    // SQLite lets no second process open the file.
    await service.stop('SIGTERM');
    const { repeatedNudges, retries } = await ledger.settle(url);
    // On a slow machine a push may get its answer too late, and is sent again under the same collapse id.
    assert.ok(repeatedNudges <= retries, `${repeatedNudges} nudges were repeated, with ${retries} retries`);
    assert.equal(service.stderr, '');
  });
});
