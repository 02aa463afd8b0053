import type { Insertable } from 'kysely';
import { workingChannel } from '../../src/channels/working-channel.ts';
import type { Database } from '../../src/db/schema.ts';
import { toStageBits } from '../../src/escalation/ladder.ts';
import { newId } from '../../src/lib/ids.ts';

type NewChannel = Insertable<Database['channels']>;
type Given = Pick<NewChannel, 'user_id' | 'provider'> & Partial<NewChannel>;

/** The row of a confirmed channel that works. Its address is not sealed, so only a fake gateway can send to it. */
export const channelRow = (now: Date, given: Given) => ({
  id: newId(),
  name: null,
  address: 'sealed',
  address_hash: given.provider,
  label: '',
  stages: toStageBits([0, 1, 2]),
  tier: 0,
  private_title: false,
  automatic: false,
  verified_at: now,
  proven_by: 'code' as const,
  ...workingChannel(now),
  created_at: now,
  ...given,
});
