/** Shown once after a pause: how many nudges it held back. */
import { useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { mergeSettings, useSynced, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatShortDate } from '../time/format.ts';
import { Button } from '../ui/button.tsx';

const STARTED_AT = Date.now();

export function WelcomeBack() {
  const { data, dataUpdatedAt } = useSynced();
  const welcome = data?.settings.welcome_back;
  const zone = useZone();
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/me/pause/ack')),
    onSuccess: mergeSettings,
  });
  // Data saved by an earlier visit may be outdated: the user may have dismissed this elsewhere.
  if (!welcome || dataUpdatedAt < STARTED_AT) return null;
  return (
    <section aria-labelledby="welcome-back" className="mb-8 rounded-3xl bg-good-wash p-5">
      <h2 id="welcome-back" className="text-xl">
        {strings.welcome.title}
      </h2>
      <p className="mt-1 mb-4">
        {strings.welcome.text(welcome.held)}{' '}
        <span className="text-soft">
          {formatShortDate(welcome.paused_from, zone)} – {formatShortDate(welcome.paused_until, zone)}
        </span>
      </p>
      <Button variant="good" busy={isPending} onClick={() => mutate()}>
        {strings.welcome.seen}
      </Button>
    </section>
  );
}
