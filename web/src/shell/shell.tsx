/** The frame around every screen: navigation, banners and toasts. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { setProofDialog } from '../api/recent-sign-in.ts';
import { useSpaces } from '../data/people.ts';
import { useSettings, useTasks } from '../data/sync.ts';
import { useShortcuts } from '../find/shortcuts.ts';
import { strings } from '../strings.ts';
import { Icon, type IconName, Wordmark } from '../ui/icons.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { Banners } from './banners.tsx';
import { Nudges } from './nudges.tsx';

const NAV_LINKS = [
  { to: '/', icon: 'today', label: strings.nav.today },
  { to: '/spaces', icon: 'spaces', label: strings.nav.spaces },
  { to: '/history', icon: 'history', label: strings.nav.history },
  { to: '/settings', icon: 'settings', label: strings.nav.settings },
] as const satisfies readonly { to: string; icon: IconName; label: string }[];

const SearchSheet = lazy(() => import('../find/search-sheet.tsx').then((file) => ({ default: file.SearchSheet })));
const ShortcutsSheet = lazy(() =>
  import('../find/shortcuts-sheet.tsx').then((file) => ({ default: file.ShortcutsSheet })),
);

const StandInsLink = lazy(() => import('../stand-ins/nav-link.tsx').then((file) => ({ default: file.StandInsLink })));
const ProveSheet = lazy(() => import('../sign-in/prove.tsx').then((file) => ({ default: file.ProveSheet })));

export function Shell() {
  const [open, setOpen] = useState<'search' | 'help'>();
  const close = () => setOpen(undefined);
  const onSearch = useCallback(() => setOpen('search'), []);
  const onHelp = useCallback(() => setOpen('help'), []);
  useShortcuts({ onSearch, onHelp });
  const [onProven, setOnProven] = useState<(isProven: boolean) => void>();
  useEffect(() => setProofDialog((done) => setOnProven(() => done)), []);
  const closeProof = (isProven: boolean) => {
    setOnProven(undefined);
    onProven?.(isProven);
  };
  return (
    <div className="lg:grid lg:grid-cols-[16rem_1fr]">
      <a
        href="#content"
        className="sr-only z-50 rounded-full bg-ink px-5 py-3 text-paper focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {strings.skipToContent}
      </a>
      <Navigation onSearch={onSearch} />
      <main id="content" tabIndex={-1} className="min-w-0">
        <Banners />
        <Nudges />
        <Outlet />
      </main>
      <Toasts />
      <Suspense>
        {open === 'search' && <SearchSheet onClose={close} />}
        {open === 'help' && <ShortcutsSheet onClose={close} />}
        {onProven && <ProveSheet onClose={closeProof} />}
      </Suspense>
    </div>
  );
}

const NAV_ITEM =
  'relative flex min-h-15 w-full flex-col items-center justify-center gap-0.5 text-xs font-medium lg:min-h-12 lg:flex-row lg:justify-start lg:gap-3 lg:rounded-2xl lg:px-3.5 lg:text-base';

const NAV_BADGE =
  'absolute top-1.5 left-[calc(50%+0.5rem)] grid h-5 min-w-5 place-items-center rounded-full bg-ember px-1 text-xs font-bold text-on-ember lg:static lg:ml-auto';

function Navigation({ onSearch }: { readonly onSearch: () => void }) {
  const requests = useRequestCount();
  const isTasks = useLocation({ select: ({ pathname }) => /^\/(?:upcoming|someday|tasks\/.*)$/.test(pathname) });
  // Only members of a space stand in for each other.
  const hasSpaces = (useSpaces().data ?? []).length > 0;
  const active = 'text-ember lg:bg-card lg:shadow-card';
  const inactive = 'text-soft hover:text-ink';
  return (
    <nav
      aria-label={strings.nav.label}
      className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] lg:sticky lg:top-0 lg:h-dvh lg:border-t-0 lg:border-r lg:bg-sunk lg:px-4 lg:py-8"
    >
      <div className="mb-8 hidden px-3 lg:block">
        <Wordmark />
      </div>
      <ul className="mx-auto grid max-w-md auto-cols-fr grid-flow-col lg:block lg:max-w-none">
        {NAV_LINKS.map(({ to, icon, label }) => (
          <li key={to} className="lg:mb-1">
            <Link
              to={to}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ 'aria-current': 'page', className: active }}
              // The other lists, and the tasks in them, are behind this entry.
              inactiveProps={
                to === '/' && isTasks ? { 'aria-current': true, className: active } : { className: inactive }
              }
              className={NAV_ITEM}
            >
              <Icon name={icon} className="size-6 lg:size-5.5" />
              {label}
              {to === '/' && requests > 0 && (
                <span className={NAV_BADGE}>
                  {requests}
                  <span className="sr-only"> {strings.today.requests}</span>
                </span>
              )}
            </Link>
          </li>
        ))}
        <Suspense>
          {hasSpaces && <StandInsLink className={NAV_ITEM} active={active} inactive={inactive} badge={NAV_BADGE} />}
        </Suspense>
        <li>
          <button
            type="button"
            aria-keyshortcuts="/ Control+K"
            onClick={onSearch}
            className={`${NAV_ITEM} ${inactive}`}
          >
            <Icon name="search" className="size-6 lg:size-5.5" />
            {strings.nav.search}
          </button>
        </li>
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
