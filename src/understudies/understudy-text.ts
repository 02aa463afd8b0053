/** What a held message says. It has no buttons: they would lead to a service that does not answer. Pure. */
import { words } from '../lib/words.ts';
import type { UnderstudyContent } from './plan-understudies.ts';

export interface UnderstudyText {
  readonly title: string;
  readonly body: string;
}

/** `since` is the last sign of life that the provider had from the service: this message. */
export function understudyText(
  content: UnderstudyContent,
  since: Date,
  codeOf: (taskId: string) => string,
): UnderstudyText {
  const { kind, isPrivate, timezone, named, count } = content;
  const { understudy, nudge } = words;
  const silent = understudy.silentSince(clock(since, timezone));
  if (kind === 'gone') return { title: understudy.goneTitle, body: `${silent} ${understudy.nothingRings}` };
  const [only] = named;
  if (kind === 'task' && only) {
    const title = isPrivate ? nudge.privateTitles.due(codeOf(only.id)) : only.title;
    return { title, body: `${silent} ${understudy.wasPlanned(clock(new Date(only.at), timezone))}` };
  }
  if (isPrivate) return { title: understudy.title(count), body: `${silent} ${understudy.openLater}` };
  const list = named.map(({ title, at }) => understudy.item(title, clock(new Date(at), timezone)));
  const more = count > named.length ? [understudy.more(count - named.length)] : [];
  const body = `${silent} ${understudy.dueByNow([...list, ...more].join(', '))} ${understudy.openLater}`;
  return { title: understudy.title(count), body };
}

/** With the weekday, because it may be read days later. */
function clock(at: Date, timezone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  return words.understudy.clock(local.dayOfWeek, local.toPlainTime().toString({ smallestUnit: 'minute' }));
}
