/**
 * What the engine hands to a push provider, and what it hears back.
 *
 * A gateway never throws and never decides what becomes of a device: it says what the provider
 * said, in one of five words, and the engine acts on the word. Only `gone` costs a device its
 * validity; silence, a refusal for now or a fault of ours never does.
 */
export type Platform = 'ios' | 'android' | 'web';
/** Apple's two worlds are two providers: each has a connection of its own, and room of its own. */
export type Provider = 'apns' | 'apns_sandbox' | 'fcm' | 'web_push';

export function providerOf(platform: Platform, environment: Target['environment']): Provider {
  if (platform === 'android') return 'fcm';
  if (platform === 'web') return 'web_push';
  return environment === 'sandbox' ? 'apns_sandbox' : 'apns';
}

export interface Target {
  readonly platform: Platform;
  /** A device token, a registration token, or the endpoint of a Web Push subscription. */
  readonly token: string;
  /** Which of Apple's two worlds the token belongs to. */
  readonly environment: 'sandbox' | 'production';
  /** What a Web Push is encrypted with, base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string } | null;
}

export interface PushedTask {
  readonly id: string;
  readonly title: string;
  /** The due moment, the calendar date of a task without a time, or null where only a snooze brought it back. */
  readonly due: Date | Temporal.PlainDate | null;
  /** The task's `due_at`: what a button on the notification is bound to. */
  readonly occurrenceDueAt: Date | null;
  readonly mustNotMiss: boolean;
  /** The owner's time zone. */
  readonly timezone: string;
}

export interface NudgePush {
  readonly kind: 'nudge';
  readonly target: Target;
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  /** In real time: when a provider that could not deliver it yet may forget it. */
  readonly expiresAt: Date;
}

/** A card that lives on the lock screen: started once, updated by each nudge, ended with the task. */
export interface ActivityPush {
  readonly kind: 'activity_start' | 'activity_update' | 'activity_end';
  /** With the push-to-start token to start one, the activity's own token afterwards. */
  readonly target: Target;
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  /** Whether there is something new to see; what is not does not spend the hourly budget. */
  readonly isUrgent: boolean;
}

/** Asked for by the user, to see whether pushes arrive. */
export interface TestPush {
  readonly kind: 'test';
  readonly target: Target;
  readonly expiresAt: Date;
}

export type Push = NudgePush | ActivityPush | TestPush;

export type PushResult =
  | { readonly kind: 'accepted' }
  /** Not now: overload, a fault of the provider, a broken connection. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs?: number }
  /** The token is dead, at the latest since then. */
  | { readonly kind: 'gone'; readonly reason: string; readonly since?: Date }
  /** This push will never be taken; the next one may be. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Our credentials or settings are wrong: no push of this provider gets through until they are mended. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

export interface Gateway {
  /** Resolves with the result; never rejects. Once the signal fires, the answer is no longer waited for. */
  send(push: Push, signal: AbortSignal): Promise<PushResult>;
  /** How many more pushes would go out at once instead of waiting in line. */
  room(): number;
  /** Whether pushes are answered without asking, since the provider refused our credentials a moment ago. */
  isRefused?(): boolean;
  close(): Promise<void>;
}

/** Those that are configured. */
export type Gateways = Readonly<Partial<Record<Provider, Gateway>>>;
