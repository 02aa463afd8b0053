/** A phone or a browser: it shows nudges, gets a new token now and then, and is offline now and then. */
import type { ActivityPush, NudgePush, Platform, Push } from '../../src/push/gateway.ts';

/** Which provider a platform's pushes go to. */
export const GATEWAY = { ios: 'apns', android: 'fcm', web: 'web_push' } as const;

export interface Notification {
  readonly taskId: string;
  readonly stage: number;
  readonly occurrence: number | null;
}

export class Phone {
  readonly owner: string;
  readonly platform: Platform;
  token: string;
  /** Undefined until the service has stored it, and again once it has removed it. */
  deviceId: string | undefined;
  /** The service may have learned that the token is dead. */
  isTokenDead = false;
  registeredMs = Number.NEGATIVE_INFINITY;
  isOnline = true;
  removedMs = Number.POSITIVE_INFINITY;
  /** By task, because a newer nudge replaces the older one. */
  readonly shown = new Map<string, Notification>();
  /** Live Activities on the lock screen: the task, and when it was put there. */
  readonly activities = new Map<string, number>();
  #kept = new Map<string, NudgePush>();

  constructor(owner: string, platform: Platform, token: string) {
    this.owner = owner;
    this.platform = platform;
    this.token = token;
  }

  get startToken(): string {
    return `5747${this.token.slice(4)}`;
  }

  /** Every Live Activity has a token of its own, also a later one of the same task. */
  activityToken(taskId: string): string {
    const startedMs = String(this.activities.get(taskId)).padStart(12, '0');
    return `ac7${taskId.replaceAll('-', '')}${startedMs}${this.token.slice(0, 17)}`;
  }

  receive(push: Push, elapsedMs: number): void {
    if (push.kind === 'nudge') this.#receiveNudge(push);
    else if (push.kind !== 'test' && push.kind !== 'request') this.#receiveActivity(push, elapsedMs);
  }

  /** The provider kept the newest nudge of each task. */
  goOnline(now: number): void {
    this.isOnline = true;
    for (const push of this.#kept.values()) if (push.expiresAt.getTime() > now) this.#receiveNudge(push);
    this.#kept = new Map();
  }

  #receiveNudge(push: NudgePush): void {
    if (!this.isOnline) this.#kept.set(push.task.id, push);
    else {
      const occurrence = push.task.occurrenceDueAt?.getTime() ?? null;
      this.shown.set(push.task.id, { taskId: push.task.id, stage: push.stage, occurrence });
    }
  }

  #receiveActivity({ kind, task }: ActivityPush, elapsedMs: number): void {
    if (kind === 'activity_start') this.activities.set(task.id, elapsedMs);
    if (kind === 'activity_end') this.activities.delete(task.id);
  }
}

export const findPhone = (phones: readonly Phone[], token: string): Phone | undefined =>
  phones.find((phone) => {
    if (phone.token === token || phone.startToken === token) return true;
    return [...phone.activities.keys()].some((taskId) => phone.activityToken(taskId) === token);
  });
