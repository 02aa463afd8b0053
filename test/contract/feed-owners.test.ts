/** Each feed is its owner's: what is in it, when it was read, what it costs, and who ends it. */
import assert from 'node:assert/strict';
import { CalendarService, type FeedRequest } from '../../src/calendar/calendar.service.ts';
import { listFeedTasks } from '../../src/calendar/calendar.store.ts';
import { Audit } from '../../src/lib/audit.ts';
import { AppError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';

const create = async (person: Person, title: string, due_at: string): Promise<string> =>
  (await person.ask('POST', '/v1/tasks', { title, due_at, has_time: true })).body.data.id;

const feedOf = async (person: Person) => {
  const { data } = (await person.ask('GET', '/v1/me/calendar')).body;
  return [data.active, data.last_read_at];
};

onEveryEngineWith(startWithAda, (it) => {
  it('a feed has the tasks of its owner, and reading or ending it touches no other', async ({ app, ada }) => {
    const grace = await createPerson(app);
    await create(ada, 'of Ada', '2026-03-09T09:00:00Z');
    await create(grace, 'of Grace', '2026-03-09T09:00:00Z');
    const subscribe = async (person: Person) => new URL((await person.ask('POST', '/v1/me/calendar')).body.data.url);
    assert.deepEqual(await feedOf(ada), [false, null]);
    const hers = await subscribe(grace);
    assert.deepEqual(
      [await feedOf(ada), await feedOf(grace)],
      [
        [false, null],
        [true, null],
      ],
    );
    const his = await subscribe(ada);
    const read = ({ pathname }: URL) => app.fastify.inject({ url: pathname });
    const { body } = await read(his);
    assert.deepEqual(
      [...body.matchAll(/^SUMMARY:(.*)\r$/gm)].map(([, title]) => title),
      ['of Ada'],
    );
    const at = app.clock.now().toISOString();
    assert.deepEqual(
      [await feedOf(ada), await feedOf(grace)],
      [
        [true, at],
        [true, null],
      ],
    );
    await app.clock.advance('30s');
    await read(his);
    assert.deepEqual(await feedOf(ada), [true, at], 'a calendar that asks all the time writes nothing');
    await app.clock.advance('30s');
    await read(his);
    assert.deepEqual(await feedOf(ada), [true, app.clock.now().toISOString()]);
    await subscribe(ada);
    assert.deepEqual(await feedOf(ada), [true, null], 'nobody has read the new one');
    await ada.ask('DELETE', '/v1/me/calendar');
    assert.equal((await read(hers)).statusCode, 200);
    assert.equal((await feedOf(grace))[0], true);
  });

  it('a feed is ended by its owner alone, and one whose owner has spent their budget is not read', async ({
    app,
    ada,
  }) => {
    const clocks = { clock: app.clock, wallClock: app.clock };
    const feeds = new CalendarService(app.db, clocks, new Audit(createLogger('silent')), () => undefined);
    const { id: sessionId } = await app.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
    const caller = { kind: 'session', userId: ada.userId, sessionId, provenAt: app.clock.now() } as const;
    const { token } = await feeds.create(caller, '192.0.2.1');
    const spent = () => {
      throw new AppError('too_many_requests', { retryAfterSeconds: 1 });
    };
    const asked: FeedRequest = {
      form: 'vevent',
      knownTags: [],
      callerLeft: new AbortController().signal,
      budget: { check: spent, charge: () => undefined },
    };
    await assert.rejects(feeds.read(token, asked), (error) => error instanceof AppError);
    assert.equal((await feeds.find(ada))?.last_read_at, null);
    assert.equal(await feeds.end(app.db, ada.userId, [sessionId]), 0);
    assert.equal(await feeds.isReadable(token), true);
    assert.equal(await feeds.end(app.db, ada.userId, [sessionId, ada.userId]), 1);
    assert.equal(await feeds.isReadable(token), false);
  });

  it('tasks are in the order in which they were asked for, without those that were closed meanwhile', async ({
    app,
    ada,
  }) => {
    const ids: string[] = [];
    for (const day of ['07', '05', '06', '04']) ids.push(await create(ada, day, `2026-03-${day}T09:00:00Z`));
    const [closed = '', ...others] = ids;
    await ada.ask('POST', `/v1/tasks/${closed}/complete`);
    const wanted = [closed, ...others.toReversed()];
    const found = await listFeedTasks(app.db, wanted);
    assert.deepEqual(
      found.map(({ id }) => id),
      others.toReversed(),
    );
  });
});
