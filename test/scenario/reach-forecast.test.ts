/** What coming nudges are said to reach, as if nobody answered. */
import assert from 'node:assert/strict';
import { ReachService } from '../../src/deliveries/reach.service.ts';
import { STAGES, toStageBits } from '../../src/escalation/ladder.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { onEveryEngine } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

const at = (time: string) => new Date(`2026-03-02T${time}:00Z`);
const nudge = (time: string, stage: number) => ({ at: at(time), stage, wantedAt: at(time), holds: [] });

onEveryEngine((engine, it) => {
  it('a forecast falls from the first due nudge on, once per run, waits for no phone that cannot be sent to, and tells the last mail', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    const gateway: Gateway = {
      send: async () => ({ kind: 'accepted' }),
      capacity: () => 1,
      close: async () => undefined,
    };
    const limits = { mostPerDay: 24, repeatsUpToPerDay: 8, stopsAfterIdleMs: 86_400_000 };
    const asked: string[] = [];
    const reach = new ReachService({
      db,
      clock,
      wallClock: clock,
      gateways: { ntfy: gateway, telegram: gateway, email: { ...gateway, limits } },
      titleOf: (provider) => (provider === 'telegram' ? 'Telegram' : undefined),
      addOwnChannels: async (_db, userIds) => {
        asked.push(...userIds);
        return false;
      },
    });
    const addChannel = async ({ userId: user_id }: Person, provider: string, fields: object = {}) => {
      const stages = toStageBits(STAGES);
      await db
        .insertInto('channels')
        .values(channelRow(clock.now(), { user_id, provider, stages, ...fields }))
        .execute();
    };
    const forecast = async (person: Person, ...nudges: ReturnType<typeof nudge>[]) => {
      const { id } = (await person.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
      const told = await reach.forecast({ id, owner_id: person.userId, step: 0 }, nudges);
      return told.map(({ via, unreached, falls }) => [via, unreached, falls.map((fall) => [fall.at, fall.via])]);
    };
    const [ada, bob, eve] = [await createPerson(app), await createPerson(app), await createPerson(app)];

    await addChannel(ada, 'ntfy', { name: 'desk' });
    await addChannel(ada, 'telegram', { tier: 1, stages: toStageBits([0, 2]) });
    const climbing = await forecast(ada, nudge('08:00', -1), nudge('10:00', 0), nudge('10:15', 1), nudge('10:30', 2));
    assert.deepEqual(climbing, [
      [['ntfy: desk'], null, []],
      [['ntfy: desk'], null, [[at('10:03'), ['telegram']]]],
      [['ntfy: desk'], null, []],
      [['ntfy: desk', 'Telegram'], null, []],
    ]);

    await addDevice(app, bob.userId, 'android');
    await addChannel(bob, 'telegram', { tier: 1 });
    assert.deepEqual(await forecast(bob, nudge('10:00', 0)), [[['Telegram'], null, []]]);

    await addChannel(eve, 'email');
    const task = (await eve.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    await db.deleteFrom('sessions').where('user_id', '=', eve.userId).execute();
    const idle = await reach.forecast({ id: task.id, owner_id: eve.userId, step: 0 }, [
      nudge('10:00', 0),
      nudge('10:15', 0),
    ]);
    assert.deepEqual(
      idle.map(({ via, unreached }) => [via, unreached]),
      [
        [['email'], null],
        [[], 'mail_paused'],
      ],
    );
    assert.deepEqual(asked, [ada.userId, bob.userId, eve.userId]);
  });
});
