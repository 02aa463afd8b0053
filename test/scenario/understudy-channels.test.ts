/** Which channel holds the messages of a person, and what becomes of them when that changes or the process ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { Holders } from '../../src/understudies/holders.ts';
import { THREE } from '../../src/understudies/plan-understudies.ts';
import { Understudies } from '../../src/understudies/understudies.ts';
import { insertUnderstudies } from '../../src/understudies/wishes.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { channelRow } from '../support/stored-channel.ts';
import { understudyRow } from '../support/stored-understudy.ts';
import { startTestApp } from '../support/test-app.ts';

const NEVER = new AbortController().signal;

/** A database without an engine, and people with tasks that are due in a day. */
async function start(engine: Parameters<typeof startTestApp>[0], owners = 1) {
  const app = await startTestApp(engine);
  await app.engine?.stop();
  const { db } = app;
  const clock = new FakeClock();
  const dueAt = new Date('2026-03-03T09:00:00Z');
  const people = await insertDueTasks(db, { tasks: owners, owners, dueAt, withDevices: false });
  const paid = new FakeHolder(clock);
  const parts = {
    db,
    clock,
    wallClock: clock,
    clockSpeed: 1,
    gateways: {
      telegram: new FakeHolder(clock),
      sms: Object.assign(paid, { holds: { ...paid.holds, mostPaid: 2, isElsewhere: () => true } }),
    },
    schema: new SchemaWatch(createLogger('silent')),
    counts: { placed: 0, moved: 0, cancelled: 0, sounded: 0, failed: 0 },
    countOfDay: async () => 0,
    isNudging: () => false,
    onWish: () => undefined,
  };
  const holders = new Holders(parts);
  const add = async (user_id: string, given: object = {}) => {
    const row = channelRow(clock.now(), { user_id, provider: 'telegram', server: 'https://there.test', ...given });
    await db.insertInto('channels').values(row).execute();
    return row;
  };
  const held = () => db.selectFrom('understudies').selectAll().execute();
  const understudies = new Understudies({ ...parts, holders });
  const dispose = () => app[Symbol.asyncDispose]();
  return { db, clock, people, parts, holders, understudies, add, held, [Symbol.asyncDispose]: dispose };
}

onEveryEngine((engine, it) => {
  it('only a channel that is confirmed and works holds messages, and one that costs nothing comes first', async () => {
    await using world = await start(engine);
    const { db, people, holders, add } = world;
    const [ada = ''] = people;
    const found = async () => (await holders.findChannel(db, ada))?.id;
    await add(ada, { verified_at: null, address_hash: 'unconfirmed' });
    await add(ada, { valid: false, address_hash: 'off' });
    await add(ada, { server: 'https://here.test', address_hash: 'here' });
    assert.equal(await found(), undefined);
    const paid = await add(ada, { provider: 'sms', server: null });
    assert.equal(await found(), paid.id);
    const free = await add(ada, { tier: 3, address_hash: 'free' });
    assert.equal(await found(), free.id);
  });

  it('a server that takes no message for so long is asked for half of that, and after a day for the usual time', async () => {
    await using world = await start(engine);
    const { clock, people, holders, add } = world;
    const channel = await add(people[0] ?? '');
    const longest = () =>
      (holders.toHolder({ ...channel, server: 'https://there.test' }, THREE)?.maxMs ?? 0) / 3_600_000;
    assert.equal(longest(), 72);
    holders.noteTooFar('https://there.test', 8 * 3_600_000);
    assert.equal(longest(), 4);
    await clock.advance('25h');
    assert.equal(longest(), 72);
    holders.noteTooFar('https://there.test', 8 * 3_600_000);
    clock.set('2026-03-01T09:00:00Z');
    assert.equal(longest(), 72, 'a clock that was set back keeps nothing longer');
  });

  it('what all people hold together where each message is paid for is divided, and the own counts for nobody else', async () => {
    await using world = await start(engine, 3);
    const { db, people, holders, understudies, add, held } = world;
    await db.updateTable('tasks').set({ break_quiet_hours: true }).execute();
    for (const person of people) await add(person, { provider: 'sms', server: null });
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await understudies.runAll(NEVER);
      understudies.note(people);
    }
    const owners = (await held()).map(({ user_id }) => user_id);
    assert.equal(owners.length, 2);
    const [owner = ''] = owners;
    const channel = await holders.findChannel(db, owner);
    const { general, ofTasks } = await holders.allowedBy(owner, channel ?? assert.fail('There is a channel.'));
    assert.deepEqual([general, ofTasks], owners[1] === owner ? [1, 1] : [1, 0]);
  });

  test('a message whose first attempt is on its way is taken back, and one that nobody was asked for is forgotten', async () => {
    await using world = await start(engine);
    const { db, people, understudies, add, held } = world;
    const [ada = ''] = people;
    const channel = await add(ada);
    await db.deleteFrom('tasks').execute();
    const wish = (slot: string, attempts: number) =>
      understudyRow(channel, { id: newId(), slot, attempts, sounds_at: new Date('2026-03-02T12:00:00Z') });
    const asked = wish('second', 1);
    await insertUnderstudies(db, [asked, wish('third', 0)]);
    await understudies.runAll(NEVER);
    const rows = await held();
    const second = rows.find(({ id }) => id === asked.id);
    assert.deepEqual([second?.sounds_at, second?.version], [null, 2]);
    assert.deepEqual(second?.held_until, asked.sounds_at, 'it may sound until then');
    // The third says that the service is gone.
    assert.deepEqual(rows.map(({ slot }) => slot).sort(), ['first', 'second']);
  });

  it('of a person without a channel nothing is kept once nothing is held for them', async () => {
    await using world = await start(engine);
    const { db, clock, people, understudies, add, held } = world;
    const [ada = ''] = people;
    const { id } = await add(ada);
    const known = () => db.selectFrom('understudy_people').select('user_id').execute();
    await understudies.runAll(NEVER);
    await db.updateTable('understudies').set({ stored_version: 1 }).execute();
    await db.deleteFrom('channels').where('id', '=', id).execute();
    const look = async () => {
      understudies.note([ada]);
      await understudies.runAll(NEVER);
    };
    await look();
    assert.deepEqual([(await held()).length, (await known()).length], [3, 1], 'they have to be taken back first');
    await db.deleteFrom('understudies').execute();
    // At the next look that needs no reason.
    await clock.advance('11m');
    await look();
    assert.deepEqual(await known(), []);
  });

  it('a stop ends a round between two people, and a clock that was set back ends no rounds', async () => {
    await using world = await start(engine, 3);
    const { db, clock, people, parts, holders, understudies, add } = world;
    for (const person of people) await add(person);
    const known = async () => (await db.selectFrom('understudy_people').select('user_id').execute()).length;
    const stopping = new AbortController();
    const isNudging = () => {
      stopping.abort();
      return false;
    };
    await new Understudies({ ...parts, holders, isNudging }).runAll(stopping.signal);
    assert.equal(await known(), 1);
    await understudies.runAll(NEVER);
    assert.equal(await known(), 3);
    await db.deleteFrom('understudy_people').execute();
    clock.set('2026-03-01T09:00:00Z');
    await understudies.runAll(NEVER);
    assert.equal(await known(), 3);
  });
});
