/** Test messages through the channels of a person: through one, or through those that a nudge of a stage would use. */
import type { Db } from '../db/schema.ts';
import { isUnproven } from '../deliveries/outgoing-push.ts';
import type { ReachService } from '../deliveries/reach.service.ts';
import { findReach } from '../deliveries/reach.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { findUnprovenTarget } from '../push/channel-provider.ts';
import type { PushResult } from '../push/gateway.ts';
import type { ChannelSenders } from './channel-senders.ts';
import { type Channel, findAccount, findChannel } from './channels.store.ts';
import type { ConfirmationsService } from './confirmations.service.ts';

interface StageTest {
  readonly id: string;
  readonly provider: string;
  readonly result: PushResult;
}

interface TestParts {
  readonly db: Db;
  readonly senders: ChannelSenders;
  readonly confirmations: ConfirmationsService;
  readonly reach: Pick<ReachService, 'load'>;
  readonly limitTests: (userId: string) => Promise<void>;
}

export class ChannelTestsService {
  readonly #parts: TestParts;

  constructor(parts: TestParts) {
    this.#parts = parts;
  }

  /** An unconfirmed channel gets nothing but its confirmation. */
  async test(caller: SessionCaller, id: string): Promise<PushResult> {
    const channel = await this.#get(caller, id);
    if (channel.verified_at !== null) await this.#parts.limitTests(caller.userId);
    return this.#send(caller, channel);
  }

  /** Through every channel that a nudge of this stage would use at once or later. All of them count as one test. */
  async testStage(caller: SessionCaller, stage: number): Promise<StageTest[]> {
    const person = await this.#parts.reach.load(caller.userId);
    const { channels } = findReach(person.channels, { ...person, stage, isRepeat: false });
    if (channels.length === 0) return [];
    const refusal = await this.#parts.limitTests(caller.userId).then(() => undefined, asRefusal);
    const test = async (id: string) => this.#send(caller, await this.#get(caller, id), stage);
    return Promise.all(
      channels.map(async ({ id, provider }) => ({
        id,
        provider,
        result: refusal ?? (await test(id).catch(asRefusal)),
      })),
    );
  }

  async #send({ userId }: SessionCaller, channel: Channel, stage?: number): Promise<PushResult> {
    const { db, senders, confirmations } = this.#parts;
    const account = await findAccount(db, userId);
    if (!account) throw new AppError('unauthenticated');
    if (channel.verified_at === null) return { kind: 'rejected', reason: 'not_confirmed' };
    const provider = senders.find(channel.provider);
    if (provider && isUnproven(channel)) {
      const address = senders.findAddress(channel, account.email) ?? {};
      await confirmations.limitUnproven(userId, findUnprovenTarget(provider, address));
    }
    const result = await senders.notify(channel, account.email, { kind: 'channel_test', stage, confirm: null });
    await confirmations.recordResult(channel, result);
    return result;
  }

  async #get({ userId }: SessionCaller, id: string): Promise<Channel> {
    const channel = await findChannel(this.#parts.db, id, userId);
    if (!channel) throw new AppError('not_found', { sentence: 'There is no such channel.' });
    return channel;
  }
}

/** What one channel is refused keeps no other from its test. */
function asRefusal(error: unknown): PushResult {
  if (error instanceof AppError) return { kind: 'retry', reason: error.code };
  throw error;
}
