/** What stand-ins do by the links and buttons of their messages, with the states that `channels/act-view.ts` shows. */
import type { Clock } from '../../lib/clock.ts';
import { type ReachedTasksService, standInCaller } from './reached-tasks.service.ts';
import type { StandInsService } from './stand-ins.service.ts';

const SNOOZE_MS = 3_600_000;

interface LinkPerson {
  readonly userId: string;
  /** The provider of the channel. */
  readonly via: string;
}

export class StandInLinks {
  readonly #standIns: StandInsService;
  readonly #reached: ReachedTasksService;
  readonly #clock: Clock;

  constructor(standIns: StandInsService, reached: ReachedTasksService, clock: Clock) {
    this.#standIns = standIns;
    this.#reached = reached;
    this.#clock = clock;
  }

  isShown = (userId: string, taskId: string): Promise<boolean> => this.#reached.isShown(userId, taskId);

  /** Acts on the occurrence that the message was about, or throws `occurrence_passed`. */
  async act(
    { userId, via }: LinkPerson,
    taskId: string,
    action: 'done' | 'snooze' | 'seen' | 'undo' | 'leave',
    occurrence: Date | null,
  ) {
    const caller = standInCaller(userId, via);
    const about = occurrence?.toISOString() ?? null;
    switch (action) {
      case 'leave': {
        const { stand_in_id } = await this.#reached.get(userId, taskId);
        await this.#standIns.end({ userId }, stand_in_id);
        return 'left' as const;
      }
      case 'done':
        await this.#reached.complete(caller, taskId, about);
        await this.#reached.seen(caller, taskId);
        return 'done' as const;
      case 'undo':
        await this.#reached.reopen(caller, taskId, about);
        return 'undone' as const;
      case 'seen':
        await this.#reached.seen(caller, taskId, about);
        return 'seen' as const;
      case 'snooze':
        await this.#reached.snooze(caller, taskId, new Date(this.#clock.now().getTime() + SNOOZE_MS), about);
        return 'snoozed' as const;
    }
  }

  /** The button of the message that asks. */
  async answer(userId: string, standInId: string, answer: 'accept' | 'decline'): Promise<void> {
    if (answer === 'accept') await this.#standIns.agree({ userId }, standInId, false);
    else await this.#standIns.end({ userId }, standInId);
  }
}
