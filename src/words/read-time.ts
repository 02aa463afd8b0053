/** Reads one time of the day: "8am", "17:30", "9 Uhr", "half past 8", "noon". */
import { numberOf } from './lexicon.ts';
import { formatIsoTime } from './wall-time.ts';

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** False for an hour from 1 to 11 that can be in the morning or in the evening. */
  readonly isExact: boolean;
  /** "6:30" and "6 Uhr", unlike "at 6" and "half past 6": who writes 18:30 in the evening means the morning. */
  readonly isPrecise?: boolean;
}

const EXACT = /^(\d{1,2}(?::\d{2})?)(?::00)?\s*([ap]m)?$/i;

/** `9:00`, `9am` and `9:30 pm` as `09:00`, `09:00` and `21:30`. Undefined for `9`, which leaves open which half of the day. */
export function readExactTime(text: string): string | undefined {
  const [, clock = '', half = ''] = EXACT.exec(text.trim()) ?? [];
  const time = clock.includes(':') || half ? readTime(clock + half) : undefined;
  return time && formatIsoTime(time);
}

/** One time of the day, with nothing else around it. */
export function readTime(written: string): ClockTime | undefined {
  const word = written.trim().toLowerCase();
  if (word === 'noon' || word === 'midday') return { hour: 12, minute: 0, isExact: true };
  // The last minute of the day: the first one of the next day would be shown under another date.
  if (word === 'midnight') return { hour: 23, minute: 59, isExact: true };
  const half = /([ap])(?:\.?m\.?|(?<=\d[ap]))$/.exec(word)?.[1];
  const bare = word.replace(/\s*(?:[ap]\.?m\.?|(?<=\d)[ap]|o['’\s]?clock.*|uhr|uur|hrs)$/, '');
  const relative = /^(half|quarter|\d{1,2}|[a-z]+)\s+(past|to)\s+(\d{1,2}|[a-z]+)$/.exec(bare);
  if (relative) return readRelative(relative, half);
  const [, hour, minute = '0'] = /^(\d{1,2}?)(?:[:.h](\d{2})?|(\d{2}))?$/.exec(bare) ?? [];
  const joined = /^(\d{1,2})(\d{2})$/.exec(bare);
  if (joined) return clockTime(Number(joined[1]), Number(joined[2]), half, true);
  if (hour === undefined) return clockTime(numberOf(bare), 0, half, false);
  const time = clockTime(Number(/^\d+/.exec(bare)?.[0]), Number(minute), half, bare.startsWith('0'));
  return time && /\d[:.h]\d|\du[hu]r$/.test(word.replaceAll(' ', '')) ? { ...time, isPrecise: true } : time;
}

function readRelative(
  [, minutes = '', side, hour = '']: RegExpExecArray,
  half: string | undefined,
): ClockTime | undefined {
  const count = minutes === 'half' ? 30 : minutes === 'quarter' ? 15 : numberOf(minutes);
  const base = clockTime(numberOf(hour), 0, half, false);
  if (!base || !(count > 0 && count < 60)) return undefined;
  const total = base.hour * 60 + (side === 'to' ? -count : count);
  return { ...base, hour: Math.floor(total / 60), minute: total % 60 };
}

function clockTime(hour: number, minute: number, half: string | undefined, isExact: boolean): ClockTime | undefined {
  if (!(hour >= 0 && hour < 24 && minute < 60)) return undefined;
  if (half === undefined) return { hour, minute, isExact: isExact || hour === 0 || hour >= 12 };
  if (hour === 0 || hour > 12) return undefined;
  return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, isExact: true };
}
