import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Task } from '../api/client.ts';
import { useSpaces } from '../data/people.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { type Filters, isFiltered, readFilters } from './filters.ts';
import { LabelSheet } from './label-sheet.tsx';
import { countLabels } from './labels.ts';

const { filters: words } = strings;

interface FilterBarProps {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly filters: Filters;
}

export function FilterBar({ tasks, filters }: FilterBarProps) {
  const navigate = useNavigate();
  const spaces = useSpaces().data ?? [];
  const [showsLabels, setShowsLabels] = useState(false);
  const open = Object.values(tasks).filter(({ status }) => status === 'open');
  // A label in the address may have lost its last task.
  const chosen = filters.kind === undefined ? [] : [{ kind: filters.kind }];
  const labels = countLabels([...open, ...chosen]).map(([label]) => label);
  const set = (change: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '.', search: (before) => readFilters({ ...before, ...change }), resetScroll: false });
  return (
    <section aria-label={strings.lists.filter} className="card mb-5 grid gap-3 p-4">
      <div className="grid gap-3 min-[26rem]:grid-cols-2">
        <Choice
          label={words.space}
          value={filters.space}
          options={spaces.map(({ id, name }) => [id, name])}
          onChange={(space) => set({ space })}
        />
        <Choice
          label={words.label}
          value={filters.kind}
          options={labels.map((label) => [label, label])}
          onChange={(kind) => set({ kind })}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Toggle
          isOn={filters.repeating ?? false}
          onChange={(repeating) => set({ repeating })}
          label={words.repeating}
        />
        <Toggle isOn={filters.snoozed ?? false} onChange={(snoozed) => set({ snoozed })} label={words.snoozed} />
        <Button variant="plain" icon="label" className="px-4" onClick={() => setShowsLabels(true)}>
          {words.labels}
        </Button>
        {isFiltered(filters) && (
          <Button
            variant="plain"
            className="px-4"
            onClick={() => void navigate({ to: '.', search: {}, resetScroll: false })}
          >
            {words.clear}
          </Button>
        )}
      </div>
      {showsLabels && <LabelSheet tasks={open} onClose={() => setShowsLabels(false)} />}
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | undefined) => void;
}

const Choice = ({ label, value = '', options, onChange }: ChoiceProps) => (
  <Select label={label} value={value} onChange={(event) => onChange(event.target.value || undefined)}>
    <option value="">{words.any}</option>
    {options.map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </Select>
);

interface ToggleProps {
  readonly isOn: boolean;
  readonly label: string;
  readonly onChange: (isOn: true | undefined) => void;
}

const Toggle = ({ isOn, label, onChange }: ToggleProps) => (
  <Button
    aria-pressed={isOn}
    icon={isOn ? 'done' : 'plus'}
    className={`px-4 ${isOn ? 'border-ember! bg-ember-wash!' : ''}`}
    onClick={() => onChange(isOn ? undefined : true)}
  >
    {label}
  </Button>
);
