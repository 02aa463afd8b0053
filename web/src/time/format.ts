/** Formats instants for the screen, in the zone of the account. */

import { daysBetween, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import { LOCALE, strings } from '../strings.ts';
import { dateLocale, is12Hour } from './date-customs.ts';

const formatters = new Map<string, Intl.DateTimeFormat>();

export function format(instant: number | Date, zone: string, options: Intl.DateTimeFormatOptions): string {
  const locale = dateLocale();
  const key = locale + zone + JSON.stringify(options);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  formatters.set(key, formatter);
  return formatter.format(instant);
}

export const formatTime = (instant: string | number, zone: string) =>
  is12Hour()
    ? format(new Date(instant), zone, { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' })
    : format(new Date(instant), zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** A time of day as the service has it: "18:30". */
export const formatClock = (time: string): string => formatTime(`1970-01-01T${time}Z`, 'UTC');

/** "today", "tomorrow", "Thursday", "12 Mar", "12 Mar 2027". */
export function formatDay(instant: string | number, zone: string, now: number): string {
  const at = new Date(instant);
  const today = toWallTime(now, zone);
  const day = toWallTime(at, zone);
  const distance = daysBetween(today, day);
  if (distance === 0) return strings.time.today;
  if (distance === 1) return strings.time.tomorrow;
  if (distance === -1) return strings.time.yesterday;
  if (distance > 1 && distance < 7) return format(at, zone, { weekday: 'long' });
  const year = today.year === day.year ? {} : { year: 'numeric' as const };
  return format(at, zone, { weekday: 'short', day: 'numeric', month: 'short', ...year });
}

export const formatMoment = (instant: string | number, zone: string, now: number) =>
  strings.time.dayAt(formatDay(instant, zone, now), formatTime(instant, zone));

export function formatDue({ due_at, has_time }: Pick<Task, 'due_at' | 'has_time'>, zone: string, now: number): string {
  if (due_at === null) return strings.time.noDate;
  return has_time ? formatMoment(due_at, zone, now) : formatDay(due_at, zone, now);
}

export const formatDate = (instant: string | number, zone: string) =>
  format(new Date(instant), zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

export const formatShortDate = (instant: string | number, zone: string) =>
  format(new Date(instant), zone, { day: 'numeric', month: 'short' });

/** "25 Nov 2026". A text that is not a date is shown as it is. */
export function formatPlainDate(isoDate: string): string {
  const instant = Date.parse(isoDate);
  return Number.isNaN(instant) ? isoDate : format(instant, 'UTC', { day: 'numeric', month: 'short', year: 'numeric' });
}

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

/** "in 15 minutes", "2 hours ago". */
export function formatRelative(instant: string | number, now: number): string {
  const distance = new Date(instant).getTime() - now;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['minute', 60_000];
  return Math.abs(distance) < 60_000 ? strings.time.now : relative.format(Math.round(distance / ms), unit);
}

export function formatHours(hours: number): string {
  if (hours < 1) return strings.time.minutes(Math.round(hours * 60));
  if (hours < 48) return strings.time.hours(Math.round(hours * 10) / 10);
  return strings.time.days(Math.round((hours / 24) * 10) / 10);
}
