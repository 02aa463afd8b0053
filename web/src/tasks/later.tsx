/** The lists other than Today. */
import { strings } from '../strings.ts';
import { TaskScreen } from './task-screen.tsx';

const { lists: words } = strings;

export const Upcoming = () => (
  <TaskScreen
    key="upcoming"
    list="upcoming"
    lead={words.upcomingLead}
    empty={{ title: words.empty.upcoming, lead: words.emptyLead.upcoming }}
  />
);

export const Someday = () => (
  <TaskScreen
    key="someday"
    list="someday"
    lead={words.somedayLead}
    empty={{ title: words.empty.someday, lead: words.emptyLead.someday }}
  />
);
