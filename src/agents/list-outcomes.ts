import { Type } from '../lib/schema.ts';
import { foldedText, foldedWords, hasWord } from '../words/fold-letters.ts';
import { shortName, WEEKDAY_NAMES } from '../words/names.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, defineTool, listAnswer, READ_ONLY, readTasks } from './define-tool.ts';
import { localDay } from './due-input.ts';
import { shortMinute, zonedAt } from './format-time.ts';
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
/** The same of a row that names its outcome and its due date as well. */
const AROUND_OTHER = 170;
const DEFAULT_DAYS = 7;
/** How long before its day an occurrence may have been closed. */
const LOOK_BACK_DAYS = 31;

export const listOutcomes = defineTool({
  name: 'list_outcomes',
  title: 'List what was done',
  description:
    'Tells what was done and skipped, by the day it was due, e.g. for "did I do my exercises this week?"; ' +
    'of_other_days: closed then, not counted; missed: passed while an earlier one was open; still_open: due, not ' +
    'closed. Returns JSON. Needs tasks:read.',
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
      since: `${period.from.subtract({ days: LOOK_BACK_DAYS })}T00:00`,
    });
    if (outcome !== undefined) query.set('outcome', outcome);
    const { data } = await agent.api<ApiOutcome[]>({ url: `/v1/outcomes?${query}` });
    const hasWords = matcherOf(text);
    const isMeant = ({ title, task_id: id }: ApiOutcome) =>
      (task_id === undefined || id === task_id) && hasWords(title);
    const isDueThen = (one: ApiOutcome) => isWithin(dueDay(one, agent), period);
    const isClosedThen = (one: ApiOutcome) => isWithin(closedDay(one, agent), period);
    const closed = data.filter((one) => isMeant(one) && (isDueThen(one) || isClosedThen(one)));
    const found = closed.filter(isDueThen);
    const open = outcome === undefined ? await stillOpen(agent, period, text, task_id) : [];
    const missed = outcome === undefined ? await missedIn(agent, period, isMeant) : [];
    const listed = fitting(closed, MOST_CHARACTERS - JSON.stringify([open, missed]).length, isDueThen);
    const tasks = await readTasks(agent, [...new Set(listed.map((one) => one.task_id))]);
    const others = listed.filter((one) => !isDueThen(one)).map((one) => otherDay(one, tasks, agent));
    const oldest = data.at(-1);
    const count = (kind: string) => found.filter((one) => one.outcome === kind).length;
    const fields = {
      timezone: agent.zone,
      from: period.from.toString(),
      until: period.until.toString(),
      done: count('done'),
      skipped: count('skipped'),
      ...(missed.length > 0 && { missed }),
      ...(closed.length > listed.length && {
        note: `Only the last ${listed.length} are listed: choose a shorter period.`,
      }),
      ...(data.length === MOST_READ &&
        oldest &&
        !isBefore(closedDay(oldest, agent), period.from) && { incomplete: 'There are more than can be read at once.' }),
      ...(open.length > 0 && { still_open: open }),
      ...(others.length > 0 && { of_other_days: others }),
    };
    return { text: listAnswer(fields, 'days', byDay(listed.filter(isDueThen), tasks, agent)) };
  },
});

/** As many outcomes as fit into this many characters. */
function fitting(
  outcomes: readonly ApiOutcome[],
  characters: number,
  isDueThen: (one: ApiOutcome) => boolean,
): readonly ApiOutcome[] {
  let left = characters;
  const end = outcomes.findIndex((one) => {
    left -= Math.min(one.title.length, MOST_IN_TITLE) + (isDueThen(one) ? AROUND_TITLE : AROUND_OTHER);
    return left < 0;
  });
  return end < 0 ? outcomes : outcomes.slice(0, end);
}

interface Period {
  readonly from: Temporal.PlainDate;
  readonly until: Temporal.PlainDate;
}

function periodOf(from: string | undefined, until: string | undefined, agent: Agent): Period {
  const { zone, now } = agent;
  const today = zonedAt(now, zone).toPlainDate();
  const last = until === undefined ? today : dateOf('until', until, agent);
  const first = from === undefined ? last.subtract({ days: DEFAULT_DAYS - 1 }) : dateOf('from', from, agent);
  if (Temporal.PlainDate.compare(first, last) <= 0) return { from: first, until: last };
  throw new ToolFailure('invalid_input', 'from: Input should not be after until');
}

function dateOf(name: string, text: string, agent: Agent): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(localDay(name, text, agent));
  } catch {
    throw new ToolFailure('invalid_input', `${name}: Input should be a date such as 2026-12-01`);
  }
}

const isBefore = (one: Temporal.PlainDate, other: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(one, other) < 0;

const isWithin = (day: Temporal.PlainDate, { from, until }: Period): boolean =>
  !isBefore(day, from) && !isBefore(until, day);

const localDate = (instant: string, { zone }: Agent): Temporal.PlainDate =>
  zonedAt(new Date(instant), zone).toPlainDate();

const closedDay = ({ recorded_at }: ApiOutcome, agent: Agent): Temporal.PlainDate => localDate(recorded_at, agent);

/** A task without a date belongs to the day on which it was closed. */
const dueDay = ({ occurrence_due_at, recorded_at }: ApiOutcome, agent: Agent): Temporal.PlainDate =>
  localDate(occurrence_due_at ?? recorded_at, agent);

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
    const date = dueDay(one, agent);
    const day = `${shortName(WEEKDAY_NAMES[date.dayOfWeek - 1])} ${date}`;
    const entry = days.get(day) ?? {};
    const closed = {
      title: shown(one.title, MOST_IN_TITLE),
      ...writerOfTitle(one, tasks.get(one.task_id)),
      id: one.task_id,
      at: shortMinute(one.recorded_at, agent.zone),
    };
    entry[one.outcome] = [...(entry[one.outcome] ?? []), closed];
    days.set(day, entry);
  }
  return [...days]
    .sort(([one], [other]) => (one.slice(4) < other.slice(4) ? -1 : 1))
    .map(([day, entry]) => ({ day, ...entry }));
}

function otherDay(one: ApiOutcome, tasks: ReadonlyMap<string, ApiTask>, agent: Agent): object {
  return {
    title: shown(one.title, MOST_IN_TITLE),
    ...writerOfTitle(one, tasks.get(one.task_id)),
    id: one.task_id,
    outcome: one.outcome,
    due_at: shortMinute(one.occurrence_due_at ?? one.recorded_at, agent.zone),
    at: shortMinute(one.recorded_at, agent.zone),
  };
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
  const time = (text: string) => shortMinute(text, agent.zone);
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
