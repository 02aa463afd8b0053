import type { Understudy } from '../../src/db/tables/understudies.ts';
import { newId } from '../../src/lib/ids.ts';

interface OfChannel {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
}

/** A message that ntfy.sh was asked to hold, and has not taken yet. */
export const understudyRow = (channel: OfChannel, changes: Partial<Understudy> = {}): Understudy => ({
  id: newId(),
  user_id: channel.user_id,
  channel_id: channel.id,
  slot: 'first',
  provider: channel.provider,
  server: 'https://ntfy.sh',
  address: 'sealed',
  sounds_at: null,
  content: '{"kind":"gone"}',
  stage: 0,
  version: 1,
  stored_version: 0,
  held_until: null,
  ref: newId(),
  moved_at: null,
  attempts: 0,
  next_attempt_at: new Date(0),
  error: null,
  ...changes,
});
