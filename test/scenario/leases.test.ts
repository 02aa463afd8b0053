/** How long a delivery is kept from other processes while one sends it. */
import assert from 'node:assert/strict';
import type { Gateway } from '../../src/push/gateway.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  for (const [sendWithinMs, leasedForMs] of [
    [undefined, 8_000],
    [30_000, 32_000],
  ] as const)
    it(`a message that may take ${(sendWithinMs ?? 6_000) / 1_000} seconds is leased by no other process for ${leasedForMs / 1_000}`, async () => {
      const [isSent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const gateway: Gateway = {
        ...(sendWithinMs !== undefined && { sendWithinMs }),
        send: async () => {
          isSent.resolve();
          await answer.promise;
          return { kind: 'accepted' };
        },
        capacity: () => 100,
        close: async () => undefined,
      };
      await using app = await startTestApp(engine, { extra: { gateways: { telegram: gateway } } });
      const { db, clock } = app;
      const ada = await createPerson(app);
      const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
      const channel = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram' });
      await db.insertInto('channels').values(channel).execute();
      const delivery = storedDelivery({ id, owner_id: ada.userId }, { provider: 'telegram', target_id: channel.id });
      await db.insertInto('deliveries').values(delivery).execute();
      app.engine?.wakeUp();
      await isSent.promise;
      const { next_attempt_at } = await db.selectFrom('deliveries').select('next_attempt_at').executeTakeFirstOrThrow();
      answer.resolve();
      assert.equal(next_attempt_at.getTime() - clock.now().getTime(), leasedForMs);
    });
});
