/** Asks whether nudges should wait at night. Nothing is set unless the user agrees. */
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { SUGGESTED_QUIET_HOURS } from '../data/first-run-step.ts';
import { mergeSettings, refresh, useSettings } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { formatClock } from '../time/format.ts';
import { Button } from '../ui/button.tsx';

const { firstRun: words } = strings;

export function QuietStep({ onDone }: { readonly onDone: () => void }) {
  const isSet = typeof useSettings()?.quiet_hours_start === 'string';
  useEffect(() => {
    if (isSet) onDone();
  }, [isSet, onDone]);
  const [from, to] = Object.values(SUGGESTED_QUIET_HOURS).map(formatClock) as [string, string];
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.PATCH('/v1/me', { body: SUGGESTED_QUIET_HOURS })),
    onSuccess: (after) => {
      mergeSettings(after);
      showToast(strings.saved);
      // Quiet hours change the time of nudges.
      void refresh();
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <>
      <p className="mt-1 mb-4">{words.quietText(from, to)}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={isPending} onClick={() => mutate()}>
          {words.quietYes(from, to)}
        </Button>
        <Button variant="plain" className="text-night-ink!" onClick={onDone}>
          {words.quietNo}
        </Button>
      </div>
    </>
  );
}
