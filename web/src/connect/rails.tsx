/** The guard-rails of a connection, as a person sets them. */
import type { ConnectionDecision, ConnectionPreview } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate } from '../time/format.ts';
import { Select } from '../ui/field.tsx';
import { Stepper } from '../ui/stepper.tsx';

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
  /** Days; empty for no end. A moment if the end of the present connection stays. */
  readonly days: string;
}

/**
 * The scopes that were asked for, except changing settings: the person ticks that or nobody does. An assistant that asks
 * for more keeps the limits that it has.
 */
export const firstRails = (asked: readonly Scope[], held: Rails | null): ChosenRails => ({
  scopes: asked.filter((scope) => scope !== 'settings:write' || held?.scopes.includes(scope)),
  maxStage: String(held?.max_stage ?? ''),
  maxOpenTasks: held ? String(held.max_open_tasks ?? '') : FIRST_BUDGET,
  days: held?.expires_at ?? '',
});

export const addedScopes = (asked: readonly Scope[], held: Rails | null): readonly Scope[] =>
  held ? asked.filter((scope) => !held.scopes.includes(scope)) : [];

export const toRails = ({ scopes, maxStage, maxOpenTasks, days }: ChosenRails, now: number): Rails => ({
  scopes: [...scopes],
  max_stage: maxStage === '' ? null : Number(maxStage),
  max_open_tasks: maxOpenTasks === '' ? null : Number(maxOpenTasks),
  expires_at: days === '' ? null : isMoment(days) ? days : new Date(now + Number(days) * DAY_MS).toISOString(),
});

const isMoment = (days: string): boolean => days.includes('T');

interface RailsFieldsProps {
  readonly preview: ConnectionPreview;
  readonly rails: ChosenRails;
  readonly onChange: (rails: ChosenRails) => void;
}

export function RailsFields({ preview: { scopes: asked, held }, rails, onChange }: RailsFieldsProps) {
  const { scopes, maxStage, maxOpenTasks, days } = rails;
  const added = addedScopes(asked, held);
  const end = held?.expires_at ?? null;
  const zone = useZone();
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
            {added.includes(scope) && <strong className="text-sm">{words.added}</strong>}
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
      <Stepper
        label={words.budget}
        hint={words.budgetHint}
        empty={words.noLimit}
        max={1_000_000}
        value={maxOpenTasks === '' ? null : Number(maxOpenTasks)}
        onChange={(count) => onChange({ ...rails, maxOpenTasks: String(count ?? '') })}
      />
      <Select label={words.end} value={days} onChange={(event) => onChange({ ...rails, days: event.target.value })}>
        {end !== null && <option value={end}>{words.endAsNow(formatDate(end, zone))}</option>}
        {words.ends.map(([count, text]) => (
          <option key={count} value={count}>
            {text}
          </option>
        ))}
      </Select>
    </>
  );
}
