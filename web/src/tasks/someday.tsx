import { strings } from '../strings.ts';
import { TaskScreen } from './task-screen.tsx';

const { lists: words } = strings;

export const Someday = () => (
  <TaskScreen
    key="someday"
    list="someday"
    lead={words.somedayLead}
    empty={{ title: words.empty.someday, lead: words.emptyLead.someday }}
  />
);
