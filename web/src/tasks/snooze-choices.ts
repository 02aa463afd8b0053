/** The times to snooze until that the sheet offers. Pure. */

import { addDays, toInstant, toWallTime, type WallTime, weekdayOf } from '../../../src/words/wall-time.ts';
import { screenStrings } from '../screen-strings.ts';

interface SnoozeChoice {
  readonly label: string;
  readonly at: number;
}

const MINUTE_MS = 60_000;
const EVENING_HOUR = 19;

export function snoozeChoices(now: number, zone: string, dayStart: string): SnoozeChoice[] {
  const today = toWallTime(now, zone);
  const [hour = 9, minute = 0] = dayStart.split(':').map(Number);
  const at = (wall: WallTime, clock: { hour: number; minute: number }) => toInstant({ ...wall, ...clock }, zone);
  const evening = at(today, { hour: EVENING_HOUR, minute: 0 });
  const tomorrow = at(addDays(today, 1), { hour, minute });
  const monday = at(addDays(today, 8 - weekdayOf(today)), { hour, minute });
  const choices: SnoozeChoice[] = [
    { label: screenStrings.snooze.minutes(15), at: now + 15 * MINUTE_MS },
    { label: screenStrings.snooze.hour, at: now + 60 * MINUTE_MS },
    { label: screenStrings.snooze.hours(3), at: now + 180 * MINUTE_MS },
    { label: screenStrings.snooze.evening, at: evening },
    { label: screenStrings.snooze.tomorrow, at: tomorrow },
  ];
  // On Sundays they are the same moment.
  if (monday !== tomorrow) choices.push({ label: screenStrings.snooze.week, at: monday });
  return choices.filter(({ at: moment }) => moment > now + 5 * MINUTE_MS || moment === now + 15 * MINUTE_MS);
}
