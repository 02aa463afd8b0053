import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import type { EditFields } from './edit-fields.ts';

const FREQS = ['daily', 'weekly', 'monthly', 'yearly'] as const;

interface RepeatFieldsProps {
  readonly fields: EditFields;
  readonly hasCustom: boolean;
  readonly set: (change: Partial<EditFields>) => void;
}

export function RepeatFields({ fields, hasCustom, set }: RepeatFieldsProps) {
  const { freq } = fields;
  return (
    <fieldset className="grid gap-4">
      <Select
        label={screenStrings.editor.repeat}
        value={freq}
        onChange={(event) => set({ freq: event.target.value as EditFields['freq'] })}
      >
        <option value="never">{screenStrings.editor.never}</option>
        {FREQS.map((name) => (
          <option key={name} value={name}>
            {screenStrings.editor.freq[name]}
          </option>
        ))}
        {hasCustom && <option value="custom">{screenStrings.editor.keepCustom}</option>}
      </Select>
      {freq === 'custom' && <Note>{screenStrings.editor.custom}</Note>}
      {freq !== 'never' && freq !== 'custom' && (
        <>
          <div className="grid grid-cols-2 gap-3">
            <Field
              label={screenStrings.editor.interval}
              type="number"
              min={1}
              max={99}
              value={fields.interval}
              hint={screenStrings.editor.intervalUnit[freq]}
              onChange={(event) => set({ interval: Math.max(1, Number(event.target.value) || 1) })}
            />
            <Field
              label={screenStrings.editor.ends}
              type="date"
              value={fields.ends}
              onChange={(event) => set({ ends: event.target.value })}
            />
          </div>
          {freq === 'weekly' && <Weekdays fields={fields} set={set} />}
          {freq === 'monthly' && (
            <Field
              label={screenStrings.editor.monthDays}
              hint={screenStrings.editor.monthDaysHint}
              value={fields.monthDays}
              onChange={(event) => set({ monthDays: event.target.value })}
            />
          )}
          <Switch
            label={screenStrings.editor.afterDone}
            checked={fields.afterDone}
            onChange={(afterDone) => set({ afterDone })}
          />
        </>
      )}
    </fieldset>
  );
}

function Weekdays({ fields, set }: Pick<RepeatFieldsProps, 'fields' | 'set'>) {
  const toggle = (day: string) =>
    set({
      weekdays: fields.weekdays.includes(day)
        ? fields.weekdays.filter((other) => other !== day)
        : WEEKDAY_CODES.filter((other) => other === day || fields.weekdays.includes(other)),
    });
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-semibold">{screenStrings.editor.weekdays}</legend>
      <div className="grid grid-cols-7 gap-1.5">
        {WEEKDAY_CODES.map((day, index) => (
          <button
            key={day}
            type="button"
            aria-pressed={fields.weekdays.includes(day)}
            onClick={() => toggle(day)}
            className="min-h-11 rounded-xl border border-strong-line text-sm aria-pressed:border-ember aria-pressed:bg-ember aria-pressed:font-semibold aria-pressed:text-on-ember"
          >
            {strings.repeat.shortWeekdays[index]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
