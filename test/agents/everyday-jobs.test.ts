/**
 * Whether an assistant can do what people ask for, without a model: see `job.ts`. A tool that becomes dearer, vaguer
 * or unable to do a job fails here by the sentence that a person would say.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onSomeEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import type { Job } from './job.ts';
import { agenda } from './jobs/agenda.ts';
import { away } from './jobs/away.ts';
import { closing } from './jobs/closing.ts';
import { keeping } from './jobs/keeping.ts';
import { lookingBack } from './jobs/looking-back.ts';
import { mistakes } from './jobs/mistakes.ts';
import { planning } from './jobs/planning.ts';
import { reviews } from './jobs/reviews.ts';
import { safety } from './jobs/safety.ts';
import { spellings } from './jobs/spellings.ts';
import { type Cast, type Cost, prepare, runJob } from './run-job.ts';

const ZONE = 'Europe/Amsterdam';
const MONDAY = '2026-03-02T06:00:00Z';
const NOW = '2026-03-05T10:00';
const jobs: readonly Job[] = [
  ...planning,
  ...agenda,
  ...closing,
  ...lookingBack,
  ...away,
  ...mistakes,
  ...spellings,
  ...safety,
  ...reviews,
  ...keeping,
];

onSomeEngine('sqlite', (engine) => {
  const clock = new FakeClock(MONDAY);
  const casts = new Map<Job, Cast>();
  const costs: Cost[] = [];
  let app: TestApp;
  let address: string;

  before(async () => {
    app = await startTestApp(engine, { clock });
    address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const bob = await createPerson(app, 'bob@example.org');
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    for (const [index, job] of jobs.entries()) {
      const me = await createPerson(app, `person-${index}@example.org`);
      await me.ask('PATCH', '/v1/me', { timezone: ZONE });
      casts.set(job, { me, bob });
    }
    await liveThroughTheWeek();
  });
  after(() => app[Symbol.asyncDispose]());

  async function liveThroughTheWeek(): Promise<void> {
    const steps = [...casts].flatMap(([job, cast]) =>
      (job.given ?? []).map((given) => ({ at: instantOf(given.at ?? NOW), cast, given })),
    );
    // Sorting keeps the order of what happens at the same moment.
    for (const { at, cast, given } of steps.sort((one, other) => one.at - other.at)) {
      await clock.advance(`${Math.max(at - clock.now().getTime(), 0)}ms`);
      await prepare(cast, given);
    }
    await clock.advance(`${instantOf(NOW) - clock.now().getTime()}ms`);
  }

  for (const [index, job] of jobs.entries()) {
    test(`“${job.ask}”`, async (t) => {
      const cast = casts.get(job);
      assert.ok(cast);
      const cost = await runJob(address, cast, job, index % 2 === 0 ? 'auto' : 'legacy');
      t.diagnostic(`${cost.calls} calls, ${cost.tokens} tokens`);
      costs.push(cost);
    });
  }

  test('all everyday jobs are done within their budgets', (t) => {
    const sum = (name: keyof Cost) => costs.reduce((total, cost) => total + cost[name], 0);
    t.diagnostic(`${costs.length} of ${jobs.length} jobs, ${sum('calls')} calls, ${sum('tokens')} tokens`);
    assert.equal(costs.length, jobs.length);
    assert.ok(jobs.length >= 60);
  });
});

const instantOf = (local: string): number => Temporal.PlainDateTime.from(local).toZonedDateTime(ZONE).epochMilliseconds;
