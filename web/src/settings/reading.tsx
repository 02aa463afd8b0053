/** Colours, clock, order of dates and first day of the week, in this browser. */
import { useState } from 'react';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { type Custom, choose, chosen } from '../time/date-customs.ts';
import { formatDate, formatTime } from '../time/format.ts';
import { Select } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { chooseTheme, chosenTheme } from '../ui/theme.ts';

const { reading: words } = screenStrings;

/** The evening of the last day of a month shows the clock and the order best. */
const EXAMPLE = '2026-12-31T18:30:00Z';

export function Reading() {
  const zone = useZone();
  const [theme, setTheme] = useState(chosenTheme);
  const [customs, setCustoms] = useState(() => ({
    clock: chosen('clock'),
    order: chosen('order'),
    week: chosen('week'),
  }));
  const set = (custom: Custom, value: string) => {
    choose(custom, value);
    setCustoms({ ...customs, [custom]: value });
    showToast(strings.saved);
  };
  const custom = (name: Custom, label: string, options: Readonly<Record<string, string>>) => (
    <Select label={label} value={customs[name]} onChange={(event) => set(name, event.target.value)}>
      {Object.entries({ '': words.auto, ...options })
        .sort(([a], [b]) => Number(a !== '') - Number(b !== ''))
        .map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
    </Select>
  );
  return (
    <Section title={words.title} lead={words.lead}>
      <div className="grid gap-4 min-[26rem]:grid-cols-2">
        <Select
          label={words.theme}
          value={theme}
          onChange={(event) => {
            chooseTheme(event.target.value);
            setTheme(event.target.value);
            showToast(strings.saved);
          }}
        >
          {Object.entries(words.themes).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
        {custom('clock', words.clock, words.clocks)}
        {custom('order', words.order, words.orders)}
        {custom('week', words.week, words.weeks)}
      </div>
      <p className="mt-3 text-sm text-soft">
        {words.example(strings.time.dayAt(formatDate(EXAMPLE, zone), formatTime(EXAMPLE, zone)))}
      </p>
    </Section>
  );
}
