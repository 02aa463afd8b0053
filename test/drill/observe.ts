/** Reads what the service says about a person, by every way in which a client learns of tasks. */
import type { Person } from '../support/people.ts';
import { SyncClient } from '../support/sync-client.ts';
import type { Seen, SeenTask } from './accounting.ts';
import type { Book } from './book.ts';
import type { DrillPerson } from './person.ts';

const PAGE = 50;

/** A phone that learns of tasks by sync alone. */
export function phoneOf(person: DrillPerson): SyncClient {
  const ask = async (_method: string, path: string) => {
    const { status, data } = await person.read(path);
    return { status, body: { data } };
  };
  return new SyncClient({ ask } as unknown as Person);
}

export async function observe(person: DrillPerson, book: Book, phone: SyncClient): Promise<Seen> {
  await phone.sync();
  const found = new Map<string, string[]>();
  for (const { id, title } of book.tasksOf(person.email)) {
    const { data } = await person.read(`/v1/tasks/search?q=${title}`);
    found.set(
      id,
      data.map((task: SeenTask) => task.id),
    );
  }
  return {
    email: person.email,
    listed: await listAll(person),
    found,
    synced: phone.taskIds.map((id) => phone.get(id) as unknown as SeenTask),
    counts: (await person.read('/v1/stats')).data,
    inApp: person.hasApp ? await person.listInApp() : undefined,
  };
}

/** In pages, as an app reads them. */
async function listAll(person: DrillPerson): Promise<SeenTask[]> {
  const tasks: SeenTask[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, headers } = await person.read(`/v1/tasks?limit=${PAGE}${after}`);
    tasks.push(...data);
    cursor = headers.get('x-next-cursor');
  }
  return tasks;
}
