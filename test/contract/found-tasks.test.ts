/** Which tasks a search finds by ids, words and moments, and who is said to have named their space. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const create = async (person: Person, fields: object): Promise<string> =>
    (await person.ask('POST', '/v1/tasks', { title: 'pills', ...fields })).body.data.id;
  const search = async (person: Person, query: Record<string, string>) =>
    (await person.ask('GET', `/v1/tasks/search?${new URLSearchParams(query)}`)).body.data;
  const titles = async (person: Person, query: Record<string, string>) =>
    (await search(person, query)).map(({ title }: { title: string }) => title);

  it('the end of an id names a task of one’s own, in capital letters too, and none of another person', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const ends = [await create(ada, { title: 'of Ada' }), await create(bob, { title: 'of Bob' })].map((id) =>
      id.slice(-8),
    );
    assert.deepEqual(await titles(ada, { ids: ends.join() }), ['of Ada']);
    assert.deepEqual(await titles(ada, { ids: ends.join().toUpperCase() }), ['of Ada']);
  });

  it('the writer of a text is named by a token of one’s own, and never by that of another person', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const tokens = {
      own: await mintToken(ada, { name: 'Jeeves' }),
      other: await mintToken(bob, { name: 'Clinic' }),
    };
    const id = await create(ada, { title: 'pills' });
    const writerBy = async (token_id: string) => {
      await app.db.deleteFrom('text_writers').where('task_id', '=', id).execute();
      await app.db.insertInto('text_writers').values({ task_id: id, field: 'title', by: 'owner', token_id }).execute();
      const found = [await search(ada, { ids: id }), await search(ada, { q: 'pills' })];
      return found.map(([{ written_by }]) => written_by);
    };
    const named = (name: string | null) => Array(2).fill({ kind: 'agent', name });
    assert.deepEqual(await writerBy(tokens.own.id), named('Jeeves'));
    assert.deepEqual(await writerBy(tokens.other.id), named(null));
  });

  it('a search is until its last moment, for words that say something, and not for the usual label', async () => {
    const ada = await createPerson(app);
    await create(ada, { title: 'look at the sun', due_at: '2026-03-05T10:00:00Z', has_time: true });
    await create(ada, { title: 'moon' });
    const cases: [query: Record<string, string>, found: string[]][] = [
      [{ due_until: '2026-03-05T10:00:00Z' }, ['look at the sun']],
      [{ due_until: '2026-03-05T09:59:59.999Z' }, []],
      [{ due_from: '2026-03-05T10:00:00.001Z' }, []],
      [{ q: 'todo' }, []],
      [{ q: 'the moon', match: 'some' }, ['moon']],
      [{ q: 'the at', match: 'some' }, ['look at the sun']],
      [{ q: 'to the', match: 'some' }, []],
    ];
    for (const [query, found] of cases) assert.deepEqual(await titles(ada, query), found, JSON.stringify(query));
  });

  it('the name of a space is its owner’s own only if nobody else has ever owned it, and is not shown once they left', async () => {
    const [ada, bob, cem] = await Promise.all([createPerson(app), createPerson(app), createPerson(app)]);
    const space_id = await createSpace(ada, bob, cem);
    const ids = { ada: await create(ada, { space_id }), bob: await create(bob, { space_id }) };
    const namedBy = async (person: Person, id: string) => {
      const [{ space_name, space_written_by }] = await search(person, { ids: id });
      return [space_name, space_written_by?.kind];
    };
    assert.deepEqual(await namedBy(ada, ids.ada), ['Home', 'you']);
    assert.deepEqual(await namedBy(bob, ids.bob), ['Home', 'person']);
    // Others who leave name nothing.
    await cem.ask('DELETE', `/v1/spaces/${space_id}/membership`);
    assert.deepEqual(await namedBy(ada, ids.ada), ['Home', 'you']);
    // As if Ada had been away.
    await app.db
      .insertInto('space_departures')
      .values({ space_id, user_id: ada.userId, left_at: new Date(0) })
      .execute();
    assert.deepEqual(await namedBy(ada, ids.ada), ['Home', 'person']);
    // As before the first slice of a departure.
    const membership = app.db.deleteFrom('space_members').where('space_id', '=', space_id);
    await membership.where('user_id', '=', ada.userId).execute();
    assert.deepEqual(await namedBy(ada, ids.ada), [null, undefined]);
  });
});
