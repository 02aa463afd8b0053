/** Devices, Live Activities, channels, and the outbox of deliveries to them. */
import type { Generated } from 'kysely';

export type DeliveryStatus = 'pending' | 'sent' | 'failed_transient' | 'failed_permanent' | 'cancelled' | 'superseded';
/** `request` is a message about a request, and `request_retract` takes it back. */
export type DeliveryKind =
  | 'nudge'
  | 'retract'
  | 'activity_start'
  | 'activity_update'
  | 'activity_end'
  | 'request'
  | 'request_retract';

/**
 * What a pending delivery waits for. `retry`: the wait after an attempt, or after a push that was put off. `hold`: quiet
 * hours or a pause. `suspension`: of the account. `tier`: an answer to the lower tiers. `budget`: the account sends too
 * much. `capacity`: a place at the provider.
 */
export type WaitsFor = 'retry' | 'hold' | 'suspension' | 'tier' | 'budget' | 'capacity';

/**
 * `echo`: the receiver returned a challenge. `code`: typed in, or confirmed by the link of its message. `link`: the
 * provider reported who opened it. `sign_in`: the address of the account. From former releases, weaker: `answer`, any
 * 2xx; `return`, the browser came back from the provider.
 */
export type ChannelProof = 'echo' | 'code' | 'link' | 'sign_in' | 'answer' | 'return';

export interface DeliveryTables {
  devices: {
    id: string;
    user_id: string;
    platform: 'ios' | 'android' | 'web';
    token: string;
    token_hash: string;
    push_env: 'sandbox' | 'production';
    /** JSON: the keys that Web Push messages are encrypted with. */
    keys: string | null;
    /** The token that starts a Live Activity. */
    start_token: string | null;
    valid: boolean;
    invalid_reason: string | null;
    /** The last time the app was in the foreground. */
    last_seen_at: Date | null;
    /** When the app last reported the token. A provider's report about an earlier time is ignored. */
    registered_at: Date;
    created_at: Date;
    /** The browser and system that registered (`src/lib/client-name.ts`). */
    client_name: string | null;
  };
  /** The outbox: one nudge for one device or channel. A lease is a `next_attempt_at` in the future. */
  deliveries: {
    /** The timeline entry of the nudge, or the row of `request_messages`. */
    entry_id: string;
    /** The device, the Live Activity, or the channel. */
    target_id: string;
    kind: DeliveryKind;
    task_id: string;
    /** Whose device or channel it is. */
    recipient_id: string;
    /** The run of the task that it belongs to; a retraction belongs to the run that it ends. */
    run: number;
    /** The number of the nudge, counted over the life of the task. */
    nudge: number;
    /** One of the four push providers of devices, or the provider of a channel. */
    provider: string;
    /** Where it goes, such as `https://ntfy.sh`, if the provider has several servers. */
    server: Generated<string | null>;
    stage: number;
    status: DeliveryStatus;
    /** Null while it is being sent, and when it is not pending any more. */
    waits_for: Generated<WaitsFor | null>;
    /** Why the nudge went on to this tier: nobody answered in the lower ones, or they failed. Null if it did not fall. */
    fell_because: Generated<'unanswered' | 'failed' | null>;
    /** For people only: nothing is decided by it. */
    reason: string | null;
    attempts: number;
    /** In real time, not by the service clock, because providers use real time. */
    next_attempt_at: Date;
    created_at: Date;
    sent_at: Date | null;
    acked_at: Date | null;
    /** What the provider of a channel calls the message; kept only by those that can retract it or report on it. */
    ref: Generated<string | null>;
    /** The tier of the target when the nudge came. */
    tier: Generated<number>;
    /** When the provider reported that the message reached the person, or they tapped it and an earlier one counts. */
    confirmed_at: Generated<Date | null>;
    /** The newest nudge of the task when this delivery was answered: the answer is one to all nudges up to it. */
    answered_nudge: Generated<number | null>;
  };
  /** A way to reach a person beside their devices: a mailbox, a chat, a webhook. */
  channels: {
    id: string;
    user_id: string;
    provider: string;
    /** What its owner calls it. */
    name: string | null;
    /** Sealed JSON of the fields of its kind; null for the sign-in address of the account. */
    address: string | null;
    /** Identifies the address within the account, under the vault's key. */
    address_hash: string;
    /** The server of the address, which the outbox counts places by; null if the provider is one server. */
    server: Generated<string | null>;
    /** What is shown of the address. It holds no secret. */
    label: string;
    /** A bit for each stage from the heads-up (1) to stage 2 (8). */
    stages: number;
    tier: number;
    /** The message says that a task is due, not which one. */
    private_title: boolean;
    /** Made by the service; used until something else reaches the person, or they change it. */
    automatic: boolean;
    /** Null until its owner has shown that it is theirs. Nothing but the confirmation is sent before. */
    verified_at: Date | null;
    /** How its owner has shown that; null until then. */
    proven_by: Generated<ChannelProof | null>;
    valid: boolean;
    invalid_reason: string | null;
    /** How often in a row the provider has refused the credentials that the person entered. */
    refusals: number;
    last_error: string | null;
    /** Of mail: when a mail said that it was the last until its owner opens the app. */
    last_mail_at: Generated<Date | null>;
    /** The timeline entry of the nudge that this mail was about. */
    last_mail_entry_id: Generated<string | null>;
    /** When the address was last entered or confirmed. A provider's report about an earlier time is ignored. */
    registered_at: Date;
    created_at: Date;
  };
  /** The code that shows whose a channel is. A new one replaces it. */
  channel_codes: {
    channel_id: string;
    code_hash: string;
    tries: number;
    expires_at: Date;
  };
  /** Which process asks a provider for news, where only one may. */
  channel_turns: {
    provider: string;
    holder: string;
    until: Date;
    /** Up to where the news was read. */
    cursor: string | null;
  };
  /** Without a token, the Live Activity was requested and the app has not reported it yet. */
  live_activities: {
    id: string;
    task_id: string;
    /** Null if the app started it without a request. */
    device_id: string | null;
    token: string | null;
    token_hash: string | null;
    push_env: 'sandbox' | 'production';
    /** In real time, like `ended_at`. */
    started_at: Date;
    ended_at: Date | null;
  };
}
