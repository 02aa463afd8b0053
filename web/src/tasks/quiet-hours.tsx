/** Asks a new user once whether nudges should wait at night. Nothing is set unless they agree. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { endFirstRun, isFirstRun, SUGGESTED_QUIET_HOURS } from '../data/first-run.ts';
import { mergeSettings, refresh, useSettings } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';

const { firstRun: words } = strings;
const { quiet_hours_start: from, quiet_hours_end: to } = SUGGESTED_QUIET_HOURS;

export function QuietHours() {
  const settings = useSettings();
  const [isAsked, setAsked] = useState(isFirstRun);
  const close = () => {
    endFirstRun();
    setAsked(false);
  };
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.PATCH('/v1/me', { body: SUGGESTED_QUIET_HOURS })),
    onSuccess: (after) => {
      mergeSettings(after);
      showToast(strings.saved);
      close();
      // Quiet hours change the time of nudges.
      void refresh();
    },
    onError: (error) => showToast(problemText(error)),
  });
  if (!isAsked || !settings || settings.quiet_hours_start !== null) return null;
  return (
    <section aria-labelledby="quiet-hours" className="mb-8 rounded-3xl bg-night p-5 text-night-ink">
      <h2 id="quiet-hours" className="text-xl">
        {words.quiet}
      </h2>
      <p className="mt-1 mb-4">{words.quietText(from, to)}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={isPending} onClick={() => mutate()}>
          {words.quietYes(from, to)}
        </Button>
        <Button variant="plain" className="text-night-ink!" onClick={close}>
          {words.quietNo}
        </Button>
      </div>
    </section>
  );
}
