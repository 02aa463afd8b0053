/** On which days, in which months, and at which times of the day a task repeats. */
import { useState } from 'react';
import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import { NO_HOURS, type RuleFields } from '../recurrence/rule-fields.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { weekdayOrder } from '../time/date-customs.ts';
import { formatClock } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Select } from '../ui/field.tsx';
import { Stepper } from '../ui/stepper.tsx';
import { GrowingList, Toggles } from './repeat-choices.tsx';

const words = screenStrings.repeat;
const { weekdays, shortWeekdays, months, ordinal } = strings.repeat;

export interface RuleProps {
  readonly rule: RuleFields;
  readonly set: (change: Partial<RuleFields>) => void;
}

/** As the person's week has them. */
export const listWeekdays = (): (readonly [code: string, name: string, short: string])[] =>
  weekdayOrder().map((day) => [WEEKDAY_CODES[day] ?? '', weekdays[day] ?? '', shortWeekdays[day] ?? '']);

/** A rule has its days from Monday on, whatever the person's week begins with. */
const inWeek = (codes: readonly string[]): string[] => {
  const placeOf = (entry: string) => WEEKDAY_CODES.indexOf(entry.slice(-2) as (typeof WEEKDAY_CODES)[number]);
  return [...codes].sort((a, b) => placeOf(a) - placeOf(b));
};

/** From the first to the last: what is counted from the end comes after the rest. */
const byPlace = (a: number, b: number): number => Number(a < 0) - Number(b < 0) || a - b;

export const Weekdays = ({ rule, set }: RuleProps) => (
  <Toggles
    legend={rule.freq === 'daily' ? words.onlyOn : words.on}
    options={listWeekdays().map(([code, name, short]) => [code, short, name])}
    chosen={rule.weekdays}
    columns="grid-cols-4 min-[26rem]:grid-cols-7"
    onChange={(chosen) => set({ weekdays: inWeek(chosen) })}
  />
);

export const Months = ({ rule, set }: RuleProps) => (
  <Toggles
    legend={words.months}
    hint={words.monthsHint}
    options={months.map((name, index) => [index + 1, name.slice(0, 3), name])}
    chosen={rule.months}
    columns="grid-cols-4 min-[26rem]:grid-cols-6"
    onChange={(chosen) => set({ months: chosen })}
  />
);

const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
const bothWays = (most: number) => [...upTo(most), ...upTo(most).map((place) => -place)];

function nameOfDay(entry: string | number): string {
  if (typeof entry === 'number') return words.dayOf(ordinal(entry));
  const [, nth, code = ''] = /^(-?\d+)?(..)$/.exec(entry) ?? [];
  const name = weekdays[WEEKDAY_CODES.indexOf(code as (typeof WEEKDAY_CODES)[number])] ?? entry;
  return nth === undefined ? words.every(name) : `${ordinal(Number(nth))} ${name}`;
}

/** Days of the month and weekdays of it, in one list: "1st day", "2nd Sunday", "last Friday". */
export function MonthDays({ rule, set }: RuleProps) {
  const [nth, setNth] = useState('1');
  const [what, setWhat] = useState('day');
  const most = what === 'day' ? 31 : rule.freq === 'monthly' || rule.months.length > 0 ? 5 : 53;
  const place = nth !== 'every' && Math.abs(Number(nth)) > most ? '1' : what === 'day' && nth === 'every' ? '1' : nth;
  const entry = what === 'day' ? Number(place) : place === 'every' ? what : `${place}${what}`;
  const entries = [...rule.monthDays, ...rule.weekdays];
  const change = (next: readonly (string | number)[]) =>
    set({
      monthDays: next.filter((one) => typeof one === 'number').sort(byPlace),
      weekdays: next.filter((one) => typeof one === 'string'),
    });
  return (
    <>
      <GrowingList
        legend={words.days}
        hint={words.daysHint}
        entries={entries}
        name={nameOfDay}
        onRemove={(gone) => change(entries.filter((one) => one !== gone))}
      >
        <Select
          label={words.which}
          className="grow basis-32"
          value={place}
          onChange={(event) => setNth(event.target.value)}
        >
          {what !== 'day' && <option value="every">{words.everyOne}</option>}
          {bothWays(most).map((one) => (
            <option key={one} value={one}>
              {ordinal(one)}
            </option>
          ))}
        </Select>
        <Select
          label={words.what}
          className="grow basis-36"
          value={what}
          onChange={(event) => setWhat(event.target.value)}
        >
          <option value="day">{words.dayOfMonth}</option>
          {listWeekdays().map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
        <Button onClick={() => change([...entries.filter((one) => one !== entry), entry])}>{words.addDay}</Button>
      </GrowingList>
      {rule.monthDays.length > 0 && rule.weekdays.length > 0 && <Note>{words.bothNote}</Note>}
    </>
  );
}

/** Chooses among the days of each week, month or year: the last working day is the last of five weekdays. */
export function Positions({ rule, set }: RuleProps) {
  const [place, setPlace] = useState(1);
  const [end, setEnd] = useState('start');
  const number = end === 'start' ? place : -place;
  return (
    <GrowingList
      legend={words.positions}
      hint={words.positionsHint}
      entries={rule.setPos}
      name={ordinal}
      onRemove={(gone) => set({ setPos: rule.setPos.filter((one) => one !== gone) })}
    >
      <Stepper label={words.place} max={366} value={place} onChange={(chosen) => setPlace(chosen ?? 1)} />
      <Select
        label={words.countedFrom}
        className="grow basis-40"
        value={end}
        onChange={(event) => setEnd(event.target.value)}
      >
        <option value="start">{words.fromStart}</option>
        <option value="end">{words.fromEnd}</option>
      </Select>
      <Button onClick={() => set({ setPos: [...new Set([...rule.setPos, number])].sort(byPlace) })}>
        {words.addPosition}
      </Button>
    </GrowingList>
  );
}

const MOST_TIMES = 24;

export function Times({ rule, set, taskTime }: RuleProps & { readonly taskTime: string }) {
  const [time, setTime] = useState('');
  const add = () => {
    // The time that the task has already is the first of them.
    const times = rule.times.length === 0 && taskTime !== '' ? [taskTime] : rule.times;
    set({ times: [...new Set([...times, time])].sort() });
    setTime('');
  };
  return (
    <GrowingList
      legend={words.times}
      hint={words.timesHint}
      entries={rule.times}
      name={formatClock}
      onRemove={(gone) => set({ times: rule.times.filter((one) => one !== gone) })}
    >
      <Field
        label={words.anotherTime}
        type="time"
        value={time}
        className="flex-1"
        onChange={(event) => setTime(event.target.value)}
      />
      <Button disabled={time === '' || rule.times.length >= MOST_TIMES} onClick={add}>
        {words.addTime}
      </Button>
    </GrowingList>
  );
}

/** The hours of the day for a rule of hours or minutes. One that counts from its dates becomes a list of times. */
export function Hours({ rule, set }: RuleProps) {
  const [start, end] = rule.hours;
  const times = rule.afterDone ? [] : timesBetween(rule);
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1.5 text-sm font-semibold">{words.hours}</legend>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={words.notBefore}
          type="time"
          value={start}
          onChange={(event) => set({ hours: [event.target.value, end] })}
        />
        <Field
          label={words.notAfter}
          type="time"
          value={end}
          onChange={(event) => set({ hours: [start, event.target.value] })}
        />
        <Stepper
          label={words.perDay}
          empty={words.noMost}
          max={MOST_TIMES}
          value={rule.perDay}
          className="col-span-2"
          onChange={(perDay) => set({ perDay })}
        />
      </div>
      {times.length > 0 && (
        <Button onClick={() => set({ freq: 'daily', interval: 1, times, hours: NO_HOURS, perDay: null })}>
          {words.dailyAt(times.map(formatClock).join(', '))}
        </Button>
      )}
      <p className="-mt-1 text-sm text-soft">{rule.afterDone ? words.hoursHint : words.hoursAsTimes}</p>
    </fieldset>
  );
}

function timesBetween({ freq, interval, hours, perDay }: RuleFields): string[] {
  const [start, end] = hours.map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
  if (hours.includes('') || start === undefined || end === undefined || start >= end) return [];
  const step = freq === 'hourly' ? interval * 60 : interval;
  const two = (number: number) => String(number).padStart(2, '0');
  const times = upTo(Math.floor((end - start) / step) + 1)
    .map((place) => start + (place - 1) * step)
    .map((minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`);
  const wanted = times.slice(0, perDay ?? times.length);
  return wanted.length <= MOST_TIMES ? wanted : [];
}
