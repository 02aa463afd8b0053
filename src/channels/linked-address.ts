/** Whose links act: those of messages to the address that their channel has now. */
import { addressIdOf } from '../deliveries/outgoing-push.ts';
import type { ActKey, ActTokens } from './act-token.ts';
import type { Channel } from './channels.store.ts';

/** The channel of a link as it is now, and the delivery of its message. */
interface LinkedChannel extends Pick<Channel, 'address' | 'address_hash' | 'verified_at'> {
  /** Of its owner. */
  readonly email: string | null;
  /** Of the delivery: when it was sent, or the end of its lease, which can lie ahead. */
  readonly next_attempt_at: Date;
}

/** False for a channel that nobody has confirmed. */
export function isAtLinkedAddress(tokens: ActTokens, key: ActKey, channel: LinkedChannel): boolean {
  const { verified_at, next_attempt_at } = channel;
  if (verified_at === null) return false;
  // A link from before links knew their address: a message that was sent before the present one was confirmed went to
  // another one. No such link is made any more, and each expires after a week.
  if (key.addressMark === null) return next_attempt_at >= verified_at;
  return tokens.isTo(key, addressIdOf(channel));
}
