import { Type } from '../lib/schema.ts';
import { foldedText, foldedWords, hasWord } from '../words/fold-letters.ts';
import { shortName, WEEKDAY_NAMES } from '../words/names.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, defineTool, listAnswer, READ_ONLY, readTasks } from './define-tool.ts';
import { dateTimeText } from './due-input.ts';
import { shortTime, zonedAt } from './format-time.ts';
import { shown } from './shown-text.ts';
import { listedTask, writtenBy } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { dateTime, taskId, text, tool, words } from './tool-schemas.ts';

export interface ApiOutcome {
  readonly task_id: string;
  readonly title: string;
  readonly occurrence_due_at: string | null;
  readonly outcome: string;
  readonly recorded_at: string;
}

interface ApiMissed extends ApiOutcome {
  readonly missed: number;
  readonly missed_from: string;
  readonly missed_to: string;
}

const MOST_READ = 500;
const MOST_MISSED = 50;
const MOST_OPEN = 20;
/** Characters of the answer: less than 10,000 tokens. */
const MOST_CHARACTERS = 15_000;
const MOST_IN_TITLE = 60;
/** The characters of a row beside its title: the id, the moment and the names of the fields. */
const AROUND_TITLE = 110;
const DEFAULT_DAYS = 7;

export const listOutcomes = defineTool({
  name: 'list_outcomes',
  title: 'List what was done',
  description:
    'Tells what was done and skipped, occurrence by occurrence, by the day it was due, e.g. for "did I do my exercises ' +
    'this week?"; missed: passed while an earlier one was open; still_open: due and not dealt with yet. Returns JSON. ' +
    'Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({
    from: Type.Optional(dateTime('First day, e.g. 2026-12-01; 6 days ago if left out.')),
    until: Type.Optional(dateTime('Last day; today if left out.')),
    text: Type.Optional(text(200, 'Words of the title.')),
    task_id: Type.Optional(taskId),
    outcome: Type.Optional(words(['done', 'skipped'], 'Only these.')),
  }),
  async run(agent, { from, until, text, task_id, outcome }) {
    const period = periodOf(from, until, agent);
    const query = new URLSearchParams({
      limit: String(MOST_READ),
      since: `${period.from}T00:00`,
    });
    if (outcome !== undefined) query.set('outcome', outcome);
    const { data } = await agent.api<ApiOutcome[]>({ url: `/v1/outcomes?${query}` });
    const hasWords = matcherOf(text);
    const isMeant = ({ title, task_id: id }: ApiOutcome) =>
      (task_id === undefined || id === task_id) && hasWords(title);
    const found = data.filter((one) => isMeant(one) && isWithin(dayOf(one, agent), period));
    const open = outcome === undefined ? await stillOpen(agent, period, text, task_id) : [];
    const missed = outcome === undefined ? await missedIn(agent, period, isMeant) : [];
    const listed = fitting(found, MOST_CHARACTERS - JSON.stringify([open, missed]).length);
    const count = (kind: string) => found.filter((one) => one.outcome === kind).length;
    const fields = {
      timezone: agent.zone,
      from: period.from.toString(),
      until: period.until.toString(),
      done: count('done'),
      skipped: count('skipped'),
      ...(missed.length > 0 && { missed }),
      ...(found.length > listed.length && {
        note: `Only the last ${listed.length} are listed: choose a shorter period.`,
      }),
      ...(data.length === MOST_READ && { incomplete: 'There are more than can be read at once.' }),
      ...(open.length > 0 && { still_open: open }),
    };
    const tasks = await readTasks(agent, [...new Set(listed.map((one) => one.task_id))]);
    return { text: listAnswer(fields, 'days', byDay(listed, tasks, agent)) };
  },
});

/** As many outcomes as fit into this many characters. */
function fitting(outcomes: readonly ApiOutcome[], characters: number): readonly ApiOutcome[] {
  let left = characters;
  const end = outcomes.findIndex(({ title }) => {
    left -= Math.min(title.length, MOST_IN_TITLE) + AROUND_TITLE;
    return left < 0;
  });
  return end < 0 ? outcomes : outcomes.slice(0, end);
}

interface Period {
  readonly from: Temporal.PlainDate;
  readonly until: Temporal.PlainDate;
}

function periodOf(from: string | undefined, until: string | undefined, { zone, now }: Agent): Period {
  const today = zonedAt(now, zone).toPlainDate();
  const last = until === undefined ? today : dateOf('until', until);
  const first = from === undefined ? last.subtract({ days: DEFAULT_DAYS - 1 }) : dateOf('from', from);
  if (Temporal.PlainDate.compare(first, last) <= 0) return { from: first, until: last };
  throw new ToolFailure('invalid_input', 'from: Input should not be after until');
}

function dateOf(name: string, text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(dateTimeText(text).slice(0, 10));
  } catch {
    throw new ToolFailure('invalid_input', `${name}: Input should be a date such as 2026-12-01`);
  }
}

const isWithin = (day: Temporal.PlainDate, { from, until }: Period): boolean =>
  Temporal.PlainDate.compare(day, from) >= 0 && Temporal.PlainDate.compare(day, until) <= 0;

/** The day the occurrence was due, or the day it was closed if that was earlier. */
function dayOf({ occurrence_due_at, recorded_at }: ApiOutcome, { zone }: Agent): Temporal.PlainDate {
  const moments = [occurrence_due_at ?? recorded_at, recorded_at].map((text) => Date.parse(text));
  return zonedAt(new Date(Math.min(...moments)), zone).toPlainDate();
}

/** Folds each text once: with a hundred words and five hundred titles, anything else takes a second. */
function matcherOf(text = ''): (title: string) => boolean {
  const words = foldedWords(text);
  return (title) => {
    const folded = foldedText(title);
    return words.every((word) => hasWord(folded, word));
  };
}

function byDay(outcomes: readonly ApiOutcome[], tasks: ReadonlyMap<string, ApiTask>, agent: Agent): object[] {
  const days = new Map<string, Record<string, object[]>>();
  for (const one of outcomes) {
    const date = dayOf(one, agent);
    const day = `${shortName(WEEKDAY_NAMES[date.dayOfWeek - 1])} ${date}`;
    const entry = days.get(day) ?? {};
    const closed = {
      title: shown(one.title, MOST_IN_TITLE),
      ...writerOfTitle(one, tasks.get(one.task_id)),
      id: one.task_id,
      at: shortTime(new Date(one.recorded_at), agent.zone),
    };
    entry[one.outcome] = [...(entry[one.outcome] ?? []), closed];
    days.set(day, entry);
  }
  return [...days]
    .sort(([one], [other]) => (one.slice(4) < other.slice(4) ? -1 : 1))
    .map(([day, entry]) => ({ day, ...entry }));
}

/** An outcome keeps the title of its day. The writer is known only while the task still has that title. */
export function writerOfTitle(
  { title }: Pick<ApiOutcome, 'title'>,
  task: ApiTask | undefined,
): { readonly by?: string } {
  if (task?.title !== title) return { by: 'unknown, renamed since' };
  const by = writtenBy(task, 'title');
  return by === null ? {} : { by };
}

/** Occurrences that passed while an earlier one was open, as ranges: a task may have missed hundreds. */
async function missedIn(
  agent: Agent,
  { from, until }: Period,
  isMeant: (outcome: ApiOutcome) => boolean,
): Promise<object[]> {
  const query = new URLSearchParams({ limit: String(MOST_READ), since: `${from}T00:00` });
  const { data } = await agent.api<ApiMissed[]>({ url: `/v1/outcomes/missed?${query}` });
  const day = (text: string) => zonedAt(new Date(text), agent.zone).toPlainDate();
  const found = data.filter(
    (one) =>
      isMeant(one) &&
      Temporal.PlainDate.compare(day(one.missed_to), from) >= 0 &&
      Temporal.PlainDate.compare(day(one.missed_from), until) <= 0,
  );
  const time = (text: string) => shortTime(new Date(text), agent.zone);
  return found.slice(0, MOST_MISSED).map(({ title, task_id, missed, missed_from, missed_to }) => ({
    title: shown(title, MOST_IN_TITLE),
    id: task_id,
    count: missed,
    from: time(missed_from),
    ...(missed > 1 && { to: time(missed_to) }),
  }));
}

async function stillOpen(agent: Agent, { from, until }: Period, text: string | undefined, task_id: string | undefined) {
  const query = new URLSearchParams({
    status: 'open',
    limit: String(MOST_OPEN),
    due_from: `${from}`,
    due_until: `${until}`,
  });
  if (text !== undefined) query.set('q', text);
  const { data } = await agent.api<ApiTask[]>({ url: `/v1/tasks/search?${query}` });
  const meant = data.filter(({ id }) => task_id === undefined || id === task_id);
  return meant.map((task) => listedTask(task, agent));
}
