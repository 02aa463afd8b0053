/**
 * What the engine hands to a push provider, and the result it gets back. A `reason` is for people: what the service
 * decides by has a field of its own.
 *
 * A gateway never throws and never decides about a device or a channel: it reports the provider's answer as one of
 * five results, and the engine acts on that. Only `gone` makes a device or a channel invalid. A timeout, a temporary
 * refusal or a fault of ours never does.
 */
export type Platform = 'ios' | 'android' | 'web';
/** Apple's two environments are two providers: each has its own connection and its own capacity. */
export const DEVICE_PROVIDERS = ['apns', 'apns_sandbox', 'fcm', 'web_push'] as const;
export type DeviceProvider = (typeof DEVICE_PROVIDERS)[number];
/** A provider of devices, or of channels: those are named where they are wired (`compose/channels.ts`). */
export type Provider = string;

export const isDeviceProvider = (provider: Provider): provider is DeviceProvider =>
  (DEVICE_PROVIDERS as readonly string[]).includes(provider);

export function providerOf(platform: Platform, environment: Target['environment']): DeviceProvider {
  if (platform === 'android') return 'fcm';
  if (platform === 'web') return 'web_push';
  return environment === 'sandbox' ? 'apns_sandbox' : 'apns';
}

export interface Target {
  readonly platform: Platform;
  /** A device token, a registration token, or the endpoint of a Web Push subscription. */
  readonly token: string;
  /** Which of Apple's two environments the token belongs to. */
  readonly environment: 'sandbox' | 'production';
  /** The browser's keys that a Web Push is encrypted with, base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string } | null;
}

export interface PushedTask {
  readonly id: string;
  readonly title: string;
  /** The due instant; for a task without a time its calendar date; null if it has no due date and was only snoozed. */
  readonly due: Date | Temporal.PlainDate | null;
  /** The task's `due_at`. The buttons of the notification act on this occurrence. */
  readonly occurrenceDueAt: Date | null;
  readonly mustNotMiss: boolean;
  /** Of the person who gets the push. */
  readonly timezone: string;
  /** For a stand-in: whose task it is. */
  readonly standInFor?: StandInFor | null;
}

export interface StandInFor {
  /** Null if the owner has no name. */
  readonly name: string | null;
  /** Both are reminded from the first nudge on. */
  readonly isEither: boolean;
}

export interface NudgePush {
  readonly kind: 'nudge';
  readonly target: Target;
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  /** Real time. The provider discards the push if it could not deliver it by then. */
  readonly expiresAt: Date;
}

/** What a message about a request says. It is no nudge: it has neither a stage nor a tier. */
export interface RequestNews {
  readonly kind:
    | 'asked'
    | 'unanswered'
    | 'accepted'
    | 'declined'
    | 'done'
    | 'stand_in_asked'
    | 'stand_in_agreed'
    | 'stand_in_done';
  /** Who asked, or who was asked; null if they have no name. */
  readonly name: string | null;
  readonly spaceName: string | null;
}

/** To a browser. Phones get none: their apps know nudges only. */
export interface RequestPush {
  readonly kind: 'request';
  readonly target: Target;
  readonly task: PushedTask;
  readonly news: RequestNews;
  readonly expiresAt: Date;
}

/** A Live Activity on the lock screen: started once, updated by each nudge, ended with the task. */
export interface ActivityPush {
  readonly kind: 'activity_start' | 'activity_update' | 'activity_end';
  /** A start goes to the device's push-to-start token, everything later to the activity's own token. */
  readonly target: Target;
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  /** Whether the user should see it at once. Only urgent pushes spend the hourly budget of the activity. */
  readonly isUrgent: boolean;
}

/** Requested by the user, to see whether pushes arrive. */
export interface TestPush {
  readonly kind: 'test';
  readonly target: Target;
  /** As strong as a nudge of this stage; 0 if it is absent. */
  readonly stage?: number | undefined;
  readonly expiresAt: Date;
}

/** A channel as it is stored. Its gateway opens the address right before it sends. */
export interface ChannelTarget {
  readonly channelId: string;
  readonly userId: string;
  /** The sealed address; null for the account's own email address, which `email` holds. */
  readonly sealed: string | null;
  readonly email: string | null;
  /** Names the address without showing it: a link in a message ends when its channel gets another one. */
  readonly addressId: string;
  /** The message says that a task is due, not which one. */
  readonly isPrivate: boolean;
  /** False for a channel of a release that took less for a proof: what goes there is bounded. */
  readonly isProven: boolean;
  /** The timeline entry of the nudge that is the last one until the person opens the app. */
  readonly lastEntryId: string | null;
}

/** A nudge through a channel. */
export interface ChannelNudge {
  readonly kind: 'channel_nudge';
  readonly target: ChannelTarget;
  /** The timeline entry of the nudge: the links in the message act on it. */
  readonly entryId: string;
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  readonly expiresAt: Date;
  /** What the provider calls the earlier messages of this run, which this one replaces. */
  readonly refs: readonly string[];
  /** No more come until the person opens the app. */
  readonly isLast: boolean;
}

/** A message about a request. */
export interface ChannelRequest {
  readonly kind: 'channel_request';
  readonly target: ChannelTarget;
  /** The row of `request_messages`: the links in the message act on it. */
  readonly entryId: string;
  readonly task: PushedTask;
  readonly news: RequestNews;
  readonly expiresAt: Date;
  /** What the provider calls the earlier messages about this request, which this one replaces. */
  readonly refs: readonly string[];
  readonly isLast: boolean;
}

/** The task was dealt with: earlier messages about it are taken back. */
interface ChannelRetraction {
  readonly kind: 'channel_retract';
  /** Whether the messages were about a request, and not nudges. */
  readonly isRequest?: boolean;
  readonly target: ChannelTarget;
  readonly entryId: string;
  readonly task: PushedTask;
  readonly stage: number;
  readonly refs: readonly string[];
}

/** Names a message that a provider holds. */
export interface HeldRef {
  /** What the provider called it last. Chosen by us until the provider has answered. */
  readonly ref: string;
  /** An earlier attempt may have reached the provider although its answer was lost. */
  readonly isRetry: boolean;
  /** Of these references, those of other messages that are held for anyone. */
  known(refs: readonly string[]): Promise<readonly string[]>;
}

/** The provider keeps the message and sounds it by itself, unless it is moved or taken back before. */
export interface ChannelHold extends HeldRef {
  readonly kind: 'channel_hold';
  readonly target: ChannelTarget;
  readonly title: string;
  readonly body: string;
  readonly stage: number;
  /** From now on, in real time. */
  readonly delayMs: number;
}

/** Takes back a message that the provider holds. */
export interface ChannelRelease extends HeldRef {
  readonly kind: 'channel_release';
  readonly target: ChannelTarget;
}

/** What a provider can hold. */
export interface Holds {
  /** The soonest and the latest moment that it takes, from now on, in real time. */
  readonly minMs: number;
  readonly maxMs: number;
  /** A message that is sounded costs money, so fewer are held: at most so many, for all people together. */
  readonly mostPaid?: number | undefined;
  /** Whether the server is on another machine: what is held here is lost with the service. */
  isElsewhere(server: string | null): boolean;
}

/** How many messages a server takes in a day from everybody who shows it the same credentials. */
export interface DayBudget {
  /** Names the server and the credentials. */
  readonly key: string;
  readonly most: number;
}

/** Requested by the person: a test, or the message that confirms the channel. */
export interface ChannelNotice {
  readonly kind: 'channel_test' | 'channel_confirm';
  readonly target: ChannelTarget;
  /** Of a test: as strong as a nudge of this stage; 0 if it is absent. */
  readonly stage?: number | undefined;
  /** Null for a test. */
  readonly confirm: Confirmation | null;
  readonly expiresAt: Date;
}

/** What shows that a channel belongs to the person who asked for it: each of these alone is enough. */
export interface Confirmation {
  /** Typed into the app. */
  readonly code: string;
  /** A page with a button. */
  readonly url: string;
  /** Returned by a receiver that can answer with a text. */
  readonly challenge: string;
  /** For providers that pay for each message. */
  readonly asker: {
    readonly network: string;
    readonly isNewAccount: boolean;
    /** A channel of the same kind. */
    readonly hasConfirmed: boolean;
  };
}

/** To a device. */
export type Push = NudgePush | RequestPush | ActivityPush | TestPush;
export type ChannelPush =
  | ChannelNudge
  | ChannelRequest
  | ChannelRetraction
  | ChannelHold
  | ChannelRelease
  | ChannelNotice;
export type AnyPush = Push | ChannelPush;

export type PushResult =
  /**
   * `ref` is what the provider calls the message, if it can be retracted or reported on. `isEchoed`: the receiver
   * returned the challenge of a confirmation.
   */
  | { readonly kind: 'accepted'; readonly ref?: string; readonly isEchoed?: true }
  /**
   * Not now: an overload, a fault of the provider, a broken connection.
   * - `isAnswered`: the server said so; otherwise there was no answer.
   * - `isUnsent`: the provider was not even asked, because the push waited for others: that uses up none of its attempts.
   * - `isRefusal`: every push would get this answer, as if our credentials were wrong.
   */
  | {
      readonly kind: 'retry';
      readonly reason: string;
      readonly afterMs?: number;
      readonly isAnswered?: true;
      readonly isUnsent?: true;
      readonly isRefusal?: true;
    }
  /** The token is dead, since `since` if the provider says so, or malformed, which no later push can change. */
  | { readonly kind: 'gone'; readonly reason: string; readonly since?: Date }
  /**
   * The provider will never accept this push; the next one may be accepted. `isCredentials`: it refuses what the person
   * entered for their channel. `isHeldBack`: it was not asked, because it refused that too often.
   */
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly isCredentials?: true;
      readonly isHeldBack?: true;
    }
  /** Our credentials or settings are wrong: the provider accepts no push until they are corrected. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

/** The reason of a nudge beyond the bound for addresses that nobody has proven. The channel's state shows it. */
export const NOT_PROVEN = 'not_proven';

/** What bounds the messages of a channel that a person cannot silence as easily as a device. */
export interface MessageLimits {
  /** How many messages an address gets about one task in 24 hours, over all stages. */
  readonly mostPerDay: number;
  /** The second and every later nudge of a run is sent only while the address got fewer than this. */
  readonly repeatsUpToPerDay: number;
  /** Who has not opened the app for this long gets one more message, which says that it is the last. */
  readonly stopsAfterIdleMs: number;
}

export interface Gateway {
  readonly limits?: MessageLimits | undefined;
  /** Sends nudges alone, because each message is paid for: no messages about requests. */
  readonly isForNudgesOnly?: boolean | undefined;
  /** Absent if it can hold no message. */
  readonly holds?: Holds | undefined;
  /** Null if the server sets no bound, or the address cannot be opened. */
  findDayBudget?(target: Pick<ChannelTarget, 'channelId' | 'sealed'>): DayBudget | null;
  /**
   * Never rejects. When the signal fires, the push ends as a retry without waiting for the answer. A gateway of
   * devices gets a `Push`, one of channels a `ChannelPush`.
   */
  send(push: AnyPush, signal: AbortSignal): Promise<PushResult>;
  /**
   * The provider's reference of the message, if it is known before the message is sent. It is stored first, so that the
   * message can be retracted even if its answer is lost.
   */
  refOf?(push: AnyPush): string | undefined;
  /** How long a send may take, if that is longer than usual. Only for channels. */
  readonly sendWithinMs?: number | undefined;
  /** How many more pushes would be sent at once instead of waiting in the queue. */
  capacity(): number;
  /** How many pushes one server of the provider takes at once; absent if the provider is one server. */
  readonly placesPerServer?: number | undefined;
  /** Whether the provider refused our credentials, so that pushes fail without being sent. */
  isRefused?(): boolean;
  close(): Promise<void>;
}

/** The same gateway with another `send`. */
export function withSend(gateway: Gateway, send: Gateway['send']): Gateway {
  return {
    send,
    limits: gateway.limits,
    isForNudgesOnly: gateway.isForNudgesOnly,
    holds: gateway.holds,
    findDayBudget: (target) => gateway.findDayBudget?.(target) ?? null,
    sendWithinMs: gateway.sendWithinMs,
    capacity: () => gateway.capacity(),
    placesPerServer: gateway.placesPerServer,
    refOf: (push) => gateway.refOf?.(push),
    ...(gateway.isRefused && { isRefused: () => gateway.isRefused?.() ?? false }),
    close: () => gateway.close(),
  };
}

/** The configured providers. */
export type Gateways = Readonly<Partial<Record<Provider, Gateway>>>;
