import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dismissRefused, reopenedEdit, useQueuedActions, useRefusedActions } from '../data/action-queue.ts';
import { isServiceReachable } from '../data/query-client.ts';
import type { RefusedAction } from '../data/queued-action.ts';
import { useStore } from '../data/store.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';

export function Banners() {
  return (
    <div className="empty:hidden" aria-live="polite">
      <OfflineBanner />
      <PauseBanner />
      <RefusedActions />
    </div>
  );
}

interface BannerProps {
  readonly icon: IconName;
  readonly tone: string;
  readonly children: ReactNode;
}

const Banner = ({ icon, tone, children }: BannerProps) => (
  <div className={`flex items-center gap-3 px-4 py-2.5 text-sm sm:px-6 ${tone}`}>
    <Icon name={icon} className="size-4.5" />
    {children}
  </div>
);

function OfflineBanner() {
  const isReachable = useStore(isServiceReachable);
  const me = useSettings()?.id;
  const waiting = useQueuedActions().filter(({ userId }) => userId === me).length;
  if (isReachable) return null;
  return (
    <Banner icon="offline" tone="bg-ink text-paper">
      <span>
        {strings.banner.offline} {waiting > 0 && <strong>{strings.banner.waiting(waiting)}</strong>}
      </span>
    </Banner>
  );
}

function PauseBanner() {
  const until = useSettings()?.paused_until;
  const zone = useZone();
  const now = useNow();
  if (!until || Date.parse(until) <= now) return null;
  return (
    <Banner icon="pause" tone="bg-night text-night-ink">
      <span>{strings.banner.paused(formatMoment(until, zone, now))}</span>
      <Link
        to="/settings/$part"
        params={{ part: 'reminders' }}
        hash="pause"
        className="font-semibold underline underline-offset-4"
      >
        {strings.banner.pausedLink}
      </Link>
    </Banner>
  );
}

/** Stays until dismissed, unlike a toast: the action seemed done, and the service refused it. */
function RefusedActions() {
  const me = useSettings()?.id;
  const refused = useRefusedActions().filter(({ action }) => action.userId === me);
  const navigate = useNavigate();
  const editAgain = (entry: RefusedAction) => {
    reopenedEdit.set(entry);
    void navigate({ to: '/tasks/$taskId', params: { taskId: entry.action.taskId } });
  };
  return refused.map((entry) => (
    <div
      key={entry.action.key}
      role="alert"
      className="flex flex-wrap items-center gap-3 bg-danger-wash px-4 py-2 text-sm text-danger sm:px-6"
    >
      <p className="min-w-0 grow">
        <strong>{strings.banner.refused}.</strong>{' '}
        {strings.banner.refusedText(strings.task.attempted[entry.action.kind], entry.action.title, entry.reason)}
      </p>
      {entry.action.kind === 'edit' && (
        <Button variant="danger" className="min-h-9 px-4" onClick={() => editAgain(entry)}>
          {strings.banner.editAgain}
        </Button>
      )}
      <Button variant="danger" className="min-h-9 px-4" onClick={() => void dismissRefused(entry)}>
        {strings.banner.refusedSeen}
      </Button>
    </div>
  ));
}
