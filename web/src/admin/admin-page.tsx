/** The people of this installation, who can join it, and the way to its health. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { screenStrings } from '../screen-strings.ts';
import { Icon } from '../ui/icons.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Joining } from './joining.tsx';
import { People } from './people-list.tsx';
import { adminOptions } from './queries.ts';

const { admin: words } = screenStrings;

export function AdminPage() {
  const { data, error, refetch } = useQuery(adminOptions);
  const health = (
    <Link
      to="/settings/admin/health"
      className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
    >
      <Icon name="history" className="size-4.5" />
      {words.healthOpen}
    </Link>
  );
  return (
    <Page
      title={words.title}
      lead={words.pageLead}
      back={{ to: '/settings', label: screenStrings.settings.title }}
      actions={data && health}
    >
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={3} tall />)}
      {data && (
        <>
          <People total={data.people} />
          <Joining signUp={data.sign_up} isFixed={data.sign_up_fixed} />
        </>
      )}
    </Page>
  );
}
