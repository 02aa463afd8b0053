/** The interface of an invariant, and the events that it checks. */
import type { Platform, Push, PushResult, RequestNews } from '../../src/push/gateway.ts';
import type { Channel } from './channels.ts';
import type { Held, Sounded } from './holder.ts';
import type { Settings } from './model/ladder.ts';
import type { ModelTask } from './model/task.ts';
import type { Phone } from './phones.ts';
import type { ServiceProcess } from './process.ts';
import type { World } from './world.ts';

/** Longer than the longest back-off. */
export const RETRIED_WITHIN_MS = 10 * 60_000;
/** After the clock was set back, a retry may lie this far ahead. A retry further ahead is made at once. */
const SET_BACK_MS = 16 * 60_000;

/** Whether the service has had enough time for all retries since it started or its clock was set. */
export const hasRetried = (world: World): boolean =>
  world.liveMs > RETRIED_WITHIN_MS && world.elapsedMs - world.clocks.jumpedMs > RETRIED_WITHIN_MS + SET_BACK_MS;

/** A nudge in the timeline, as the database logged its insertion. */
export interface Nudge {
  readonly entryId: string;
  readonly taskId: string;
  readonly at: number;
  readonly stage: number;
  readonly run: number;
}

export interface Sent {
  readonly push: Push;
  readonly phone: Phone | undefined;
  readonly channel: Channel | undefined;
  /** The run of its nudge, if it is one. Two runs may have a nudge in the same moment. */
  readonly run: number | undefined;
  /** The messages of a channel that this one replaces. */
  readonly refs: readonly string[];
  readonly ms: number;
  readonly now: number;
  readonly process: ServiceProcess;
  /** Undefined until the provider has answered. */
  result?: PushResult;
  /** When the service got the result. It may have died before it stored the result. */
  answeredMs: number;
  /** The provider of a channel took it, and has reported that it did not arrive. */
  isUndelivered: boolean;
}

/** A nudge by mail, to the address that its owner signs in with. */
export interface Mail extends Pick<Sent, 'process' | 'answeredMs'> {
  readonly taskId: string;
  /** The moment of the nudge. */
  readonly at: number;
  /** With it the nudge: a run that begins anew may nudge at the last moment of the one before. */
  readonly stage: number;
  readonly isRefused: boolean;
}

/** A message about a request, as it is put on the wire. */
export interface Told {
  readonly kind: RequestNews['kind'];
  readonly taskId: string;
  readonly title: string;
  /** Whose phone, browser or channel it is; undefined if nobody has it. */
  readonly recipient: string | undefined;
  /** Null for a channel. */
  readonly platform: Platform | null;
  readonly ms: number;
  readonly now: number;
}

const STORED_WITHIN_MS = 1_000;

/** Whether the result was stored by then: the process lived on for a moment after it was told. */
export const isStored = (
  { process, answeredMs }: Pick<Sent, 'process' | 'answeredMs'>,
  byMs = Number.POSITIVE_INFINITY,
): boolean => Math.min(process.diedMs, byMs) - process.storedBy(answeredMs) > STORED_WITHIN_MS;

/** An answer to a delivery. */
export interface Answered {
  /** The moment of the nudge. */
  readonly at: number;
  readonly run: number;
  readonly tier: number;
  readonly ms: number;
  readonly now: number;
}

/** What a quiet account has due beside loud ones, and when it must be on its way. */
export interface Waiting {
  readonly taskId: string;
  readonly dueMs: number;
  readonly mostMs: number;
  /** Undefined if any device or channel may get it. */
  readonly channel?: Channel;
  /** What keeps others busy, for the sentence of a violation. */
  readonly beside: string;
}

/** Tasks of loud accounts that are due together with one of a quiet account. */
export interface Backlog {
  readonly taskId: string;
  readonly loud: ReadonlySet<string>;
  /** How many of their nudges may come before it, and how many have. */
  readonly most: number;
  before: number;
}

/** A promise of the service. Each hook returns what is wrong, as a sentence. */
export interface Invariant {
  readonly name: string;
  nudge?(world: World, nudge: Nudge, task: ModelTask, settings: readonly Settings[]): string | undefined;
  push?(world: World, sent: Sent, task: ModelTask | undefined): string | undefined;
  told?(world: World, told: Told, task: ModelTask | undefined): string | undefined;
  /** Called when a message of a channel was taken back. */
  taken?(world: World, sent: Sent, task: ModelTask | undefined): string | undefined;
  /** Called when the provider has taken a message to hold it. */
  held?(world: World, held: Held): string | undefined;
  /** Called when the provider has sounded a message by itself. */
  sounded?(world: World, sounded: Sounded): string | undefined;
  /** Called when time has passed, for what must have happened by a moment. */
  time?(world: World): string | undefined;
  /** Called when everything has worked again for an hour. */
  end?(world: World): Promise<string | undefined> | string | undefined;
}
