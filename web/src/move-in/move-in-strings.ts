/** The words about moving in from another app. Loaded with its screen. */
import { plural } from '../strings.ts';

const tasks = (count: number) => plural(count, 'task', 'tasks');

export const moveInStrings = {
  title: 'From another app',
  lead: 'Choose the file that the other app exports. You see what would come before anything is imported.',
  choose: 'Choose a file…',
  file: 'File of another app',
  reading: 'Reading the file…',
  tooLarge: 'The file has more than 50 MB. Export it in parts.',
  apps: 'Where to find the file',
  sources: {
    todoist: 'Todoist',
    ticktick: 'TickTick',
    tasks_org: 'Tasks.org',
    google_tasks: 'Google Tasks',
    vikunja: 'Vikunja',
    remember_the_milk: 'Remember The Milk',
    icalendar: 'iCalendar',
    crescendo: 'Crescendo',
  },
  where: [
    ['Todoist', 'Settings > Backups for all projects as a zip, or a project > Export as template for one.'],
    ['TickTick', 'On the web: Settings > Account > Backup.'],
    ['Tasks.org', 'Settings > Backups. The file ends in .json.'],
    ['Google Tasks', 'takeout.google.com, with Tasks alone. The zip as it is. Rules are not in it.'],
    ['Vikunja', 'Settings > Export your data. The zip as it is.'],
    ['Remember The Milk', 'Settings > Account > Export.'],
    ['Apple Reminders and others', 'An iCalendar file (.ics) with tasks.'],
    ['Crescendo', 'Settings > Your data. Tasks come this way; for channels and ladders too, import it there.'],
  ],

  found: (source: string, count: number) => `${tasks(count)} from ${source}`,
  foundLead: 'Nothing is imported yet. This waits for an hour.',
  counts: (open: number, closed: number) => (closed > 0 ? `${open} open, ${closed} done.` : `${open} open.`),
  alreadyThere: (count: number) =>
    `${plural(count, 'of them is', 'of them are')} there already and will not come twice.`,
  overdue: (count: number) =>
    `${plural(count, 'is', 'are')} due already. ${count === 1 ? 'It rings' : 'They ring'} only after you have decided about ${count === 1 ? 'it' : 'them'}.`,
  which: 'What shall come',
  onlyOpen: (count: number) => `Only what is open (${count})`,
  everything: (count: number) => `Everything, with what is done (${count})`,
  withLabels: 'Give each list a label',
  labelOf: (list: string) => `Label of ${list}`,
  listCount: (open: number, closed: number) => (closed > 0 ? `${open} open, ${closed} done` : `${open} open`),
  ladder: 'How they insist',
  usualLadder: 'As usual',
  examples: 'The first tasks',
  noDate: 'no date',
  rules: (count: number) => `${plural(count, 'repeating task', 'repeating tasks')}`,
  rulesLead: 'Their rules as they are understood, and their first dates.',
  notUnderstood: (count: number) => `Not understood or read differently: ${count}`,
  untitled: 'Without a title',
  leftOutTitle: 'Left out',
  leftOut: {
    subtasks: (count: number) =>
      `${plural(count, 'subtask without a date is a line', 'subtasks without a date are lines')} in the notes of its task`,
    attachments: (count: number) => `${plural(count, 'attachment', 'attachments')}: only links come, in the notes`,
    sections: (count: number) => plural(count, 'section', 'sections'),
    durations: (count: number) => plural(count, 'duration', 'durations'),
    priorities: (count: number) => plural(count, 'priority', 'priorities'),
    people: (count: number) => `${plural(count, 'assignment', 'assignments')} to other people`,
    reminders: (count: number) => `${plural(count, 'reminder', 'reminders')} at a fixed time or after the due moment`,
    tags: (count: number) => plural(count, 'tag', 'tags'),
    events: (count: number) => `${plural(count, 'event', 'events')}: an event is not a task`,
    deleted: (count: number) => `${plural(count, 'task', 'tasks')} from the bin`,
    locations: (count: number) => plural(count, 'location', 'locations'),
    long_notes: (count: number) => `The end of ${plural(count, 'very long note', 'very long notes')}`,
    account: () => 'Channels, ladders and other settings: import the same file under Your data',
  },
  more: (count: number) => `and ${count} more`,
  start: (count: number) => `Import ${tasks(count)}`,
  nothing: 'Nothing to import',
  cancel: 'Choose another file',

  importing: (source: string) => `Importing from ${source}`,
  progress: (processed: number, total: number) => `${processed} of ${total}. You can leave this page.`,
  done: (source: string) => `Imported from ${source}`,
  doneText: (imported: number, there: number) =>
    [`${plural(imported, 'task was', 'tasks were')} imported.`, there > 0 ? `${there} were there already.` : '']
      .filter(Boolean)
      .join(' '),
  refused: (count: number) => `${plural(count, 'task was', 'tasks were')} refused.`,
  undo: 'Take it all back',
  undoUntil: (when: string) => `Until ${when} you can take it back. What you have changed since stays.`,
  undoing: 'Taking it back',
  undone: (source: string) => `Taken back: ${source}`,
  undoneText: (removed: number, kept: number) =>
    [
      `${plural(removed, 'task was', 'tasks were')} taken back.`,
      kept > 0
        ? `${plural(kept, 'task', 'tasks')} stayed, because somebody had changed ${kept === 1 ? 'it' : 'them'}.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),

  decide: 'Due already: what shall become of them?',
  decideLead: 'So that nothing rings all at once, they came without reminders.',
  decisions: { today: 'Today', keep_date: 'Keep the date', drop: 'Drop' },
  decideOne: (decision: string, title: string) => `${decision}: ${title}`,
  decideAll: (count: number) => `All ${count}`,
  decideShown: (count: number) => `These ${count}`,
  wasDue: (when: string) => `was due ${when}`,
};
