/** One rung in the editor: how long after the one before, how strong, and where it stands. */
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { problemText } from '../api/problem.ts';
import { stageColour } from '../ladder/stage-badge.tsx';
import { strings } from '../strings.ts';
import { IconButton } from '../ui/button.tsx';
import { Stepper } from '../ui/stepper.tsx';
import { mostOf, type RungFields } from './ladder-fields.ts';
import { testRung } from './ladder-queries.ts';
import { ladderStrings } from './ladder-strings.ts';

const { editor: words } = ladderStrings;
const UNITS = ['minutes', 'hours', 'days', 'day_start', 'clock'] as const;
const STAGES = [0, 1, 2];

interface RungRowProps {
  readonly rung: RungFields;
  readonly index: number;
  readonly isLast: boolean;
  readonly problem: string | undefined;
  readonly onChange: (change: Partial<RungFields>) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
  readonly onTested: (text: string) => void;
}

export function RungRow({ rung, index, isLast, problem, onChange, onMove, onRemove, onTested }: RungRowProps) {
  const number = index + 1;
  const isDue = index === 0;
  const id = useId();
  const wrong = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id };
  const test = useMutation({
    mutationFn: () => testRung(rung.stage),
    onMutate: () => onTested(words.testing),
    onSuccess: ({ sent }) => onTested(sent === 0 ? words.testedNone : words.tested(sent)),
    onError: (error) => onTested(problemText(error)),
  });
  return (
    <li data-rung={rung.key} className="grid min-w-0 gap-2 rounded-2xl border border-line py-2 pr-2 pl-4">
      <div className="flex items-center">
        <span className="flex min-w-0 grow items-center gap-2 text-sm font-semibold">
          <span className="size-2.5 shrink-0 rounded-full" style={{ background: stageColour(rung.stage) }} />
          {words.rung(number)}
        </span>
        <IconButton icon="bell" label={words.test(number)} disabled={test.isPending} onClick={() => test.mutate()} />
        {!isDue && (
          <>
            <IconButton
              icon="arrow"
              data-act="up"
              className="-rotate-90 disabled:opacity-30"
              label={words.up(number)}
              disabled={index === 1}
              onClick={() => onMove(-1)}
            />
            <IconButton
              icon="arrow"
              data-act="down"
              className="rotate-90 disabled:opacity-30"
              label={words.down(number)}
              disabled={isLast}
              onClick={() => onMove(1)}
            />
            <IconButton icon="trash" data-act="remove" label={words.remove(number)} onClick={onRemove} />
          </>
        )}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2 pr-2 pb-1">
        {isDue ? (
          <span className="min-w-0 grow basis-32">{words.due}</span>
        ) : (
          <Wait rung={rung} number={number} wrong={problem && id} onChange={onChange} />
        )}
        <select
          className="field w-auto! min-w-0 grow basis-40"
          aria-label={words.stage(number)}
          {...wrong}
          value={rung.stage}
          onChange={(event) => onChange({ stage: Number(event.target.value) })}
        >
          {STAGES.map((stage) => (
            <option key={stage} value={stage}>
              {strings.task.stageName(stage)}
            </option>
          ))}
        </select>
      </div>
      {problem && (
        <p id={id} className="pr-2 pb-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </li>
  );
}

interface WaitProps {
  readonly rung: RungFields;
  readonly number: number;
  /** The id of the sentence that says why the rung is refused. */
  readonly wrong: string | undefined;
  readonly onChange: (change: Partial<RungFields>) => void;
}

function Wait({ rung: { unit, count, clock }, number, wrong, onChange }: WaitProps) {
  return (
    <div className="flex min-w-0 grow basis-full flex-wrap gap-2">
      {unit !== 'day_start' && unit !== 'clock' && (
        <Stepper
          label={words.wait(number)}
          hidesLabel
          wrong={wrong}
          value={Number(count)}
          max={mostOf(unit)}
          onChange={(next) => onChange({ count: String(next ?? 1) })}
        />
      )}
      <select
        className="field w-auto! min-w-0 grow basis-36"
        aria-label={words.unit(number)}
        value={unit}
        onChange={(event) => onChange({ unit: event.target.value as RungFields['unit'] })}
      >
        {UNITS.map((one) => (
          <option key={one} value={one}>
            {words.units[one]}
          </option>
        ))}
      </select>
      {unit === 'clock' && (
        <input
          className="field w-auto! grow basis-28"
          type="time"
          aria-label={words.clock(number)}
          value={clock}
          onChange={(event) => onChange({ clock: event.target.value })}
        />
      )}
    </div>
  );
}
