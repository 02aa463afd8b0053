import { useSynced } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Account, DaySettings } from './account.tsx';
import { Admin } from './admin.tsx';
import { Calendar } from './calendar.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Install } from './install.tsx';
import { Passkeys } from './passkeys.tsx';
import { Pause } from './pause.tsx';
import { Reach } from './reach.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';
import { YourData } from './your-data.tsx';

export function SettingsPage() {
  const { data, error, refetch } = useSynced();
  return (
    <Page title={screenStrings.settings.title}>
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={4} tall />)}
      {data && (
        <>
          <Account settings={data.settings} />
          <DaySettings settings={data.settings} />
          <Reach />
          <Pause settings={data.settings} />
          <Install />
          <Passkeys />
          <SecondFactor />
          <Sessions />
          <Tokens />
          <Calendar />
          <YourData />
          <Admin />
          <DeleteAccount />
        </>
      )}
    </Page>
  );
}
