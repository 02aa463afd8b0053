/** How the first date of a series fits its rule. An end before it is refused; a first date off the rule is told. */
import { isPastUntil, namesFirst, wallTimesAfter } from '../recurrence/occurrences.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import { isClockRule, type Rule } from '../recurrence/rule.ts';
import { untilAsText } from '../recurrence/spell-rule.ts';
import type { ApiTask } from './api-task.ts';
import { allDayDate, dateInWords, zonedAt } from './format-time.ts';
import type { Recurrence } from './recurrence-input.ts';
import { ToolFailure } from './tool-failure.ts';

interface Start extends Pick<ApiTask, 'due_at' | 'has_time'> {
  readonly recurrence?: Recurrence | null;
}

/** Without this the task would come once and then be gone. */
export function refuseEarlyEnd(start: Start, zone: string): void {
  const { rule, first } = seriesOf(start, zone) ?? {};
  if (!rule?.until || !first || !isPastUntil(rule.until, first, zone)) return;
  throw new ToolFailure(
    'invalid_input',
    `recurrence.until: ${untilAsText(rule.until)} is before the first date, ${momentInWords(first, start)}. Ask the user ` +
      'when it ends, or leave the recurrence out',
  );
}

/** Undefined if the rule names its first date. */
export function firstOffRule(start: Start, zone: string): string | undefined {
  const { rule, first } = seriesOf(start, zone) ?? {};
  if (!rule || !first || isClockRule(rule) || namesFirst(rule, first)) return undefined;
  const [next] = rule.from === 'completion' ? [] : wallTimesAfter(rule, first, first).take(1);
  const begins = next === undefined ? '' : `, which begins on ${momentInWords(next, start)}`;
  return `Tell the user: the first date is off the rule${begins}.`;
}

function seriesOf(start: Start, zone: string): { rule: Rule; first: Temporal.PlainDateTime } | undefined {
  const { due_at, has_time, recurrence } = start;
  const rule = due_at === null || !recurrence ? undefined : parseRule(recurrence);
  if (!rule || due_at === null) return undefined;
  const instant = new Date(due_at);
  const first = has_time ? zonedAt(instant, zone).toPlainDateTime() : allDayDate(instant, zone).toPlainDateTime();
  return { rule, first };
}

function momentInWords(wall: Temporal.PlainDateTime, { has_time }: Start): string {
  const date = dateInWords(wall.toPlainDate());
  return has_time ? `${date} at ${wall.toPlainTime().toString().slice(0, 5)}` : date;
}
