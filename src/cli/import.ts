/** `crescendo import`: brings the tasks of another app into an account, as Settings → Move in does. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { contentsOf } from '../archive/move-in.service.ts';
import type { StoredMoveIn } from '../archive/move-in.store.ts';
import type { MoveInPreview } from '../archive/move-in-preview.service.ts';
import type { Db } from '../db/schema.ts';
import { PRESET_NAMES, type PresetName } from '../escalation/presets.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { COMMAND_LINE, composeAccounts, withDatabase } from './account-admin.ts';
import { type Call, type Command, CommandError, type Report, UsageError } from './command.ts';
import { nameOf, requirePerson } from './user/people.ts';

const LARGEST_BYTES = 50 * 1024 * 1024;
const MOST_REMARKS = 20;
const LONGEST_LABEL = 100;

export const importFile: Command = {
  parameters: ['FILE'],
  summary: 'Import the tasks of another app into an account',
  explanation:
    'Takes exports of Todoist, TickTick, Tasks.org, Google Tasks, Vikunja, Remember The Milk and Crescendo, and iCalendar\n' +
    'files. A task that is there already does not come twice, and the owner can take all of it back in the app for a day.\n' +
    'Works while the service runs.',
  options: {
    user: { type: 'string', about: 'The account, by its address or id' },
    preview: { type: 'boolean', about: 'Only say what would come' },
    all: { type: 'boolean', about: 'Import what is done too, not only what is open' },
    label: { type: 'string', multiple: true, about: 'LIST=LABEL: a label for the tasks of a list; once for each list' },
    ladder: { type: 'string', about: `The ladder of all tasks: ${PRESET_NAMES.join(', ')}` },
  },
  async run(call) {
    const [path = ''] = call.positionals;
    const { user, ladder, label } = call.options;
    if (typeof user !== 'string') throw new UsageError('--user is missing: whose tasks are they?');
    const chosen = { preset: toPreset(ladder), labels: toLabels(label) };
    const file = { name: basename(path), bytes: readFile(path) };
    return withDatabase(call, async (db) => {
      const person = await requirePerson(db, user);
      return inWords(() => importInto(call, db, { userId: person.id, name: nameOf(person) }, file, chosen));
    });
  },
};

function toPreset(name: unknown): PresetName | undefined {
  if (name === undefined) return undefined;
  const known = PRESET_NAMES.find((preset) => preset === name);
  if (!known) throw new UsageError(`--ladder is one of ${PRESET_NAMES.join(', ')}.`);
  return known;
}

interface NamedLabel {
  readonly list: string;
  readonly label: string;
}

/** The label stands after the last `=`: the name of a list may have one. */
function toLabels(given: unknown): NamedLabel[] {
  const texts: readonly string[] = Array.isArray(given) ? given : [];
  return texts.map((text) => {
    const [, list = '', label = ''] = /^(.*)=(.*)$/s.exec(text)?.map((part) => part.trim()) ?? [];
    if (list !== '' && label !== '' && [...label].length <= LONGEST_LABEL) return { list, label };
    throw new UsageError(`--label is LIST=LABEL, and a label has up to ${LONGEST_LABEL} characters.`);
  });
}

/** By the index that a list has in the preview. */
function byIndex(labels: readonly NamedLabel[], lists: MoveInPreview['lists']) {
  return labels.map(({ list, label }) => {
    const index = lists.findIndex(({ name }) => name === list);
    if (index >= 0) return { list: index, label };
    throw new CommandError(`There is no list “${list}” in the file. ${namesOf(lists)}`);
  });
}

function namesOf(lists: MoveInPreview['lists']): string {
  if (lists.length === 0) return 'It has no lists.';
  const more = lists.length - MOST_REMARKS;
  const names = lists.slice(0, MOST_REMARKS).map(({ name }) => name);
  return `Its lists: ${[...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`;
}

function readFile(path: string): Uint8Array {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new CommandError(`There is no file ${path}.`);
  if (found.size > LARGEST_BYTES) throw new CommandError(`${path} has more than 50 MB. Export it in parts.`);
  return readFileSync(path);
}

interface Target {
  readonly userId: string;
  readonly name: string;
}

async function importInto(
  call: Call,
  db: Db,
  person: Target,
  file: { readonly name: string; readonly bytes: Uint8Array },
  chosen: { readonly preset: PresetName | undefined; readonly labels: readonly NamedLabel[] },
): Promise<Report> {
  const { previews, moveIns } = composeAccounts(call, db).moveIn;
  const preview = await previews.preview(person, file, call.signal);
  if (call.options.preview) {
    await previews.discard(preview.id);
    return { data: preview, text: describe(preview) };
  }
  const { preset } = chosen;
  try {
    const labels = byIndex(chosen.labels, preview.lists);
    const which = call.options.all ? 'all' : 'open';
    await moveIns.start(person, preview.id, { which, labels, ladder: preset ? { preset } : null }, COMMAND_LINE);
  } catch (error) {
    // Nobody can start it later: the command is over.
    await previews.discard(preview.id);
    throw error;
  }
  const done = await moveIns.finish(person, preview.id, ({ processed }) =>
    call.printStatus(`${processed} of ${preview.tasks} tasks`),
  );
  const { contents: _, choices: __, ...data } = done;
  return {
    data: { ...data, source: preview.source },
    text: report(done, person.name),
    failed: done.state === 'stopped',
  };
}

/** The file's owner reads what is wrong with it. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidInput) throw new CommandError(`${error.problems[0]?.msg ?? 'The file is not valid'}.`);
    if (error instanceof AppError && error.status < 500) throw new CommandError(error.message);
    throw error;
  }
}

function describe(preview: MoveInPreview): string {
  const { source, tasks, open, overdue, repeating, already_there, rules, not_understood, left_out, lists } = preview;
  const more = preview.not_understood_count - MOST_REMARKS;
  return [
    `${source}: ${tasks} tasks, ${open} open, ${overdue} overdue, ${repeating} repeating, ${already_there} there already`,
    namesOf(lists),
    ...rules.slice(0, MOST_REMARKS).map(({ title, rule, dates }) => {
      const days = dates.map((date) => date.toISOString().slice(0, 16).replace('T', ' '));
      return `  ${title}: ${rule} (${days.join(', ')} UTC)`;
    }),
    ...(not_understood.length > 0 ? ['not understood'] : []),
    ...not_understood.slice(0, MOST_REMARKS).map(({ at, title, says }) => `  ${at}: ${title ?? '-'}: ${says}`),
    ...(more > 0 ? [`  and ${more} more: --json has them`] : []),
    ...(left_out.length > 0 ? [`left out  ${left_out.map(({ what, count }) => `${what} ${count}`).join(', ')}`] : []),
    'Nothing was imported.',
  ].join('\n');
}

function report(moveIn: StoredMoveIn, name: string): string {
  const { tasks } = contentsOf(moveIn);
  const { imported, already_there, refused, overdue, problem } = moveIn;
  return [
    `${imported} of ${tasks} tasks were imported for ${name}; ${already_there} were there already, ${refused} refused.`,
    ...(overdue > 0
      ? [`${overdue} were overdue: they ring only after their owner has decided, in Settings → Move in.`]
      : []),
    ...(problem === null ? [] : [problem]),
  ].join('\n');
}
