import { callerOf } from '../actions.ts';
import { fetchAll } from '../app-copies.ts';
import { factsOf, factsOfTask, isSame, tell } from '../apps.ts';
import type { Invariant } from '../invariant.ts';
import type { Person } from '../person.ts';
import type { World } from '../world.ts';
import { findLag } from './sync.ts';

/** Who comes anew, by sync, by CalDAV or by the calendar feed, gets what a person may see, and nothing else. */
export const invariant: Invariant = {
  name: 'feeds',
  end: async (world) => {
    for (const [person, number] of world.comparedIn('feeds')) {
      const problem = await findLack(world, person, number);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

async function findLack(world: World, person: Person, number: number): Promise<string | undefined> {
  return (
    (await findLag(world, { ...person, copy: new Map(), syncedUpTo: undefined })) ??
    (await findLackInApp(world, person, number % 2 === 0)) ??
    (await findLackInFeed(world, person, number % 2 === 0 ? 'vtodo' : 'vevent'))
  );
}

async function findLackInApp(world: World, { id, name }: Person, isStrict: boolean): Promise<string | undefined> {
  const app = { owner: id, name: `${name}'s new app`, isStrict, lists: new Map(), drafts: [] };
  return (await fetchAll(world, app)) ? undefined : `${app.name} got no answer.`;
}

async function findLackInFeed(world: World, person: Person, form: 'vtodo' | 'vevent'): Promise<string | undefined> {
  const answer = await world.call(async ({ calendar }) => {
    const { token } = await calendar.create(callerOf(person), '');
    const budget = { check: () => {}, charge: () => {} };
    return calendar.read(token, { form, knownTags: [], callerLeft: new AbortController().signal, budget });
  });
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return `The calendar feed was refused: ${answer.refusal}.`;
  world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
  const shown = entriesOf(answer.value.text ?? '');
  const wanted = [...world.tasks.values()].filter(
    ({ owner, isOpen, isAccepted, due }) => owner === person.id && isOpen && isAccepted && due !== null,
  );
  for (const task of wanted) {
    const [entry, second] = shown.filter((text) => text.includes(`UID:${task.id}\r\n`));
    if (second) return `The calendar feed of ${person.name} has “${task.title}” twice.`;
    const has = entry && factsOf(entry);
    if (!has || !isSame(has, factsOfTask(task)))
      return `The calendar feed of ${person.name} has ${has ? tell(has) : 'nothing'} instead of ${tell(factsOfTask(task))}.`;
  }
  return shown.length > wanted.length ? `The calendar feed of ${person.name} has too much.` : undefined;
}

/** An event begins when its task is due. */
const entriesOf = (text: string): string[] =>
  [...text.replaceAll('VEVENT', 'VTODO').matchAll(/BEGIN:VTODO\r\n[\s\S]*?END:VTODO\r\n/g)].map(([entry]) =>
    entry.includes('\r\nDUE') ? entry : entry.replace('\r\nDTSTART', '\r\nDUE'),
  );
