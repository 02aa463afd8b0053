import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Settings, type SettingsUpdate, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { SUGGESTED_QUIET_HOURS } from '../data/first-run-step.ts';
import { mergeSettings, refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { browserZone } from '../time/browser-zone.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

const { settings: words } = screenStrings;

interface SettingsProps {
  readonly settings: Settings;
}

function useSave() {
  return useMutation({
    mutationFn: (change: SettingsUpdate) => unwrap(api.PATCH('/v1/me', { body: change })),
    onSuccess: (settings) => {
      mergeSettings(settings);
      showToast(strings.saved);
      // Zone, quiet hours and day start change the time of every nudge.
      void refresh();
    },
    onError: (error) => showToast(problemText(error)),
  });
}

export function Account({ settings }: SettingsProps) {
  const { mutate, isPending } = useSave();
  const [name, setName] = useState(settings.display_name ?? '');
  const here = browserZone();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ display_name: name.trim() === '' ? null : name.trim() });
  };
  return (
    <Section title={words.you}>
      <form onSubmit={submit} className="mb-5 flex flex-wrap items-end gap-3">
        <Field
          label={words.displayName}
          autoComplete="name"
          maxLength={100}
          className="grow basis-40"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" busy={isPending} disabled={name.trim() === (settings.display_name ?? '')}>
          {strings.save}
        </Button>
      </form>
      <ZoneSelect hint={words.zoneHint(here)} zone={settings.timezone} onChoose={(timezone) => mutate({ timezone })} />
      {here !== settings.timezone && (
        <Button className="mt-3" onClick={() => mutate({ timezone: here })}>
          {words.useDeviceZone}
        </Button>
      )}
      {settings.email && <p className="mt-5 text-sm text-soft">{`${words.email}: ${settings.email}`}</p>}
    </Section>
  );
}

interface ZoneSelectProps {
  readonly hint: string;
  readonly zone: string;
  readonly onChoose: (zone: string) => void;
}

/**
 * Lists the zones when a person opens the field: four hundred options cost a phone more than the rest of the screen.
 */
function ZoneSelect({ hint, zone, onChoose }: ZoneSelectProps) {
  const [zones, setZones] = useState<readonly string[]>();
  const listZones = () => setZones((listed) => listed ?? zonesWith(zone));
  return (
    <Select
      label={words.zone}
      hint={hint}
      value={zone}
      // A pointer opens the list on what follows `pointerdown`, and a keyboard only after `focus`.
      onPointerDown={listZones}
      onFocus={listZones}
      onChange={(event) => onChoose(event.target.value)}
    >
      {[...new Set([...(zones ?? []), zone])].map((one) => (
        <option key={one} value={one}>
          {one.replaceAll('_', ' ')}
        </option>
      ))}
    </Select>
  );
}

const zonesWith = (zone: string): string[] =>
  [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), zone])].sort((a, b) => a.localeCompare(b));

export function DaySettings({ settings }: SettingsProps) {
  const { mutate, error } = useSave();
  const hasQuiet = settings.quiet_hours_start !== null && settings.quiet_hours_end !== null;
  return (
    <Section title={words.rhythm}>
      <TimeSetting
        label={words.dayStart}
        hint={words.dayStartHint}
        value={settings.day_start}
        onSet={(day_start) => mutate({ day_start })}
      />
      <div className="mt-5 border-t border-line pt-4">
        <Switch
          label={words.quiet}
          hint={words.quietHint}
          checked={hasQuiet}
          onChange={(isOn) => mutate(isOn ? SUGGESTED_QUIET_HOURS : { quiet_hours_start: null, quiet_hours_end: null })}
        />
        {hasQuiet && (
          <div className="mt-3 grid grid-cols-2 gap-3">
            <TimeSetting
              label={words.quietFrom}
              value={settings.quiet_hours_start ?? ''}
              onSet={(quiet_hours_start) => mutate({ quiet_hours_start })}
            />
            <TimeSetting
              label={words.quietTo}
              value={settings.quiet_hours_end ?? ''}
              onSet={(quiet_hours_end) => mutate({ quiet_hours_end })}
            />
          </div>
        )}
      </div>
      {error && <Note tone="danger">{problemText(error)}</Note>}
    </Section>
  );
}

interface TimeSettingProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onSet: (time: string) => void;
}

/** Saved when the field loses the focus, because a half-typed time is not a valid one. */
function TimeSetting({ label, hint, value, onSet }: TimeSettingProps) {
  const [time, setTime] = useState(value);
  return (
    <Field
      label={label}
      hint={hint}
      type="time"
      value={time}
      onChange={(event) => setTime(event.target.value)}
      onBlur={() => (time === '' ? setTime(value) : time !== value && onSet(time))}
    />
  );
}
