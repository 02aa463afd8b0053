/** The guard-rails of a connection, as a person sets them. */
import type { ConnectionDecision, ConnectionPreview } from '../api/client.ts';
import { screenStrings } from '../screen-strings.ts';
import { Field, Select } from '../ui/field.tsx';

const { connect: words, settings } = screenStrings;

type Rails = NonNullable<ConnectionDecision['rails']>;
type Scope = ConnectionPreview['scopes'][number];
const SCOPES = Object.keys(settings.scopes) as Scope[];

const DAY_MS = 86_400_000;
const FIRST_BUDGET = '100';

export interface ChosenRails {
  readonly scopes: readonly Scope[];
  /** Empty for no limit. */
  readonly maxStage: string;
  readonly maxOpenTasks: string;
  /** Days; empty for no end. */
  readonly days: string;
}

/** The scopes that were asked for, except changing settings: the person ticks that or nobody does. */
export const firstRails = (asked: readonly Scope[]): ChosenRails => ({
  scopes: asked.filter((scope) => scope !== 'settings:write'),
  maxStage: '',
  maxOpenTasks: FIRST_BUDGET,
  days: '',
});

export const toRails = ({ scopes, maxStage, maxOpenTasks, days }: ChosenRails, now: number): Rails => ({
  scopes: [...scopes],
  max_stage: maxStage === '' ? null : Number(maxStage),
  max_open_tasks: maxOpenTasks === '' ? null : Number(maxOpenTasks),
  expires_at: days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString(),
});

interface RailsFieldsProps {
  readonly rails: ChosenRails;
  readonly onChange: (rails: ChosenRails) => void;
}

export function RailsFields({ rails, onChange }: RailsFieldsProps) {
  const { scopes, maxStage, maxOpenTasks, days } = rails;
  const toggle = (scope: Scope, isTicked: boolean) =>
    onChange({ ...rails, scopes: SCOPES.filter((one) => (one === scope ? isTicked : scopes.includes(one))) });
  return (
    <>
      <fieldset>
        <legend className="mb-2 text-sm font-semibold">{settings.tokenScopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="flex min-h-11 items-center gap-3">
            <input
              type="checkbox"
              className="size-5"
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            {settings.scopes[scope]}
          </label>
        ))}
      </fieldset>
      <Select
        label={words.stage}
        value={maxStage}
        onChange={(event) => onChange({ ...rails, maxStage: event.target.value })}
      >
        {words.stages.map(([stage, text]) => (
          <option key={stage} value={stage}>
            {text}
          </option>
        ))}
      </Select>
      <Field
        label={words.budget}
        hint={words.budgetHint}
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        placeholder={words.noLimit}
        value={maxOpenTasks}
        onChange={(event) => onChange({ ...rails, maxOpenTasks: event.target.value })}
      />
      <Select label={words.end} value={days} onChange={(event) => onChange({ ...rails, days: event.target.value })}>
        {words.ends.map(([count, text]) => (
          <option key={count} value={count}>
            {text}
          </option>
        ))}
      </Select>
    </>
  );
}
