import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Settings, type SettingsUpdate, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { alphabetical } from '../data/alphabetical.ts';
import { SUGGESTED_QUIET_HOURS } from '../data/first-run-step.ts';
import { mergeSettings, refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { browserZone } from '../time/browser-zone.ts';
import { Button } from '../ui/button.tsx';
import { Note, Select, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { SavedField } from './saved-field.tsx';

const { settings: words } = screenStrings;

interface SettingsProps {
  readonly settings: Settings;
}

function useSave() {
  return useMutation({
    mutationFn: (change: SettingsUpdate) => unwrap(api.PATCH('/v1/me', { body: change, keepalive: true })),
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
  const { mutate, mutateAsync } = useSave();
  const here = browserZone();
  return (
    <Section title={words.you}>
      <div className="mb-5">
        <SavedField
          label={words.displayName}
          autoComplete="name"
          maxLength={100}
          value={settings.display_name ?? ''}
          onSave={(name) => mutateAsync({ display_name: name === '' ? null : name })}
        />
      </div>
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
          {shownZone(one)}
        </option>
      ))}
    </Select>
  );
}

const shownZone = (zone: string): string => zone.replaceAll('_', ' ');

const zonesWith = (zone: string): string[] =>
  alphabetical(new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), zone]), shownZone);

export function DaySettings({ settings }: SettingsProps) {
  const { mutate, mutateAsync, error } = useSave();
  const hasQuiet = settings.quiet_hours_start !== null && settings.quiet_hours_end !== null;
  return (
    <Section title={words.rhythm}>
      <SavedField
        type="time"
        isRequired
        label={words.dayStart}
        hint={words.dayStartHint}
        value={settings.day_start}
        onSave={(day_start) => mutateAsync({ day_start })}
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
            <SavedField
              type="time"
              isRequired
              label={words.quietFrom}
              value={settings.quiet_hours_start ?? ''}
              onSave={(quiet_hours_start) => mutateAsync({ quiet_hours_start })}
            />
            <SavedField
              type="time"
              isRequired
              label={words.quietTo}
              value={settings.quiet_hours_end ?? ''}
              onSave={(quiet_hours_end) => mutateAsync({ quiet_hours_end })}
            />
          </div>
        )}
      </div>
      {error && <Note tone="danger">{problemText(error)}</Note>}
    </Section>
  );
}
