/** Asked once where the text has several lines. */
import type { ParsedTask } from '../../../src/words/parse-task.ts';
import { toInstant } from '../../../src/words/wall-time.ts';
import { serviceNow } from '../api/service-clock.ts';
import { heldAt } from '../holds/held.ts';
import { heldStrings } from '../holds/held-strings.ts';
import { useHolds } from '../holds/use-holds.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { MAX_LINES } from './lines.ts';
import { readingInWords } from './understood.tsx';

const { quickAdd: words } = screenStrings;
const SHOWN = 5;

interface LinesQuestionProps {
  readonly count: number;
  /** How the first lines are understood. */
  readonly tasks: readonly ParsedTask[];
  readonly zone: string;
  /** The holds of other people are not known. */
  readonly isOwn: boolean;
  readonly onSeveral: () => void;
  /** Undefined if the text is too long for notes. */
  readonly onOne: (() => void) | undefined;
}

export function LinesQuestion({ count, tasks, zone, isOwn, onSeveral, onOne }: LinesQuestionProps) {
  const isTooMany = count > MAX_LINES;
  const holds = useHolds();
  const heldWords = ({ due, hasTime, isPast, mustNotMiss }: ParsedTask): string => {
    const held = holds && isOwn && due && hasTime && !isPast && heldAt(toInstant(due, zone), mustNotMiss, holds);
    return held ? heldStrings.rings(formatMoment(held.at, zone, serviceNow()), held.by) : '';
  };
  return (
    <div className="px-3 pt-1.5 pb-2" data-lines>
      <p className="font-semibold">{isTooMany ? words.tooManyLines(count, MAX_LINES) : words.lines(count)}</p>
      <ul className="mt-2 space-y-1 text-sm">
        {tasks.slice(0, SHOWN).map((task, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines can be the same, and none of them moves.
          <li key={index} className="break-words">
            {task.title} <span className="text-soft">· {readingInWords(task, zone)}</span>{' '}
            <span className="text-night-ink">{heldWords(task)}</span>
          </li>
        ))}
        {count > SHOWN && <li className="text-soft">{words.moreLines(count - SHOWN)}</li>}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        {!isTooMany && (
          <Button variant="primary" onClick={onSeveral}>
            {words.several(count)}
          </Button>
        )}
        {onOne && <Button onClick={onOne}>{words.oneWithNotes}</Button>}
      </div>
    </div>
  );
}
