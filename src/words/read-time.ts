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
  /** "17", unlike "5pm": the other times beside it are written in the same way. */
  readonly is24Hour?: boolean;
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
  // "8 Uhr 30".
  const word = written
    .trim()
    .toLowerCase()
    .replace(/\s*u[hu]r\s*(?=\d)/, ':');
  if (word === 'noon' || word === 'midday') return { hour: 12, minute: 0, isExact: true };
  // The last minute of the day: the first one of the next day would be shown under another date.
  if (word === 'midnight') return { hour: 23, minute: 59, isExact: true };
  const half = /([ap])(?:\.?m\.?|(?<=\d[ap]))$/.exec(word)?.[1];
  const bare = word.replace(/\s*(?:[ap]\.?m\.?|(?<=\d)[ap]|o['’\s]?clock.*|uhr|uur|hrs|(?<=[.:]\d\d\s*)h)$/, '');
  // As in Britain: half past eight.
  const halfPast = /^half\s+(\d{1,2}|[a-z]+)$/.exec(bare);
  if (halfPast) return clockTime(numberOf(halfPast[1] ?? ''), 30, half, false);
  const relative = RELATIVE.exec(bare.replace(/\s+(?:minutes|mins)(?=\s)/, ''));
  if (relative) return readRelative(relative, half);
  if (/^[a-z]/.test(bare)) return readSpoken(bare.split(/[\s-]+/), half);
  const [, hour, minute = '0'] = /^(\d{1,2}?)(?:[:.h](\d{2})?|(\d{2}))?$/.exec(bare) ?? [];
  const joined = /^(\d{1,2})(\d{2})$/.exec(bare);
  if (joined) return clockTime(Number(joined[1]), Number(joined[2]), half, true);
  if (hour === undefined) return clockTime(Number.parseInt(bare, 10), 0, half, false);
  const time = clockTime(Number(/^\d+/.exec(bare)?.[0]), Number(minute), half, bare.startsWith('0'));
  return time && /\d[:.h]\d|\du[hu]r$/.test(word.replaceAll(' ', '')) ? { ...time, isPrecise: true } : time;
}

const RELATIVE =
  /^(?:an?\s+)?(half|quarter|\d{1,2}|[a-z]+(?:[\s-][a-z]+)?)\s+(past|after|to|till?|of)\s+(\d{1,2}|[a-z]+)$/;

function readRelative(
  [, minutes = '', side = '', hour = '']: RegExpExecArray,
  half: string | undefined,
): ClockTime | undefined {
  const count = minutes === 'half' ? 30 : minutes === 'quarter' ? 15 : numberOf(minutes);
  const isAfter = side === 'past' || side === 'after';
  const base = hour === 'midnight' ? midnight(isAfter) : readTime(half ? `${hour}${half}m` : hour);
  if (!base || !(count > 0 && count < 60)) return undefined;
  const total = base.hour * 60 + (isAfter ? count : -count);
  // "five to twelve" can be before midnight.
  const isOpen = hour === 'twelve' && !isAfter && half === undefined;
  return { ...base, hour: Math.floor(total / 60), minute: total % 60, isExact: base.isExact && !isOpen };
}

const midnight = (isAfter: boolean): ClockTime => ({ hour: isAfter ? 0 : 24, minute: 0, isExact: true });

const isZero = (word: string | undefined) => word === 'oh' || word === 'zero';

/** "five thirty", "oh nine fifteen", "twenty-two oh five", "nineteen hundred hours". */
function readSpoken(words: readonly string[], half: string | undefined): ClockTime | undefined {
  const isTwoWords = isZero(words[0]) || (words[0] === 'twenty' && /^(?:one|two|three)$/.test(words[1] ?? ''));
  const at = isTwoWords ? 2 : 1;
  const hour = numberOf(words.slice(isZero(words[0]) ? 1 : 0, at).join('-'));
  const minutes = words.slice(at).filter((word) => word !== 'hours');
  const isMilitary = isZero(words[0]) || minutes[0] === 'hundred';
  if (minutes.length === 0 || minutes[0] === 'hundred') return clockTime(hour, 0, half, isMilitary);
  return clockTime(hour, numberOf(minutes.slice(isZero(minutes[0]) ? 1 : 0).join('-')), half, isMilitary);
}

function clockTime(hour: number, minute: number, half: string | undefined, isExact: boolean): ClockTime | undefined {
  if (!(hour >= 0 && hour < 24 && minute < 60)) return undefined;
  if (half === undefined) {
    return { hour, minute, isExact: isExact || hour === 0 || hour >= 12, ...(hour > 12 && { is24Hour: true }) };
  }
  if (hour === 0 || hour > 12) return undefined;
  return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, isExact: true };
}
