/** The lists of a preview: first tasks, rules with their first dates, what was not understood, what is left out. */
import { type ReactNode, useState } from 'react';
import type { MoveInPreview } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { formatDue } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { moveInStrings as words } from './move-in-strings.ts';

const SHOWN_FIRST = 10;

interface ListProps<T> {
  readonly items: readonly T[];
  /** How many there are in the file, which may be more. */
  readonly count?: number;
  readonly children: (item: T) => ReactNode;
}

/** The first few; the others on request. */
function LongList<T>({ items, count = items.length, children }: ListProps<T>) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, SHOWN_FIRST);
  const hidden = count - shown.length;
  return (
    <>
      <ul>
        {shown.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items never change their order.
          <li key={index} className="border-line border-t py-2 first:border-t-0">
            {children(item)}
          </li>
        ))}
      </ul>
      {hidden > 0 &&
        (isWhole ? (
          <p className="pt-2 text-sm text-soft">{words.more(hidden)}</p>
        ) : (
          <Button variant="plain" className="mt-1 -ml-3 px-3!" onClick={() => setIsWhole(true)}>
            {words.more(hidden)}
          </Button>
        ))}
    </>
  );
}

interface RemarkProps {
  readonly remarks: MoveInPreview['not_understood'];
  readonly count: number;
}

export const NotUnderstood = ({ remarks, count }: RemarkProps) =>
  count > 0 && (
    <Section title={words.notUnderstood(count)}>
      <LongList items={remarks} count={count}>
        {({ at, title, says }) => (
          <>
            <p className="wrap-anywhere">
              <span className="font-semibold">{title ?? words.untitled}</span>{' '}
              <span className="text-sm text-soft">{at}</span>
            </p>
            <p className="text-sm text-soft wrap-anywhere">{says}</p>
          </>
        )}
      </LongList>
    </Section>
  );

export function Rules({ rules, count }: { readonly rules: MoveInPreview['rules']; readonly count: number }) {
  const [zone, now] = [useZone(), useNow()];
  if (count === 0) return null;
  return (
    <Section title={words.rules(count)} lead={words.rulesLead}>
      <LongList items={rules} count={count}>
        {({ title, rule, dates, has_time }) => (
          <>
            <p className="font-semibold wrap-anywhere">{title}</p>
            <p className="text-sm">{rule}</p>
            <p className="text-sm text-soft">
              {dates.map((due_at) => formatDue({ due_at, has_time }, zone, now)).join(' · ')}
            </p>
          </>
        )}
      </LongList>
    </Section>
  );
}

export function FirstTasks({ tasks }: { readonly tasks: MoveInPreview['examples'] }) {
  const [zone, now] = [useZone(), useNow()];
  if (tasks.length === 0) return null;
  return (
    <Section title={words.examples}>
      <LongList items={tasks}>
        {({ title, list, due_at, has_time, overdue }) => (
          <>
            <p className="wrap-anywhere">{title}</p>
            <p className="text-sm text-soft">
              <span className={overdue ? 'text-danger' : ''}>
                {due_at === null ? words.noDate : formatDue({ due_at, has_time }, zone, now)}
              </span>
              {list !== null && ` · ${list}`}
            </p>
          </>
        )}
      </LongList>
    </Section>
  );
}

export const LeftOut = ({ parts }: { readonly parts: MoveInPreview['left_out'] }) =>
  parts.length > 0 && (
    <Section title={words.leftOutTitle}>
      <LongList items={parts}>{({ what, count }) => words.leftOut[what](count)}</LongList>
    </Section>
  );
