/** What a person's words are read with: their clock, their habits, and the readings that they chose. */
import type { Choices } from './guess.ts';
import { toInstant, type WallTime } from './wall-time.ts';

export interface ScheduleOptions {
  readonly now: number;
  readonly zone: string;
  /** The person writes 18:30 for the evening, so 6:30 is in the morning. */
  readonly is24Hour?: boolean;
  /** When the person's day starts, "09:00": the time of a morning. */
  readonly dayStart?: string;
  readonly choices?: Choices;
}

export const isPast = (wall: WallTime, { now, zone }: ScheduleOptions): boolean => toInstant(wall, zone) <= now;
