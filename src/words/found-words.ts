/** What the readers found in the words of a task, before it is settled what they leave open. */
import type { Lag } from './find-offset.ts';
import type { Repeat } from './find-rule.ts';
import type { Stop } from './find-stop.ts';
import type { FoundTime } from './find-time.ts';
import type { FoundDate } from './found-date.ts';
import type { WallTime } from './wall-time.ts';

export interface Moment {
  readonly soon?: WallTime;
  /** `soon` stands for "a few". */
  readonly isFew?: boolean;
  /** The words name no moment, but how to remind. */
  readonly isBeginning?: boolean;
  readonly day?: FoundDate | undefined;
  readonly time?: FoundTime | undefined;
  readonly lag?: Lag | undefined;
  /** A number that stays can be a time: "pay 5.30 friday". */
  readonly isPriced?: boolean;
}

export interface FoundWords extends Moment {
  readonly repeat: Repeat | undefined;
  readonly until: FoundDate | undefined;
  readonly stop: Stop | undefined;
  /** Words that may name a day stay, because they look like a name. */
  readonly hasName: boolean;
}
