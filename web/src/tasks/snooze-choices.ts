/** The times to snooze until that the sheet offers. Pure. */
import { strings } from '../strings.ts';
import { addDays, toInstant, toWallTime, type WallTime, weekdayOf } from '../time/wall-time.ts';

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
  const choices: SnoozeChoice[] = [
    { label: strings.snooze.minutes(15), at: now + 15 * MINUTE_MS },
    { label: strings.snooze.hour, at: now + 60 * MINUTE_MS },
    { label: strings.snooze.hours(3), at: now + 180 * MINUTE_MS },
    { label: strings.snooze.evening, at: evening },
    { label: strings.snooze.tomorrow, at: at(addDays(today, 1), { hour, minute }) },
    { label: strings.snooze.week, at: at(addDays(today, 8 - weekdayOf(today)), { hour, minute }) },
  ];
  // On a Sunday, next Monday is tomorrow: one of the two is enough.
  const isRepeated = (index: number) => choices.slice(0, index).some((earlier) => earlier.at === choices[index]?.at);
  return choices.filter(({ at: moment }, index) => moment > now + 5 * MINUTE_MS && !isRepeated(index));
}
