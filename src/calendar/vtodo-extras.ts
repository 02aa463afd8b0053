/** What a move from another calendar keeps beyond `vtodo.ts`: categories, short alarms, and tasks whose series is refused. */
import ICAL from 'ical.js';

type Component = InstanceType<typeof ICAL.Component>;

const SERIES = ['rrule', 'exdate', 'rdate', 'exrule', 'recurrence-id'];
const MINUTE_SECONDS = 60;

export function categoriesOf(todo: Component): string[] {
  return todo
    .getAllProperties('categories')
    .flatMap((property) => property.getValues() as unknown[])
    .filter((value) => typeof value === 'string');
}

/** Minutes before the due moment. Alarms at a fixed moment, and at or after the due moment, are none. */
export function alarmMinutes(todo: Component): { readonly minutes: number[]; readonly leftOut: number } {
  const triggers = todo.getAllSubcomponents('valarm').map((alarm) => alarm.getFirstPropertyValue('trigger'));
  const minutes = triggers.flatMap((trigger) =>
    trigger instanceof ICAL.Duration ? [Math.round(-trigger.toSeconds() / MINUTE_SECONDS)] : [],
  );
  const before = minutes.filter((one) => one > 0);
  const atDue = minutes.filter((one) => one === 0).length;
  return { minutes: before, leftOut: triggers.length - before.length - atDue };
}

/** The task as it stands in the file, without its series; undefined if it has none. */
export function withoutSeries(todo: Component): { readonly todo: Component; readonly rule: string } | undefined {
  if (!SERIES.some((name) => todo.hasProperty(name))) return undefined;
  const single = ICAL.Component.fromString(todo.toString());
  const rule = single.getFirstPropertyValue('rrule');
  for (const name of SERIES) single.removeAllProperties(name);
  return { todo: single, rule: rule instanceof ICAL.Recur ? rule.toString() : '' };
}

const LONGEST_LINK = 2_000;

/** The address of each attachment; empty for one whose content stands in the file. */
export const attachmentLinks = (todo: Component): string[] =>
  todo.getAllProperties('attach').map((property) => {
    const value: unknown = property.getFirstValue();
    return typeof value === 'string' && /^https?:/i.test(value) && value.length <= LONGEST_LINK ? value : '';
  });
