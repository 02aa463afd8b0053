/**
 * What the provider of a channel is. A new one is a folder with three files and one line in `compose/channels.ts`:
 *
 *   push/<provider>/payload.ts    pure: a `ChannelMessage` becomes a request
 *   push/<provider>/classify.ts   pure: an answer becomes one of the five results
 *   push/<provider>/client.ts     implements `ChannelProvider`
 *
 * Everything else is done for it. `ChannelGateway` opens the sealed address, writes the texts and the links, bounds
 * what is in flight per server, puts off a silent one, and stops while our own credentials are refused. The engine
 * leases, retries, supersedes, cancels and stores results as for devices. `src/channels` sets channels up, confirms
 * them and acts on links, buttons and reports. The app draws its form from `kind`.
 *
 * A provider keeps these promises:
 * - It calls addresses that a person entered only through `ChannelHttp.request`, which guards the server's network.
 * - A reason never holds a secret, a URL or text of an answer: `http_503`, `credentials_refused`, `chat_not_found`.
 *   What is decided by is a field of the result: a retry that the server asked for has `isAnswered`.
 * - 401 and 403 for what the person entered is `rejected` with `isCredentials`. `misconfigured` is for the operator's
 *   own credentials and stops everybody's messages for a minute.
 * - `gone` only if the provider says that the address is dead for good.
 */
import { hostOf } from '../lib/server-of.ts';
import type { Confirmation, DayBudget, HeldRef, Holds, MessageLimits, PushResult, RequestNews } from './gateway.ts';

/** The fields of a channel, by name. Stored sealed as a whole. */
export type Address = Readonly<Record<string, string>>;

interface ChannelField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly type: 'text' | 'url' | 'email' | 'phone';
  readonly required: boolean;
  /** Typed like a password, never shown again, and entered again if the channel gets another server. */
  readonly secret: boolean;
  /** If it is left empty, the service makes one. */
  readonly generated?: boolean;
}

/** What `/v1/channels/kinds` says about a provider. */
export interface ChannelKind {
  /** The name in the outbox, in metrics and in the API: lower case and underscores. */
  readonly provider: string;
  readonly title: string;
  /** What a person needs for it, in a sentence. */
  readonly summary: string;
  readonly fields: readonly ChannelField[];
  /**
   * How a person shows that a channel is theirs:
   * - `code`: a message with a code and a confirm link is sent; the code is typed in, or the link is opened.
   * - `answer`: the server must return a challenge. If it accepts the request without that, a code in the same request
   *   is typed in.
   * - `link`: the person opens the link that the new channel has, and the provider reports who did (`hook`, `receive`).
   *   If only the person's browser says so (`claimed`), a code is sent as well.
   */
  readonly confirmation: 'code' | 'answer' | 'link';
  readonly abilities: {
    /** The next nudge takes the place of the one before it. */
    readonly replaces: boolean;
    /** The message goes away when the task is dealt with. */
    readonly retracts: boolean;
    /** Done and Snooze are buttons; otherwise the message has a link to a page with them. */
    readonly buttons: boolean;
    /** The provider reports that the message reached the person. */
    readonly receipts: boolean;
    /** It keeps a message and sounds it without us, if the server is on another machine. */
    readonly holds?: boolean;
  };
  /** How a message of each stage, from the heads-up to stage 2, arrives; null where none should be sent by default. */
  readonly strengths: readonly [headsUp: string | null, stage0: string | null, stage1: string | null, stage2: string];
  /** The tier of a new channel. 0 is used at once. */
  readonly tier: 0 | 1 | 2 | 3;
}

/** A message in words. The title is already the private one if the person asked for that. */
export interface ChannelMessage {
  readonly kind: 'nudge' | 'request' | 'test' | 'confirm';
  /** The same for every attempt to send this message. Letters, digits, `-` and `_`. */
  readonly id: string;
  /** The account that the channel belongs to. */
  readonly userId: string;
  /** The task; the same for all messages about it. Null for a test. */
  readonly taskId: string | null;
  /** The same for messages that replace each other: nudges of a task, or messages about a request. Null for a test. */
  readonly threadId: string | null;
  readonly title: string;
  readonly body: string;
  /** From -1, a heads-up, to 2. */
  readonly stage: number;
  /** Of a message about a request: what it says. Null for any other. */
  readonly request: RequestNews['kind'] | null;
  readonly mustNotMiss: boolean;
  /** When the task is due, if it has a time. */
  readonly dueAt: Date | null;
  /** Real time. The message is of no use afterwards. */
  readonly expiresAt: Date;
  /** Null for a test, and in a confirmation only `confirm` is set. */
  readonly actions: ChannelActions | null;
  /** What the message offers: Done and Snooze, Accept and Decline, or nothing. */
  readonly buttons: readonly MessageButton[];
  /** What the page of `actions` is for, as the label of its link. */
  readonly pageLabel: string;
  readonly confirm: Confirmation | null;
  /** What `send` returned for the earlier messages of this run, newest first; empty where it returned none. */
  readonly refs: readonly string[];
  /** No more messages come until the person opens the app, which the message must say. Set only by providers with `limits`. */
  readonly isLast: boolean;
}

/**
 * A GET of `page` shows the task's buttons. A POST of the other URLs acts, without credentials; 62 characters of
 * `token` are enough for a button that answers through `hook` or `receive`.
 */
export interface ChannelActions {
  readonly token: string;
  readonly page: string;
  readonly done: string;
  readonly snooze: string;
  readonly seen: string;
  readonly accept: string;
  readonly decline: string;
  /** Switches the channel off. */
  readonly stop: string;
}

/** The message that links are made for. */
export interface LinkedContent {
  readonly entryId: string;
  readonly channelId: string;
  /** What the message shows; null if it hides the title. */
  readonly title: string | null;
  /** Of the address that the message goes to. */
  readonly addressId: string;
}

/** `action` is the name of one of the `ChannelActions`. */
export interface MessageButton {
  readonly action: 'done' | 'snooze' | 'accept' | 'decline';
  readonly label: string;
  readonly url: string;
}

/** Which message a reference is for. */
export interface Nudged {
  readonly id: string;
  readonly taskId: string;
  readonly threadId: string;
  readonly stage: number;
}

/** A message that the provider keeps for `delayMs`. */
export interface HeldMessage extends HeldRef {
  readonly title: string;
  readonly body: string;
  /** From 0 to 2. */
  readonly stage: number;
  readonly delayMs: number;
}

/** The task was dealt with. `refs` is never empty. */
export interface Retraction {
  readonly isRequest: boolean;
  readonly id: string;
  readonly taskId: string;
  readonly refs: readonly string[];
}

/** What a provider reports, through a webhook or when it is asked. */
export type ChannelEvent =
  /** Somebody opened the link of a channel that waits for it. */
  | { readonly kind: 'linked'; readonly code: string; readonly address: Address }
  /** Somebody came back with an address, which may be made up: it gets a code. */
  | {
      readonly kind: 'claimed';
      readonly code: string;
      readonly address: Address;
      readonly networkAddress: string;
    }
  /** A button was pressed. `from` must be the address that the message went to, as `identify` returns it. */
  | {
      readonly kind: 'pressed';
      readonly action: 'done' | 'snooze' | 'seen' | 'accept' | 'decline';
      readonly token: string;
      readonly from: string;
      /** Tells the person what the press did, in the provider's own way. */
      readonly answer?: (text: string) => Promise<void>;
    }
  /** The message reached the person. */
  | { readonly kind: 'confirmed'; readonly ref: string }
  /** The message did not reach the person, although the provider took it: the next tier is used at once. */
  | { readonly kind: 'undelivered'; readonly ref: string; readonly reason: string }
  /** The address is dead. */
  | { readonly kind: 'gone'; readonly identity: string; readonly reason: string };

/** A request to `/v1/hooks/<provider>` or `/v1/hooks/<provider>/<token>`, which anyone can send: check it. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly token: string | undefined;
  /** The hash of the last link that this browser was given; see `http/web-app/link-cookie.ts`. */
  readonly browserState: string | undefined;
  readonly networkAddress: string;
}

export type Receive = (
  cursor: string | null,
  signal: AbortSignal,
) => Promise<{ readonly events: readonly ChannelEvent[]; readonly cursor: string | null }>;

/** Completes "Input should …", and never repeats the value. */
export class AddressProblem {
  readonly field: string;
  readonly problem: string;

  constructor(field: string, problem: string) {
    this.field = field;
    this.problem = problem;
  }
}

export interface ChannelProvider {
  readonly kind: ChannelKind;
  /** How many messages may be in flight. */
  readonly maxInFlight: number;
  /** How many of them to one server, if messages go to servers that people enter. */
  readonly placesPerServer?: number;
  /** How long a message may take, if that is longer than usual. */
  readonly sendWithinMs?: number;
  readonly limits?: MessageLimits;
  readonly isForNudgesOnly?: boolean;
  /**
   * Checks what the person entered and completes it, such as with a secret of its own. A field that is left out keeps
   * its value of `before`, if the channel exists already.
   */
  readAddress(fields: Address, before?: Address): Address | AddressProblem;
  /** The same text for the same mailbox, chat or server, however it is written. */
  identify(address: Address): string;
  /** What is shown of the address: a host and a few last characters, never a secret. */
  label(address: Address): string;
  /** Whether others could read the messages there, so that new channels do not name the task. */
  isPublic?(address: Address): boolean;
  /** What the person needs once to set up the other side, such as a signing secret or a topic to subscribe to. */
  setUp?(address: Address): Readonly<Record<string, string>>;
  /** The server that messages to this address go to: the same text for the same server, as `serverOf` writes it. */
  originOf(address: Address): string;
  /** Whether the server is shown something that a person entered as their token. If absent, it may be. */
  hasToken?(address: Address): boolean;
  /** Whether the operator chose that server, or listed its host with its port, so that it is no stranger's. */
  isOperators?(address: Address): boolean;
  /** The title as the message shows it: cut, with `…` at its end, if it is too long. Absent if it is never cut. */
  shownTitle?(message: ChannelMessage): string;
  send(message: ChannelMessage, address: Address, signal: AbortSignal): Promise<PushResult>;
  /**
   * The `ref` that `send` is going to return for a nudge, if we choose it. Without it, a message cannot be retracted if
   * a crash or a time-out loses its answer.
   */
  refFor?(nudge: Nudged): string | undefined;
  /** Required of those that return a `ref` in order to retract. */
  retract?(retraction: Retraction, address: Address, signal: AbortSignal): Promise<PushResult>;
  /** What it can hold, so that it is sounded without us. Then `hold` and `release` are there too. */
  readonly holds?: Holds | undefined;
  /** What the server takes in a day; absent or null if it sets no bound. */
  findDayBudget?(address: Address): DayBudget | null;
  /**
   * Keeps the message, or moves the one with this reference, or one that an earlier attempt has left there. Never one
   * that it could not take back.
   */
  hold?(message: HeldMessage, address: Address, signal: AbortSignal): Promise<PushResult>;
  /** Takes it back, even if it was sounded already or never taken. */
  release?(held: HeldRef, address: Address, signal: AbortSignal): Promise<PushResult>;
  /** Asks whether what the operator configured works, without a message to anyone. Absent if there is nothing to ask. */
  probe?(signal: AbortSignal): Promise<PushResult>;
  /** For `confirmation: 'link'`: where the person goes with this code. */
  linkFor?(code: string): Promise<string>;
  /** Throws `unauthenticated` if the request does not come from the provider. */
  hook?(request: HookRequest): Promise<readonly ChannelEvent[]>;
  /** Called at the start until it resolves: to tell the provider where our hook is. */
  start?(signal: AbortSignal): Promise<void>;
  /**
   * Asks for news since `cursor`, for providers that cannot call us, and waits some seconds for it. One process at a
   * time does.
   */
  readonly receive?: Receive | undefined;
}

/** What one server of strangers takes at once. */
export const PLACES_PER_SERVER = 4;

/** Null if the provider is one server. */
export const findServerOf = (provider: ChannelProvider, address: Address): string | null =>
  provider.placesPerServer === undefined ? null : provider.originOf(address);

/** The host that is shown a person's token, and may lock out the service after wrong ones; null if there is none. */
export const findTokenHost = (provider: ChannelProvider, address: Address): string | null =>
  provider.placesPerServer === undefined || provider.hasToken?.(address) === false
    ? null
    : hostOf(provider.originOf(address));

/** The host that a person entered, for bounds on what is sent to strangers; null if the operator or we chose it. */
export const findEnteredHost = (provider: ChannelProvider, address: Address): string | null =>
  provider.placesPerServer === undefined || provider.isOperators?.(address) ? null : hostOf(provider.originOf(address));

/** What a bound counts for a channel that nobody has proven: the host, or else the address. Null if there is no bound. */
export const findUnprovenTarget = (provider: ChannelProvider, address: Address): string | null =>
  provider.placesPerServer === undefined
    ? `${provider.kind.provider} ${provider.identify(address)}`
    : findEnteredHost(provider, address);
