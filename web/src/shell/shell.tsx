/** The frame around every screen: navigation, banners and toasts. */
import { Link, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSettings, useTasks } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { Icon, type IconName, Wordmark } from '../ui/icons.tsx';
import { Toasts } from '../ui/toast.tsx';
import { Banners } from './banners.tsx';

const NAV_LINKS = [
  { to: '/', icon: 'today', label: strings.nav.today },
  { to: '/spaces', icon: 'spaces', label: strings.nav.spaces },
  { to: '/history', icon: 'history', label: strings.nav.history },
  { to: '/settings', icon: 'settings', label: strings.nav.settings },
] as const satisfies readonly { to: string; icon: IconName; label: string }[];

export function Shell() {
  return (
    <div className="lg:grid lg:grid-cols-[16rem_1fr]">
      <a
        href="#content"
        className="sr-only z-50 rounded-full bg-ink px-5 py-3 text-paper focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {strings.skipToContent}
      </a>
      <Navigation />
      <main id="content" tabIndex={-1} className="min-w-0">
        <Banners />
        <Outlet />
      </main>
      <Toasts />
    </div>
  );
}

function Navigation() {
  const requests = useRequestCount();
  return (
    <nav
      aria-label={strings.nav.label}
      className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-paper/95 pb-[env(safe-area-inset-bottom)] backdrop-blur lg:sticky lg:top-0 lg:h-dvh lg:border-t-0 lg:border-r lg:bg-sunk lg:px-4 lg:py-8"
    >
      <div className="mb-8 hidden px-3 lg:block">
        <Wordmark />
      </div>
      <ul className="mx-auto grid max-w-md grid-cols-4 lg:block lg:max-w-none">
        {NAV_LINKS.map(({ to, icon, label }) => (
          <li key={to} className="lg:mb-1">
            <Link
              to={to}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ 'aria-current': 'page', className: 'text-ember lg:bg-card lg:shadow-card' }}
              inactiveProps={{ className: 'text-soft hover:text-ink' }}
              className="relative flex min-h-15 flex-col items-center justify-center gap-0.5 text-xs font-medium lg:min-h-12 lg:flex-row lg:justify-start lg:gap-3 lg:rounded-2xl lg:px-3.5 lg:text-base"
            >
              <Icon name={icon} className="size-6 lg:size-5.5" />
              {label}
              {to === '/' && requests > 0 && (
                <span className="absolute top-1.5 left-[calc(50%+0.5rem)] grid h-5 min-w-5 place-items-center rounded-full bg-ember px-1 text-xs font-bold text-on-ember lg:static lg:ml-auto">
                  {requests}
                  <span className="sr-only"> {strings.today.requests}</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function useRequestCount(): number {
  const tasks = useTasks();
  const userId = useSettings()?.id;
  return useMemo(
    () =>
      Object.values(tasks ?? {}).filter(
        ({ owner_id, accepted_by_owner, status }) => owner_id === userId && !accepted_by_owner && status === 'open',
      ).length,
    [tasks, userId],
  );
}
