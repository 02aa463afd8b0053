/** Shown once after a pause: how many nudges it held back. */
import { useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { mergeSettings, useSynced, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatShortDate, formatTime } from '../time/format.ts';
import { Button } from '../ui/button.tsx';

export function WelcomeBack() {
  const { data } = useSynced();
  const welcome = data?.settings.welcome_back;
  const zone = useZone();
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/me/pause/ack')),
    onSuccess: mergeSettings,
  });
  if (!welcome) return null;
  return (
    <section aria-labelledby="welcome-back" className="mb-8 rounded-3xl bg-good-wash p-5">
      <h2 id="welcome-back" className="text-xl">
        {strings.welcome.title}
      </h2>
      <p className="mt-1 mb-4">
        {strings.welcome.text(welcome.held)}{' '}
        <span className="text-soft">{formatSpan(welcome.paused_from, welcome.paused_until, zone)}</span>
      </p>
      <Button variant="good" busy={isPending} onClick={() => mutate()}>
        {strings.welcome.seen}
      </Button>
    </section>
  );
}

/** "17 Nov 10:00 – 10:01", "17 Nov 10:00 – 19 Nov 08:00". */
function formatSpan(from: string, until: string, zone: string): string {
  const [first, last] = [from, until].map((instant) => formatShortDate(instant, zone));
  const end = formatTime(until, zone);
  return `${first} ${formatTime(from, zone)} – ${first === last ? end : `${last} ${end}`}`;
}
