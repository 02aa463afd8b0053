import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatDate } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { QuietHours } from './quiet-hours.tsx';
import { TaskScreen } from './task-screen.tsx';
import { Unreached } from './unreached.tsx';
import { WelcomeBack } from './welcome-back.tsx';

export function Today() {
  const now = useNow();
  const zone = useZone();
  return (
    <TaskScreen
      list="today"
      lead={formatDate(now, zone)}
      empty={{ title: strings.today.empty, lead: strings.today.emptyLead }}
    >
      <Unreached />
      <QuietHours />
      <WelcomeBack />
    </TaskScreen>
  );
}
