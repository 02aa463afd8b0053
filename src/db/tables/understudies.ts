/** Messages that providers hold for us, and when the service was away. */
import type { Generated, Selectable } from 'kysely';

/**
 * Why a person has no message held, or fewer than usual. `held`: everything is. `one`: the day's messages of the server
 * run short. `none_left`: they have run out. `no_channel`: no channel can hold a message elsewhere. `off`: suspended.
 */
export type UnderstudyState = 'held' | 'one' | 'none_left' | 'no_channel' | 'off';

export interface UnderstudyTables {
  understudies: {
    id: string;
    user_id: string;
    channel_id: string;
    /** `first`, `second`, `third`, or the id of a must-not-miss task; its own id once it has been sounded. */
    slot: string;
    provider: string;
    server: string | null;
    /** The sealed address of the channel, which may be gone when the message is taken back. */
    address: string;
    /** When it is to be sounded, by the service's clock; null if it is to be taken back. */
    sounds_at: Date | null;
    /** JSON: what it says (`understudy-text.ts`). */
    content: string;
    stage: number;
    /** Grows with each wish. The provider has the wish of `stored_version`. */
    version: number;
    stored_version: Generated<number>;
    /** When the provider will sound what it has, by the service's clock; null if it has nothing. */
    held_until: Date | null;
    /** What the provider calls the message. Chosen by us, and stored before it is sent, where the provider lets us. */
    ref: string;
    /** When the provider last took a wish. In real time, like `next_attempt_at`. */
    moved_at: Date | null;
    /** Since the provider last answered that it took a wish. */
    attempts: Generated<number>;
    next_attempt_at: Date;
    /** Null while an attempt is under way. */
    error: string | null;
  };
  /** The people whose next nudges are held elsewhere, or were. */
  understudy_people: {
    user_id: string;
    /** Their first planned nudge when this was last looked at. */
    first_at: Date | null;
    /** When it is looked at again at the latest, by the service's clock. */
    check_at: Date;
    state: UnderstudyState;
    /** The channel that holds their messages, or would; null if there is none. */
    channel_id: string | null;
    /** For how long its server holds a message, in real time. */
    horizon_seconds: number | null;
  };
}

/** A message that a provider holds, or is to hold or to take back. */
export type Understudy = Selectable<UnderstudyTables['understudies']>;
