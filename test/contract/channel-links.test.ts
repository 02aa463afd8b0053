/** What the links of messages answer, how often they may be used, and what a browser may keep of their pages. */
import assert from 'node:assert/strict';
import { findOutcome } from '../../src/channels/act.store.ts';
import { ChannelTestsService } from '../../src/channels/channel-tests.service.ts';
import { ConfirmationsService } from '../../src/channels/confirmations.service.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { NtfyRig, WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';

onEveryEngine((engine, it) => {
  it('a link is pressed thirty times in a minute at most, and nobody keeps or finds its page', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app, clock } = scenario;
    await rig.connect(ada);
    const task = await scenario.due();
    const page = rig.take()[0]?.page ?? '';
    const shown = await app.fastify.inject({ url: page, headers: { accept: 'text/html' } });
    assert.deepEqual([shown.headers['cache-control'], shown.headers['x-robots-tag']], ['no-store', 'noindex']);
    const pressed = await scenario.press(page, 'seen');
    assert.equal(pressed.headers['access-control-allow-origin'], '*', 'buttons are pressed from other origins');
    for (let times = 1; times < 30; times += 1) assert.equal((await scenario.press(page, 'seen')).status, 200);
    assert.equal((await scenario.press(page, 'seen')).status, 429);
    await clock.advance('1m');
    assert.equal((await scenario.press(page, 'seen')).status, 200);
    const timeline: { kind: string; via: string; by: string }[] = (await ada.ask('GET', `/v1/tasks/${task}/timeline`))
      .body.data;
    const seen = timeline.filter(({ kind }) => kind === 'acknowledged');
    assert.deepEqual(
      seen.map(({ via, by }) => [via, by]),
      [['webhook', 'owner']],
      'the timeline says once that it was seen',
    );
  });

  it('a page without a title is loaded again if another site led there, since its owner may read the title then', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app } = scenario;
    const id = await rig.connect(ada, { private_title: true });
    await scenario.due();
    const url = rig.take()[0]?.page ?? '';
    const refresh = async (site: string) => {
      const headers = { accept: 'text/html', 'sec-fetch-site': site };
      return (await app.fastify.inject({ url, headers })).headers.refresh;
    };
    assert.deepEqual([await refresh('cross-site'), await refresh('same-origin')], ['0', undefined]);
    await ada.ask('PATCH', `/v1/channels/${id}`, { private_title: false });
    assert.equal(await refresh('cross-site'), undefined, 'nothing more is to be read');
  });

  it('the link of a request is pressed no more often', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada, app } = scenario;
    await rig.connect(ada);
    const bob = await createPerson(app);
    const space_id = await createSpace(bob, ada);
    const asked = { title: 'dishes', owner_id: ada.userId, space_id };
    assert.equal((await bob.ask('POST', '/v1/tasks', asked)).status, 200);
    await app.engine?.settled();
    const page = rig.take()[0]?.page ?? '';
    for (let times = 0; times < 30; times += 1) assert.equal((await scenario.press(page, 'accept')).status, 200);
    assert.equal((await scenario.press(page, 'accept')).status, 429);
  });
});

onEveryEngineWith(startWithAda, (it) => {
  it('a second press shows the last outcome of its occurrence, and of no other', async ({ app, ada }) => {
    const { id: task_id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    const at = (minute: number) => new Date(app.clock.now().getTime() + minute * 60_000);
    const record = (outcome: string, minute: number, occurrence_due_at: Date | null) =>
      app.db
        .insertInto('outcomes')
        .values({
          id: newId(),
          owner_id: ada.userId,
          task_id,
          title: 'pills',
          occurrence_due_at,
          outcome,
          seconds_taken: 1,
          recorded_at: at(minute),
        })
        .execute();
    await record('dropped', 1, null);
    await record('done', 2, null);
    await record('missed', 3, at(0));
    await record('dropped', 2, at(0));
    assert.equal(await findOutcome(app.db, task_id, null), 'done');
    assert.equal(await findOutcome(app.db, task_id, at(0)), 'missed');
    assert.equal(await findOutcome(app.db, task_id, at(1)), undefined);
  });

  it('who asks for a code is new for a day, and known by a confirmed channel of the same kind', async ({
    app,
    ada,
  }) => {
    const now = app.clock.now();
    const rowOf = (address_hash: string, given: object) =>
      channelRow(now, { user_id: ada.userId, provider: 'sms', address_hash, ...given });
    const asking = rowOf('asking', { verified_at: null, proven_by: null });
    await app.db
      .insertInto('channels')
      .values([asking, rowOf('hook', { provider: 'webhook' })])
      .execute();
    let asker: unknown;
    const confirmations = new ConfirmationsService({
      db: app.db,
      clock: app.clock,
      vault: { hash: () => 'hash' },
      tokens: { confirmUrl: () => '' },
      senders: {
        notify: async (_channel: unknown, _email: unknown, { confirm }: { confirm: { asker: unknown } }) => {
          asker = confirm.asker;
          return { kind: 'accepted' };
        },
      },
    } as never);
    const provider = { kind: { provider: 'sms', confirmation: 'code' } };
    const askedBy = async (ageMs: number) => {
      const account = { id: ada.userId, email: null, created_at: new Date(now.getTime() - ageMs) };
      await confirmations.begin(asking as never, provider as never, account as never, '203.0.113.7');
      return asker;
    };
    const network = '203.0.113.7';
    assert.deepEqual(await askedBy(86_400_000 - 1), { network, isNewAccount: true, hasConfirmed: false });
    assert.deepEqual(await askedBy(86_400_000), { network, isNewAccount: false, hasConfirmed: false });
    await app.db.insertInto('channels').values(rowOf('confirmed', {})).execute();
    assert.deepEqual(await askedBy(86_400_000), { network, isNewAccount: false, hasConfirmed: true });
  });

  it('what one channel is refused keeps no other from the test of a stage', async ({ app, ada }) => {
    const rows = (['answer', 'code'] as const).map((proven_by) =>
      channelRow(app.clock.now(), { user_id: ada.userId, provider: 'webhook', address_hash: proven_by, proven_by }),
    );
    await app.db.insertInto('channels').values(rows).execute();
    const kind = { provider: 'webhook' };
    let counted = 0;
    const tests = new ChannelTestsService({
      db: app.db,
      senders: {
        find: () => ({ kind, identify: () => 'hook' }),
        findAddress: () => ({}),
        notify: async (_channel: unknown, _email: unknown, { stage }: { stage: number }) =>
          stage === 2 ? { kind: 'accepted' } : { kind: 'retry', reason: 'of another stage' },
      },
      confirmations: {
        limitUnproven: async () => {
          throw new AppError('too_many_requests');
        },
        recordResult: async () => undefined,
      },
      reach: {
        load: async () => ({
          channels: rows.map((row) => ({ ...row, fault: null })),
          hasDevice: false,
          isConfigured: () => true,
          bounds: { limitsOf: () => undefined },
        }),
      },
      limitTests: async () => {
        counted += 1;
      },
    } as never);
    const results = await tests.testStage({ kind: 'session', userId: ada.userId } as never, 2);
    assert.deepEqual(results.map(({ result }) => (result.kind === 'accepted' ? 'sent' : result.reason)).toSorted(), [
      'sent',
      'too_many_requests',
    ]);
    assert.equal(counted, 1, 'all of them are one test');
    assert.deepEqual(await tests.testStage({ kind: 'session', userId: ada.userId } as never, -1), []);
    assert.equal(counted, 1, 'a test that sends nothing is none');
  });
});
