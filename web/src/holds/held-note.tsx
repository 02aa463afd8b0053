/** Says when a moment that is asked for will ring instead, and lets a person choose that it rings anyway. */
import { serviceNow } from '../api/service-clock.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { type Held, heldAt } from './held.ts';
import { heldStrings as words } from './held-strings.ts';
import type { Holds } from './release.ts';
import { useHolds } from './use-holds.ts';

interface HeldChoiceProps {
  /** The moment that is asked for. */
  readonly at: number;
  readonly mustNotMiss: boolean;
  /** Whether the person has chosen that it rings at this moment. */
  readonly isOnce: boolean;
  readonly onOnce: (isOnce: boolean) => void;
  /** Left out where the task cannot be changed here. */
  readonly onAlways?: () => void;
}

/** For a moment that is not stored yet. */
export function HeldChoice({ at, mustNotMiss, isOnce, onOnce, onAlways }: HeldChoiceProps) {
  const holds = useHolds();
  const held = holds && heldAt(at, mustNotMiss, holds);
  if (!holds || !held) return null;
  const when = formatMoment(at, holds.zone, serviceNow());
  if (isOnce)
    return (
      <HeldBox text={words.ringsOnce(when)}>
        <Button variant="plain" className="min-h-9 px-3" onClick={() => onOnce(false)}>
          {strings.undo}
        </Button>
      </HeldBox>
    );
  return <HeldNote held={held} holds={holds} onOnce={() => onOnce(true)} onAlways={onAlways} />;
}

interface HeldNoteProps {
  readonly held: Held;
  readonly holds: Holds;
  /** Left out if the moment has passed. */
  readonly onOnce?: (() => void) | undefined;
  readonly onAlways?: (() => void) | undefined;
}

export function HeldNote({ held, holds, onOnce, onAlways }: HeldNoteProps) {
  const { at, by, wanted = at } = held;
  // A pause can hold what must not be missed too.
  const helps = heldAt(wanted, true, holds) === undefined;
  return (
    <HeldBox text={words.note(formatMoment(at, holds.zone, serviceNow()), by)}>
      {onOnce && (
        <Button className="min-h-9 px-3" onClick={onOnce}>
          {words.once}
        </Button>
      )}
      {onAlways && helps && by.length > 0 && (
        <Button className="min-h-9 px-3" onClick={onAlways}>
          {words.always}
        </Button>
      )}
    </HeldBox>
  );
}

export const HeldBox = ({ text, children }: { readonly text: string; readonly children: React.ReactNode }) => (
  <div data-held className="flex flex-wrap items-center gap-2 rounded-xl bg-night px-3 py-2 text-sm text-night-ink">
    <p className="flex min-w-0 grow basis-56 items-center gap-2">
      <Icon name="pause" className="size-4 shrink-0" />
      {text}
    </p>
    <div className="flex flex-wrap gap-2 empty:hidden">{children}</div>
  </div>
);
