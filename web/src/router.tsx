/** The routes of the app. Screens other than the first are loaded when they are opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSignedIn } from './data/session.ts';
import { readFilters } from './find/filters.ts';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { Today } from './tasks/today.tsx';
import { Skeleton } from './ui/page.tsx';

const root = createRootRoute({ component: Outlet });

/** Leads back to the same place after signing in. */
function requireSession({ location }: { readonly location: { readonly href: string } }): void {
  if (isSignedIn.value) return;
  throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: ({
    next,
    ended,
    stay,
  }: Record<string, unknown>): { next?: string; ended?: boolean; stay?: boolean } => ({
    // Only paths inside the app: a crafted link must not lead to another site.
    ...(typeof next === 'string' && /^\/(?!\/)/.test(next) && { next }),
    ...(ended === true && { ended }),
    ...(stay !== undefined && { stay: true }),
  }),
});

/** The query of the assistant's request, as one opaque text: the router would read and rewrite its parameters. */
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  component: lazyRouteComponent(() => import('./connect/connect.tsx'), 'Connect'),
  validateSearch: ({ query }: Record<string, unknown>): { query?: string } =>
    typeof query === 'string' ? { query } : {},
  beforeLoad: requireSession,
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: requireSession,
});

const today = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: Today,
  validateSearch: readFilters,
});

const upcoming = createRoute({
  getParentRoute: () => inside,
  path: '/upcoming',
  component: lazyRouteComponent(() => import('./tasks/upcoming.tsx'), 'Upcoming'),
  validateSearch: readFilters,
});

const someday = createRoute({
  getParentRoute: () => inside,
  path: '/someday',
  component: lazyRouteComponent(() => import('./tasks/someday.tsx'), 'Someday'),
  validateSearch: readFilters,
});

/** `/app/add?text=…`: the share target and the shortcut of the manifest lead here too. */
const add = createRoute({
  getParentRoute: () => inside,
  path: '/add',
  component: lazyRouteComponent(() => import('./quick-add/add-page.tsx'), 'AddPage'),
});

const task = createRoute({
  getParentRoute: () => inside,
  path: '/tasks/$taskId',
  component: lazyRouteComponent(() => import('./tasks/task-page.tsx'), 'TaskPage'),
});

const spaces = createRoute({
  getParentRoute: () => inside,
  path: '/spaces',
  component: lazyRouteComponent(() => import('./spaces/spaces.tsx'), 'Spaces'),
});

const space = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId',
  component: lazyRouteComponent(() => import('./spaces/space-page.tsx'), 'SpacePage'),
});

const invite = createRoute({
  getParentRoute: () => inside,
  path: '/invites/$token',
  component: lazyRouteComponent(() => import('./spaces/join.tsx'), 'Join'),
});

const standIns = createRoute({
  getParentRoute: () => inside,
  path: '/stand-ins',
  component: lazyRouteComponent(() => import('./stand-ins/stand-ins-page.tsx'), 'StandInsPage'),
});

/** Where the messages of stand-ins lead. */
const standInTask = createRoute({
  getParentRoute: () => inside,
  path: '/stand-ins/$taskId',
  component: lazyRouteComponent(() => import('./stand-ins/stand-ins-page.tsx'), 'StandInsPage'),
});

const history = createRoute({
  getParentRoute: () => inside,
  path: '/history',
  component: lazyRouteComponent(() => import('./history/history.tsx'), 'History'),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'SettingsPage'),
  // `#pause` is an address of the time when everything was on one page.
  beforeLoad: ({ location: { hash } }) => {
    if (hash !== '') throw redirect({ to: '/settings/$part', params: { part: 'reminders' }, hash });
  },
});

const settingsPart = createRoute({
  getParentRoute: () => inside,
  path: '/settings/$part',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'SettingsPage'),
});

const channels = createRoute({
  getParentRoute: () => inside,
  path: '/settings/channels',
  component: lazyRouteComponent(() => import('./channels/reach-page.tsx'), 'ReachPage'),
});

const ladders = createRoute({
  getParentRoute: () => inside,
  path: '/settings/ladders',
  component: lazyRouteComponent(() => import('./ladders/ladders-page.tsx'), 'LaddersPage'),
});

const access = createRoute({
  getParentRoute: () => inside,
  path: '/settings/access',
  component: lazyRouteComponent(() => import('./settings/access-page.tsx'), 'AccessPage'),
});

const apps = createRoute({
  getParentRoute: () => inside,
  path: '/settings/apps',
  component: lazyRouteComponent(() => import('./settings/apps-page.tsx'), 'AppsPage'),
});

const admin = createRoute({
  getParentRoute: () => inside,
  path: '/settings/admin',
  component: lazyRouteComponent(() => import('./admin/admin-page.tsx'), 'AdminPage'),
});

const person = createRoute({
  getParentRoute: () => inside,
  path: '/settings/admin/people/$userId',
  component: lazyRouteComponent(() => import('./admin/person-page.tsx'), 'PersonPage'),
});

const health = createRoute({
  getParentRoute: () => inside,
  path: '/settings/admin/health',
  component: lazyRouteComponent(() => import('./admin/health-page.tsx'), 'HealthPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    connect,
    inside.addChildren([
      today,
      upcoming,
      someday,
      add,
      task,
      spaces,
      space,
      invite,
      standIns,
      standInTask,
      history,
      settings,
      settingsPart,
      channels,
      ladders,
      access,
      apps,
      admin,
      person,
      health,
    ]),
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultPendingComponent: () => (
    <div className="mx-auto max-w-2xl px-4 pt-28 sm:px-6">
      <Skeleton rows={5} />
    </div>
  ),
  defaultNotFoundComponent: () => redirectHome(),
});

function redirectHome() {
  void router.navigate({ to: '/', replace: true });
  return null;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
