/** Shows every part of a rule in words, and lets a person change it. */
import type { Frequency } from '../../../src/words/rule-keys.ts';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { isClock, NEW_RULE, type RuleFields, toRecurrence, withFrequency } from '../recurrence/rule-fields.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatClock } from '../time/format.ts';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { Stepper } from '../ui/stepper.tsx';
import type { EditFields } from './edit-fields.ts';
import { Hours, listWeekdays, MonthDays, Months, Positions, type RuleProps, Times, Weekdays } from './repeat-days.tsx';

const words = screenStrings.repeat;
const FREQS = ['minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const;

interface RepeatFieldsProps {
  readonly rule: EditFields['rule'];
  readonly taskTime: string;
  /** The task has an object that is not a rule. */
  readonly hasKept: boolean;
  readonly onChange: (rule: EditFields['rule']) => void;
}

export function RepeatFields({ rule, taskTime, hasKept, onChange }: RepeatFieldsProps) {
  const choose = (value: string) => {
    if (value === 'never') return onChange(null);
    if (value === 'kept') return onChange('kept');
    return onChange(withFrequency(rule === null || rule === 'kept' ? NEW_RULE : rule, value as Frequency));
  };
  const value = rule === null ? 'never' : rule === 'kept' ? 'kept' : rule.freq;
  return (
    <fieldset className="grid min-w-0 gap-4">
      <Select label={screenStrings.editor.repeat} value={value} onChange={(event) => choose(event.target.value)}>
        <option value="never">{screenStrings.editor.never}</option>
        {FREQS.map((name) => (
          <option key={name} value={name}>
            {words.freq[name]}
          </option>
        ))}
        {hasKept && <option value="kept">{words.kept}</option>}
      </Select>
      {rule === 'kept' && <Note>{strings.detail.repeatsNot}</Note>}
      {rule !== null && rule !== 'kept' && (
        <RuleParts rule={rule} taskTime={taskTime} set={(change) => onChange({ ...rule, ...change })} />
      )}
    </fieldset>
  );
}

function RuleParts({ rule, taskTime, set }: RuleProps & { readonly taskTime: string }) {
  const { freq } = rule;
  const isShort = freq === 'daily' || freq === 'weekly';
  return (
    <>
      <Stepper
        label={words.interval}
        unit={words.units[freq](rule.interval)}
        max={1000}
        value={rule.interval}
        onChange={(interval) => set({ interval: interval ?? 1 })}
      />
      {isShort && <Weekdays rule={rule} set={set} />}
      {(!isShort || rule.monthDays.length > 0) && !isClock(freq) && <MonthDays rule={rule} set={set} />}
      {!isClock(freq) && !rule.afterDone && <Times rule={rule} set={set} taskTime={taskTime} />}
      <Switch
        label={screenStrings.editor.afterDone}
        hint={words.afterDoneHint}
        checked={rule.afterDone}
        onChange={(afterDone) => set({ afterDone, ...(afterDone && { times: [] }) })}
      />
      {isClock(freq) && <Hours rule={rule} set={set} />}
      {!isClock(freq) && <More rule={rule} set={set} />}
      <Ends rule={rule} set={set} />
      <p className="text-sm font-semibold">{words.inWords(formatRecurrence(toRecurrence(rule)))}</p>
    </>
  );
}

function More({ rule, set }: RuleProps) {
  const { freq, months, setPos, weekdays, monthDays } = rule;
  const hasDays = weekdays.length + monthDays.length + months.length > 0;
  const isLong = freq === 'monthly' || freq === 'yearly';
  return (
    <details
      open={months.length + setPos.length > 0 || undefined}
      className="rounded-xl border border-line px-3 py-1.5"
    >
      <summary className="cursor-pointer text-sm leading-8 font-semibold">{words.more}</summary>
      <div className="mt-2 mb-1.5 grid gap-4">
        <Months rule={rule} set={set} />
        {(hasDays || setPos.length > 0) && <Positions rule={rule} set={set} />}
        {isLong && weekdays.length + monthDays.length === 0 && (
          <Switch
            label={words.skipsShort}
            hint={words.skipsShortHint}
            checked={rule.skipsShort}
            onChange={(skipsShort) => set({ skipsShort })}
          />
        )}
        {freq === 'weekly' && (rule.interval > 1 || setPos.length > 0) && <WeekStart rule={rule} set={set} />}
      </div>
    </details>
  );
}

const WeekStart = ({ rule, set }: RuleProps) => (
  <Select label={words.weekStart} value={rule.weekStart} onChange={(event) => set({ weekStart: event.target.value })}>
    {listWeekdays().map(([code, name]) => (
      <option key={code} value={code}>
        {name}
      </option>
    ))}
  </Select>
);

function Ends({ rule, set }: RuleProps) {
  const hasTime = rule.until.length > 10;
  return (
    <div className="grid gap-3 min-[26rem]:grid-cols-2">
      <Field
        label={screenStrings.editor.ends}
        type="date"
        value={rule.until.slice(0, 10)}
        hint={hasTime ? words.untilTime(untilTime(rule)) : undefined}
        onChange={(event) => set({ until: event.target.value })}
      />
      <Stepper
        label={words.count}
        empty={words.noCount}
        max={10_000}
        value={rule.count}
        onChange={(count) => set({ count })}
      />
      <p className="-mt-1.5 text-sm text-soft min-[26rem]:col-span-2">{words.endsHint}</p>
    </div>
  );
}

const untilTime = ({ until }: RuleFields): string => {
  const [, time = '', zone = ''] = /T(\d\d:\d\d)[\d:.]*(.*)$/i.exec(until) ?? [];
  return `${formatClock(time)}${/^z$/i.test(zone) ? ' UTC' : zone && ` UTC${zone}`}`;
};
