import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { addRung, type LadderFields, MOST_RUNGS, moveRung, type RungFields } from './ladder-fields.ts';
import { ladderStrings } from './ladder-strings.ts';
import { RungRow } from './rung-row.tsx';

const { editor: words } = ladderStrings;

interface RungsProps {
  readonly fields: LadderFields;
  readonly set: (change: Partial<LadderFields>) => void;
  readonly problem: string | undefined;
  /** The rung that the problem is about. */
  readonly place: number | string | undefined;
}

export function Rungs({ fields, set, problem, place }: RungsProps) {
  const hint = useId();
  const list = useRef<HTMLOListElement>(null);
  const [status, setStatus] = useState('');
  /** The controls that take the focus after the next change: the first that can. */
  const wanted = useRef<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a control appears or moves with the rungs.
  useEffect(() => {
    const controls = wanted.current.map((selector) => list.current?.querySelector<HTMLElement>(selector));
    const control = controls.find((one) => one && !one.matches(':disabled'));
    control?.focus();
    // As Tab does, so that a number typed there replaces the one before.
    if (control instanceof HTMLInputElement) control.select();
    wanted.current = [];
  }, [fields.rungs]);
  const change = (index: number, part: Partial<RungFields>) =>
    set({ rungs: fields.rungs.map((rung, at) => (at === index ? { ...rung, ...part } : rung)) });
  const move = ({ key }: RungFields, index: number, by: 1 | -1) => {
    const acts = by === 1 ? ['down', 'up'] : ['up', 'down'];
    wanted.current = acts.map((act) => `[data-rung="${key}"] [data-act="${act}"]`);
    setStatus(words.moved(index + 1, index + 1 + by));
    set(moveRung(fields, index, by));
  };
  const remove = (index: number) => {
    const { rungs } = fields;
    const neighbour = rungs[index + 1] ?? rungs[index - 1];
    wanted.current = [`[data-rung="${neighbour?.key}"] :is([data-act="remove"], select)`];
    setStatus(words.removed(index + 1));
    set({ rungs: rungs.filter((_, at) => at !== index) });
  };
  const add = () => {
    const added = addRung(fields);
    const { key } = added.rungs.at(-1) ?? {};
    wanted.current = [`[data-rung="${key}"] :is(input, select)`];
    set({ rungs: added.rungs });
  };
  return (
    <fieldset className="min-w-0" aria-describedby={hint}>
      <legend className="mb-1.5 text-sm font-semibold">{words.rungs}</legend>
      <p id={hint} className="-mt-1 mb-2 text-sm text-soft">
        {words.rungsHint}
      </p>
      <ol ref={list} className="grid gap-2">
        {fields.rungs.map((rung, index) => (
          <RungRow
            key={rung.key}
            rung={rung}
            index={index}
            isLast={index === fields.rungs.length - 1}
            problem={place === index ? problem : undefined}
            onChange={(part) => change(index, part)}
            onMove={(by) => move(rung, index, by)}
            onRemove={() => remove(index)}
            onTested={setStatus}
          />
        ))}
      </ol>
      <p role="status" className="mt-2 text-sm text-soft empty:hidden">
        {status}
      </p>
      {fields.rungs.length < MOST_RUNGS ? (
        <Button className="mt-2 w-full" icon="plus" onClick={add}>
          {words.add}
        </Button>
      ) : (
        <p className="mt-2 text-sm text-soft">{words.full(MOST_RUNGS)}</p>
      )}
    </fieldset>
  );
}
