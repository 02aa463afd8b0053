/** The settings in parts with addresses of their own: a list of them on a phone, beside the open one elsewhere. */
import { Link, useParams } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import type { Settings } from '../api/client.ts';
import { useSynced } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { Icon } from '../ui/icons.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Account, DaySettings } from './account.tsx';
import { Address } from './address.tsx';
import { Admin } from './admin.tsx';
import { Apps } from './apps.tsx';
import { Calendar } from './calendar.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Install } from './install.tsx';
import { Ladders } from './ladders.tsx';
import { Passkeys } from './passkeys.tsx';
import { Pause } from './pause.tsx';
import { Reach } from './reach.tsx';
import { Reading } from './reading.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { StandIns } from './stand-ins.tsx';
import { Tokens } from './tokens.tsx';
import { YourData } from './your-data.tsx';

const { settings: words } = screenStrings;

const MoveIn = lazy(() => import('../move-in/move-in.tsx').then(({ MoveIn: loaded }) => ({ default: loaded })));

type PartName = keyof typeof words.parts;

/** In the order of the list. Each name is the end of an address, so it must not change. */
const PARTS: Readonly<Record<PartName, readonly ComponentType<{ readonly settings: Settings }>[]>> = {
  you: [Account, Reading, Install, Admin],
  reminders: [DaySettings, Reach, Ladders, StandIns, Pause],
  'sign-in': [Address, Passkeys, SecondFactor, Sessions],
  assistants: [Tokens],
  'move-in': [MovingIn],
  data: [Apps, Calendar, YourData, DeleteAccount],
};
const NAMES = Object.keys(PARTS) as PartName[];
const FIRST: PartName = 'you';
const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);

/** An unknown part shows the list. */
export function SettingsPage() {
  const { part: name = '' } = useParams({ strict: false });
  const part = isPart(name) ? name : undefined;
  return (
    <Page
      key={part}
      wide
      title={part ? words.parts[part].title : words.title}
      {...(part && { back: { to: '/settings', label: words.title } })}
    >
      <div className="gap-8 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
        <PartList open={part} />
        <div className={part ? '' : 'max-lg:hidden'}>
          <Sections part={part ?? FIRST} />
        </div>
      </div>
    </Page>
  );
}

function PartList({ open }: { readonly open: PartName | undefined }) {
  return (
    <nav aria-label={words.partsLabel} className={open ? 'max-lg:hidden' : ''}>
      <ul className="grid gap-2 lg:sticky lg:top-6 lg:gap-1">
        {NAMES.map((part) => (
          <li key={part}>
            <Link
              to="/settings/$part"
              params={{ part }}
              aria-current={part === open ? 'page' : undefined}
              className={`flex items-center gap-3 rounded-card px-4 py-3 max-lg:border max-lg:border-line max-lg:bg-card hover:bg-sunk aria-[current=page]:bg-card aria-[current=page]:font-semibold ${isBeside(part, open) ? 'lg:bg-card lg:font-semibold' : ''}`}
            >
              <span className="min-w-0 grow">
                {words.parts[part].title}
                <span className="block text-sm font-normal text-soft">{words.parts[part].lead}</span>
              </span>
              <Icon name="arrow" className="size-4.5 shrink-0 text-soft lg:hidden" />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Loaded when it is opened: a person moves in once. */
function MovingIn() {
  return (
    <Suspense fallback={<Skeleton rows={2} tall />}>
      <MoveIn />
    </Suspense>
  );
}

/** A wide window shows the first part beside the list. */
const isBeside = (part: PartName, open: PartName | undefined) => open === undefined && part === FIRST;

function Sections({ part }: { readonly part: PartName }) {
  const { data, error, refetch } = useSynced();
  if (!data) return error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={4} tall />;
  // Their order never changes.
  return PARTS[part].map((Part) => <Part key={Part.name} settings={data.settings} />);
}
