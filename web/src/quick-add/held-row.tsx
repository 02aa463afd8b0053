/** Under what was understood: whether quiet hours or a pause would hold the task. */
import { lazy, Suspense } from 'react';
import type { ParsedTask } from '../../../src/words/parse-task.ts';
import { instantOf } from './save-task.ts';

const HeldChoice = lazy(() => import('../holds/held-note.tsx').then((file) => ({ default: file.HeldChoice })));

interface HeldRowProps {
  /** Undefined for the task of another person, who has holds of their own. */
  readonly parsed: ParsedTask | undefined;
  readonly zone: string;
  readonly ringsAt: number | undefined;
  readonly onRings: (at: number | undefined) => void;
  readonly onAlways: () => void;
}

/** Says if quiet hours or a pause would hold the task, and offers to ring anyway. */
export function HeldRow({ parsed, zone, ringsAt, onRings, onAlways }: HeldRowProps) {
  const at = parsed && !parsed.isPast ? instantOf(parsed, zone) : undefined;
  if (!parsed || at === undefined) return null;
  return (
    <Suspense>
      <div className="px-3 pb-2 empty:hidden">
        <HeldChoice
          at={at}
          mustNotMiss={parsed.mustNotMiss}
          isOnce={ringsAt === at}
          onOnce={(isOnce) => onRings(isOnce ? at : undefined)}
          onAlways={onAlways}
        />
      </div>
    </Suspense>
  );
}
