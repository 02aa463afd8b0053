/** The short form of `npm run chaos`: half a minute of faults on PostgreSQL. */
import assert from 'node:assert/strict';
import { runChaos } from '../drill/run-chaos.ts';
import { onlyOn } from '../support/engines.ts';
import { testInFull } from '../support/size.ts';

const MINUTES = 0.4;
const SEED = 1;

onlyOn('postgres', () => {
  testInFull('under faults, nothing acknowledged is lost or done twice, and every due nudge comes', async (t) => {
    const plan = {
      engine: 'postgres',
      minutes: MINUTES,
      seed: SEED,
      print: (line: string) => t.diagnostic(line),
    } as const;
    const { violations, figures } = await runChaos(plan);
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(violations, []);
    assert.ok((figures['due nudges'] ?? 0) > 0);
  });
});
