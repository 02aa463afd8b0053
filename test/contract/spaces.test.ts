import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import {
  listOpenInvitesOf,
  revokeInvitesOf,
  revokeOpenInvites,
  setInviteStatus,
} from '../../src/spaces/invites.store.ts';
import { SpacesService } from '../../src/spaces/spaces.service.ts';
import { deleteMember, insertMember, insertSpace, lockMember, lockSpace } from '../../src/spaces/spaces.store.ts';
import { areWaiting, askDuring } from '../support/during-transaction.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { createPerson, type Person } from '../support/people.ts';
import { SyncClient } from '../support/sync-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const codeOf = (error: string) => error.split(':')[0];

async function createSpace(owner: Person, name = 'Home'): Promise<string> {
  return (await owner.ask('POST', '/v1/spaces', { name })).body.data.id;
}

async function invite(member: Person, spaceId: string): Promise<{ id: string; token: string }> {
  return (await member.ask('POST', `/v1/spaces/${spaceId}/invites`, {})).body.data;
}

async function join(member: Person, spaceId: string, ...people: Person[]): Promise<void> {
  for (const person of people) {
    const { token } = await invite(member, spaceId);
    assert.equal((await person.ask('POST', `/v1/invites/${token}/accept`)).status, 200);
  }
}

/** The outcome of what is asked before the work is committed. */
async function during({ db }: TestApp, work: (trx: Db) => Promise<unknown>, ask: () => ReturnType<Person['ask']>) {
  const { status, body } = await askDuring(db, work, ask);
  return status === 200 ? 'done' : codeOf(body.error);
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const people = async (count: number): Promise<Person[]> => {
    await app.clock.advance('1h');
    return Promise.all(Array.from({ length: count }, () => createPerson(app)));
  };

  test('the creator of a space owns it; for non-members it does not exist', async () => {
    const [ada, bob, outsider] = (await people(3)) as [Person, Person, Person];
    const made = await ada.ask('POST', '/v1/spaces', { name: 'Home 🏠' });
    assert.deepEqual(Object.keys(made.body.data), ['id', 'name', 'created_at']);
    const { id } = made.body.data;
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    await app.clock.advance('1m');
    await join(ada, id, bob);
    assert.deepEqual((await bob.ask('GET', '/v1/spaces')).body.data, [made.body.data]);
    assert.deepEqual((await ada.ask('GET', `/v1/spaces/${id}/members`)).body.data, [
      { user_id: ada.userId, role: 'owner', display_name: null },
      { user_id: bob.userId, role: 'member', display_name: 'Bob' },
    ]);
    assert.deepEqual((await outsider.ask('GET', '/v1/spaces')).body.data, []);
    const hidden: [Parameters<Person['ask']>[0], string][] = (
      [
        ['GET', 'members'],
        ['GET', 'tasks'],
        ['POST', 'invites'],
        ['DELETE', 'membership'],
      ] as const
    ).map(([method, path]) => [method, `/v1/spaces/${id}/${path}`]);
    for (const [method, url] of hidden) assert.equal((await outsider.ask(method, url, {})).status, 404, url);
    for (const body of [{}, { name: '' }, { name: null }, { name: 5 }]) {
      assert.equal((await ada.ask('POST', '/v1/spaces', body)).status, 422);
    }
  });

  it('the owner of a space renames it, for everyone in it; nobody else can', async () => {
    // Who joins first has the higher id.
    const byId = (await people(4)).toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
    const [ada, cem, bob, outsider] = byId as [Person, Person, Person, Person];
    const space = await createSpace(ada);
    const other = await createSpace(ada, 'Band');
    await join(ada, other, cem);
    await join(ada, space, bob);
    await app.clock.advance('1m');
    await join(ada, space, cem);
    const ofCem = (await cem.ask('GET', '/v1/spaces')).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ofCem, [other, space], 'in the order in which they were joined');
    assert.deepEqual(await rolesIn(cem, space), [
      [ada.userId, 'owner'],
      [bob.userId, 'member'],
      [cem.userId, 'member'],
    ]);
    const { token } = await invite(ada, space);
    const rename = (person: Person, body: object) => person.ask('PATCH', `/v1/spaces/${space}`, body);
    const before = (await bob.ask('GET', '/v1/spaces')).body.data;
    const byMember = await rename(bob, { name: 'Mine' });
    assert.deepEqual([byMember.status, codeOf(byMember.body.error)], [403, 'not_allowed']);
    assert.equal((await rename(outsider, { name: 'Mine' })).status, 404);
    for (const body of [{}, { name: '' }, { name: null }, { name: 'x'.repeat(201) }])
      assert.equal((await rename(ada, body)).status, 422);
    assert.deepEqual((await bob.ask('GET', '/v1/spaces')).body.data, before);

    const renamed = await rename(ada, { name: 'Our flat' });
    assert.deepEqual([renamed.status, renamed.body.data], [200, { ...before[0], name: 'Our flat' }]);
    assert.deepEqual((await bob.ask('GET', '/v1/spaces')).body.data, [renamed.body.data]);
    assert.equal((await outsider.ask('GET', `/v1/invites/${token}`)).body.data.space_name, 'Our flat');
    const { data } = (await ada.ask('GET', '/v1/spaces')).body;
    assert.equal(data.find(({ id }: { id: string }) => id === other).name, 'Band');
    // Whoever has been in it longest owns it next, and renames it next.
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 404);
    assert.equal((await rename(cem, { name: 'Mine' })).status, 403);
    assert.equal((await rename(ada, { name: 'Still mine' })).status, 404);
    assert.equal((await rename(bob, { name: 'Mine' })).status, 200);
  });

  test('an invitation is single use: of two concurrent users one joins, and the others get the reason', async () => {
    const [ada, bob, cem, dan] = (await people(4)) as [Person, Person, Person, Person];
    const space = await createSpace(ada);
    const { token, id } = await invite(ada, space);
    const accept = (person: Person, what = token) => person.ask('POST', `/v1/invites/${what}/accept`);
    const answers = await Promise.all([accept(bob), accept(cem)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410]);
    const winner = answers[0]?.status === 200 ? bob : cem;
    assert.equal((await accept(winner)).status, 200);
    assert.deepEqual([(await accept(dan)).status, codeOf((await accept(dan)).body.error)], [410, 'invite_spent']);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/invites/${id}`)).status, 410);

    const revoked = await invite(winner, space);
    assert.equal((await accept(ada, revoked.token)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/invites/${revoked.id}`)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/invites/${revoked.id}`)).status, 200);
    assert.equal(codeOf((await accept(dan, revoked.token)).body.error), 'invite_revoked');
    const late = await invite(ada, space);
    await app.clock.advance('14d');
    assert.equal(codeOf((await accept(dan, late.token)).body.error), 'invite_expired');
    assert.equal((await accept(dan, 'in_never-was')).status, 404);
    const members = (await ada.ask('GET', `/v1/spaces/${space}/members`)).body.data;
    assert.equal(members.length, 2);
  });

  it('signing out everywhere lists and ends only invitations that can still be accepted', async () => {
    const [ada] = (await people(1)) as [Person];
    const space = await createSpace(ada);
    const [old, used] = [await invite(ada, space), await invite(ada, space)];
    await setInviteStatus(app.db, used.id, 'accepted', ada.userId);
    await app.clock.advance('14d');
    const open = await invite(ada, space);
    const now = app.clock.now();
    const listed = await listOpenInvitesOf(app.db, ada.userId, now, 9);
    assert.deepEqual(
      listed.map(({ id }) => id),
      [open.id],
    );
    assert.equal(await revokeOpenInvites(app.db, ada.userId, [old.id, used.id, open.id], now), 1);
  });

  test('an invitation that is withdrawn and used at the same moment is one of both, and who has just left renames nothing', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const space = await createSpace(ada);
    const accept = (token: string) => bob.ask('POST', `/v1/invites/${token}/accept`);
    const [first, second] = [await invite(ada, space), await invite(ada, space)];
    const signOut = (trx: Db) => revokeOpenInvites(trx, ada.userId, [first.id], app.clock.now());
    assert.equal(await during(app, signOut, () => accept(first.token)), 'invite_revoked');
    const use = async (trx: Db) => {
      await lockSpace(trx, space);
      await setInviteStatus(trx, second.id, 'accepted', bob.userId);
    };
    const withdraw = () => ada.ask('DELETE', `/v1/spaces/${space}/invites/${second.id}`);
    assert.equal(await during(app, use, withdraw), 'invite_spent');
    const leave = async (trx: Db) => {
      await lockSpace(trx, space);
      await deleteMember(trx, space, ada.userId);
    };
    const rename = () => ada.ask('PATCH', `/v1/spaces/${space}`, { name: 'Mine' });
    assert.equal(await during(app, leave, rename), 'not_found');
  });

  test('whoever is removed while they make an invitation has made none', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob);
    const remove = async (trx: Db) => {
      await lockMember(trx, space, bob.userId);
      await revokeInvitesOf(trx, space, bob.userId);
      await deleteMember(trx, space, bob.userId);
    };
    const make = () => bob.ask('POST', `/v1/spaces/${space}/invites`, {});
    assert.equal(await during(app, remove, make), 'not_found');
    assert.deepEqual((await ada.ask('GET', `/v1/spaces/${space}/invites`)).body.data, []);
  });

  it('an invitation says who invites to which space, to its holder only and as long as it can be accepted', async () => {
    const [ada, bob, cem] = (await people(3)) as [Person, Person, Person];
    const space = await createSpace(ada);
    const { name } = (await ada.ask('GET', '/v1/spaces')).body.data[0];
    const { token } = await invite(ada, space);
    const preview = (person: Person, what = token) => person.ask('GET', `/v1/invites/${what}`);
    const unnamed = (await preview(bob)).body.data;
    assert.deepEqual([unnamed.space_name, unnamed.inviter_name, unnamed.is_member], [name, null, false]);
    await ada.ask('PATCH', '/v1/me', { display_name: 'Ada' });
    assert.equal((await preview(bob)).body.data.inviter_name, 'Ada');
    assert.equal((await app.ask({ method: 'GET', url: `/v1/invites/${token}` })).status, 401);
    assert.equal((await preview(bob, 'in_never-was')).status, 404);

    await bob.ask('POST', `/v1/invites/${token}/accept`);
    assert.equal((await preview(bob)).body.data.is_member, true);
    assert.equal(codeOf((await preview(cem)).body.error), 'invite_spent');
    const late = await invite(ada, space);
    const gone = await invite(ada, space);
    await ada.ask('DELETE', `/v1/spaces/${space}/invites/${gone.id}`);
    assert.equal(codeOf((await preview(cem, gone.token)).body.error), 'invite_revoked');
    const beforeRemoval = await invite(ada, space);
    await ada.ask('DELETE', `/v1/spaces/${space}/members/${bob.userId}`);
    assert.equal(codeOf((await preview(bob, beforeRemoval.token)).body.error), 'invite_revoked');
    await app.clock.advance('14d');
    assert.equal(codeOf((await preview(cem, late.token)).body.error), 'invite_expired');
  });

  it('only the inviter and the owner of the space can revoke an invitation', async () => {
    const [ada, bob, cem] = (await people(3)) as [Person, Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob, cem);
    const { id } = await invite(bob, space);
    const byOther = await cem.ask('DELETE', `/v1/spaces/${space}/invites/${id}`);
    assert.deepEqual([byOther.status, codeOf(byOther.body.error)], [403, 'not_allowed']);
    const ofCem = await createSpace(cem, 'Band');
    assert.equal((await cem.ask('DELETE', `/v1/spaces/${ofCem}/invites/${id}`)).status, 404, 'of a space of their own');
    assert.deepEqual(
      (await ada.ask('GET', `/v1/spaces/${space}/invites`)).body.data.map((open: { id: string }) => open.id),
      [id],
    );
    assert.equal((await bob.ask('DELETE', `/v1/spaces/${space}/invites/${id}`)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/invites/${ada.userId}`)).status, 404);
    const stored = await app.db.selectFrom('invites').selectAll().where('space_id', '=', space).execute();
    assert.ok(stored.every(({ token_hash }) => !token_hash.startsWith('in_')));
  });

  test('a request sends no nudges until it is accepted, only its owner moves it, and its outcome is its owner’s', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob);
    const due_at = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const body = { title: 'for bob', owner_id: bob.userId, space_id: space, due_at, has_time: true };
    const request = (await ada.ask('POST', '/v1/tasks', body)).body.data;
    assert.deepEqual(
      [request.owner_id, request.assigner_id, request.accepted_by_owner, request.next_fire_at],
      [bob.userId, ada.userId, false, null],
    );
    assert.equal((await bob.ask('GET', '/v1/tasks?status=pending')).body.data.length, 1);
    const accepted = await bob.ask('POST', `/v1/tasks/${request.id}/accept`);
    assert.deepEqual([accepted.body.data.accepted_by_owner, accepted.body.data.next_fire_at], [true, due_at]);
    assert.equal((await ada.ask('PATCH', `/v1/tasks/${request.id}`, { space_id: null })).status, 403);
    assert.equal((await ada.ask('POST', `/v1/tasks/${request.id}/complete`)).body.data.status, 'done');
    assert.equal((await bob.ask('GET', '/v1/stats')).body.data.done, 1);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.done, 0);
  });

  it('declining a request closes it without an outcome or nudge, and the assigner sees it as declined', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const request = (await ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId })).body.data;
    const declined = await bob.ask('POST', `/v1/tasks/${request.id}/decline`);
    assert.deepEqual([declined.body.data.status, declined.body.data.next_fire_at], ['declined', null]);
    assert.deepEqual((await bob.ask('GET', '/v1/outcomes')).body.data, []);
    const [seen] = (await ada.ask('GET', '/v1/tasks?assigned=true')).body.data;
    assert.deepEqual([seen.id, seen.status], [request.id, 'declined']);
    assert.deepEqual((await ada.ask('GET', '/v1/tasks')).body.data, []);
  });

  test('a request can go to any user, within a space to its members only, outside a space up to a limit per owner, and never from a token', async () => {
    const [ada, bob, cem] = (await people(3)) as [Person, Person, Person];
    const space = await createSpace(ada);
    const ask = (body: object) => ada.ask('POST', '/v1/tasks', { title: 'x', ...body });
    assert.equal((await ask({ owner_id: space })).status, 404);
    const outsider = await ask({ owner_id: bob.userId, space_id: space });
    assert.deepEqual([outsider.status, codeOf(outsider.body.error)], [403, 'not_allowed']);
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', space_id: space })).status, 404);
    const ids: string[] = [];
    while (ids.length < 20) {
      const { status, body } = await ask({ owner_id: bob.userId });
      assert.equal(status, 200);
      ids.push(body.data.id);
    }
    const tooMany = await ask({ owner_id: bob.userId });
    assert.deepEqual([tooMany.status, codeOf(tooMany.body.error)], [429, 'too_many_pending']);
    assert.ok(tooMany.headers['retry-after']);
    assert.equal((await ask({ owner_id: cem.userId })).status, 200);
    const byCem = await cem.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId });
    assert.equal(byCem.status, 200, 'what one person asks leaves room for another');
    assert.equal((await bob.ask('POST', `/v1/tasks/${ids[0]}/accept`)).status, 200);
    assert.equal((await ask({ owner_id: bob.userId })).status, 200, 'what was accepted does not wait');
    assert.equal((await ask({ owner_id: bob.userId })).status, 429);
    await join(ada, space, bob);
    assert.equal((await ask({ owner_id: bob.userId, space_id: space })).status, 200);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:write'] })).body.data;
    const byToken = await ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: cem.userId }, token);
    assert.deepEqual([byToken.status, codeOf(byToken.body.error)], [403, 'not_allowed']);
  });

  test('the limit on requests holds for concurrent and reopened ones, and only the user who dropped a request can reopen it', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const ask = async () =>
      (await ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId })).body.data?.id as string;
    const first = await Promise.all(Array.from({ length: 20 }, ask));
    for (const id of first) await ada.ask('POST', `/v1/tasks/${id}/drop`);
    const answers = await Promise.all(Array.from({ length: 25 }, ask));
    assert.equal(answers.filter((id) => id !== undefined).length, 20);
    const reopened = await ada.ask('POST', `/v1/tasks/${first[0]}/reopen`);
    assert.deepEqual([reopened.status, codeOf(reopened.body.error)], [429, 'too_many_pending']);
    const request = answers.find((id) => id !== undefined) ?? '';
    await bob.ask('POST', `/v1/tasks/${request}/drop`);
    assert.equal((await ada.ask('POST', `/v1/tasks/${request}/reopen`)).status, 403);
    assert.equal((await bob.ask('POST', `/v1/tasks/${request}/reopen`)).status, 200);
  });

  const rolesIn = async (member: Person, space: string): Promise<string[][]> =>
    (await member.ask('GET', `/v1/spaces/${space}/members`)).body.data.map(
      ({ user_id, role }: { user_id: string; role: string }) => [user_id, role],
    );

  test('once a person has left, nobody sees their tasks in the space and no request there can be accepted, before any slice', async () => {
    await using app = await startTestApp(engine, {
      extra: { followUps: { rows: 100, mayRun: () => false }, rowsAtOnce: 1 },
    });
    const [ada, bob] = [await createPerson(app, 'ada@example.org'), await createPerson(app, 'bob@example.org')];
    const space = await createSpace(ada);
    await join(ada, space, bob);
    const own: string[] = [];
    const isBobs = ({ id }: { id: string }) => own.includes(id);
    for (const title of ['one', 'two', 'three']) {
      own.push((await bob.ask('POST', '/v1/tasks', { title, space_id: space })).body.data.id);
    }
    const asked = [];
    for (const title of ['four', 'five']) {
      asked.push((await ada.ask('POST', '/v1/tasks', { title, space_id: space, owner_id: bob.userId })).body.data.id);
    }
    const ofBob = { title: 'six', space_id: space, owner_id: ada.userId };
    const { id: askedByBob } = (await bob.ask('POST', '/v1/tasks', ofBob)).body.data;
    assert.equal((await bob.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    const listed = (await ada.ask('GET', `/v1/spaces/${space}/tasks`)).body.data.map(({ id }: { id: string }) => id);
    for (const id of own) {
      assert.ok(!listed.includes(id));
      assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).status, 404);
      assert.equal((await ada.ask('GET', `/v1/spaces/${space}/tasks/${id}`)).status, 404);
    }
    for (const id of asked) assert.equal((await bob.ask('POST', `/v1/tasks/${id}/accept`)).status, 409);
    assert.equal((await ada.ask('POST', `/v1/tasks/${askedByBob}/accept`)).status, 409);
    // A client that read everything in between gets what became visible again.
    const { server_time: since } = (await ada.ask('GET', '/v1/sync')).body.data;
    await app.clock.advance('1m');
    await join(ada, space, bob);
    const visible = (await ada.ask('GET', `/v1/spaces/${space}/tasks`)).body.data.filter(isBobs);
    const synced = (await ada.ask('GET', `/v1/sync?since=${since}`)).body.data.tasks.filter(isBobs);
    const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id).toSorted();
    assert.ok(visible.length > 0);
    assert.deepEqual(ids(synced), ids(visible));
  });

  it('what the owner has dropped stays dropped, and only the owner lets a task break quiet hours', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app, 'ada@example.org'), await createPerson(app, 'bob@example.org')];
    const task = (await ada.ask('POST', '/v1/tasks', { title: 'milk', owner_id: bob.userId })).body.data.id;
    await bob.ask('POST', `/v1/tasks/${task}/accept`);
    assert.equal((await ada.ask('PATCH', `/v1/tasks/${task}`, { break_quiet_hours: true })).status, 403);
    assert.equal((await ada.ask('PATCH', `/v1/tasks/${task}`, { title: 'bread' })).status, 200);
    assert.equal((await bob.ask('PATCH', `/v1/tasks/${task}`, { break_quiet_hours: true })).status, 200);
    await bob.ask('POST', `/v1/tasks/${task}/drop`);
    assert.equal((await ada.ask('POST', `/v1/tasks/${task}/reopen`)).status, 403);
    assert.equal((await bob.ask('POST', `/v1/tasks/${task}/reopen`)).status, 200);
  });

  test('a person who joins an empty space owns it', async () => {
    const [ada, bob, cem] = (await people(3)) as [Person, Person, Person];
    const space = await createSpace(ada);
    const [first, second] = [await invite(ada, space), await invite(ada, space)];
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    assert.equal((await bob.ask('POST', `/v1/invites/${first.token}/accept`)).status, 200);
    await app.clock.advance('1m');
    assert.equal((await cem.ask('POST', `/v1/invites/${second.token}/accept`)).status, 200);
    assert.deepEqual(await rolesIn(bob, space), [
      [bob.userId, 'owner'],
      [cem.userId, 'member'],
    ]);
  });

  test('only the owner of a space can remove a member, whose tasks leave the space as if the member had left', async () => {
    const [ada, bob, cem, outsider] = (await people(4)) as [Person, Person, Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob, cem);
    const make = async (who: Person, body: object = {}) =>
      (await who.ask('POST', '/v1/tasks', { title: 'x', space_id: space, ...body })).body.data.id as string;
    const [adas, bobs] = [await make(ada), await make(bob)];
    const toBob = await make(ada, { owner_id: bob.userId });
    const clients = [ada, bob, cem].map((person) => new SyncClient(person)) as [SyncClient, SyncClient, SyncClient];
    for (const client of clients) await client.sync();
    const remove = (by: Person, userId: string) => by.ask('DELETE', `/v1/spaces/${space}/members/${userId}`);

    assert.equal((await remove(outsider, bob.userId)).status, 404);
    for (const target of [ada, bob, cem, outsider]) {
      const byMember = await remove(cem, target.userId);
      assert.deepEqual([byMember.status, codeOf(byMember.body.error)], [403, 'not_allowed']);
    }
    assert.equal((await remove(ada, outsider.userId)).status, 404);
    assert.equal((await remove(ada, 'bob')).status, 422);
    assert.equal((await rolesIn(ada, space)).length, 3);

    assert.deepEqual((await remove(ada, bob.userId)).body.data, { removed: true });
    assert.equal((await remove(ada, bob.userId)).status, 404);
    assert.equal((await bob.ask('GET', `/v1/spaces/${space}/members`)).status, 404);
    for (const client of clients) {
      await client.sync();
      await client.assertUpToDate();
    }
    assert.deepEqual(clients[2].taskIds, [adas]);
    assert.equal(clients[1].get(bobs)?.space_id, null);
    assert.equal(clients[1].get(toBob)?.status, 'dropped');
    assert.deepEqual((await bob.ask('GET', '/v1/spaces')).body.data, []);

    // An owner who removes themself leaves: their open invitations stay valid.
    const ofAda = await invite(ada, space);
    assert.equal((await remove(ada, ada.userId)).status, 200);
    assert.equal((await cem.ask('GET', `/v1/spaces/${space}/invites`)).body.data[0].id, ofAda.id);
    assert.deepEqual(await rolesIn(cem, space), [[cem.userId, 'owner']]);
  });

  test('a person who left or was removed needs an invitation made after that; other people can use the older ones', async () => {
    const [ada, bob, cem, dan] = (await people(4)) as [Person, Person, Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob);
    const [older, old] = [await invite(ada, space), await invite(ada, space)];
    const accept = async (person: Person, token: string) => {
      const { status, body } = await person.ask('POST', `/v1/invites/${token}/accept`);
      return status === 200 ? status : `${status} ${codeOf(body.error)}`;
    };
    assert.equal((await bob.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    assert.equal(await accept(bob, older.token), '410 invite_revoked');
    await app.clock.advance('1m');
    assert.equal(await accept(bob, (await invite(ada, space)).token), 200);

    const [ofBob, between] = [await invite(bob, space), await invite(ada, space)];
    const elsewhere = await invite(bob, await createSpace(bob, 'Band'));
    await app.clock.advance('1m');
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/members/${bob.userId}`)).status, 200);
    assert.equal(await accept(bob, older.token), '410 invite_revoked');
    assert.equal(await accept(bob, ofBob.token), '410 invite_revoked');
    assert.equal(await accept(bob, between.token), '410 invite_revoked', 'made before the second end');
    // Otherwise the removed person could let themself in with another account.
    assert.equal(await accept(dan, ofBob.token), '410 invite_revoked');
    assert.deepEqual([await accept(cem, older.token), await accept(dan, old.token)], [200, 200]);
    assert.equal(await accept(dan, elsewhere.token), 200, 'an invitation to a space that the person is still in');
    await app.clock.advance('1m');
    assert.equal(await accept(bob, (await invite(cem, space)).token), 200);
    assert.equal((await rolesIn(bob, space)).length, 4);
  });

  it('whatever the clock of the service shows, a person who left can return with an invitation made after that', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob);
    const listener = { memberLeaving: async () => undefined, memberLeft: () => undefined };
    const service = new SpacesService(app.db, new FakeClock('2030-01-01T09:00:00Z'), app.clock, listener);
    await service.leave({ kind: 'session', userId: bob.userId, sessionId: 'any', provenAt: app.clock.now() }, space);
    await app.clock.advance('1m');
    await join(ada, space, bob);
  });

  it('members see the open invitations of a space, never their tokens, and contacts only if they could revoke them', async () => {
    const [ada, bob, cem, outsider] = (await people(4)) as [Person, Person, Person, Person];
    const space = await createSpace(ada);
    await join(ada, space, bob, cem);
    const late = await invite(ada, space);
    await app.clock.advance('13d');
    const { data: made } = (await bob.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: '+31 6 1234' }))
      .body;
    const created_at = app.clock.now().toISOString();
    const expires_at = new Date(app.clock.now().getTime() + 14 * 86_400_000).toISOString();
    const list = async (person: Person, query = '') =>
      (await person.ask('GET', `/v1/spaces/${space}/invites${query}`)).body.data;
    const ids = async (query?: string) => (await list(ada, query)).map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(), [made.id, late.id]);
    assert.deepEqual(await ids('?limit=1'), [made.id]);
    const ofBob = { id: made.id, space_id: space, inviter_id: bob.userId, status: 'pending', created_at, expires_at };
    assert.deepEqual((await list(bob))[0], { ...ofBob, invitee_contact: '+31 6 1234' });
    assert.deepEqual((await list(ada))[0], { ...ofBob, invitee_contact: '+31 6 1234' });
    assert.deepEqual((await list(cem))[0], { ...ofBob, invitee_contact: null });
    assert.equal((await outsider.ask('GET', `/v1/spaces/${space}/invites`)).status, 404);
    for (const limit of ['0', '501', 'x']) {
      assert.equal((await ada.ask('GET', `/v1/spaces/${space}/invites?limit=${limit}`)).status, 422, limit);
    }
    await app.clock.advance('1d');
    assert.deepEqual(await ids(), [made.id]);
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${space}/invites/${made.id}`)).status, 200);
    assert.deepEqual(await ids(), []);
  });

  test('a new member gets the older tasks of the space, and a task moved out disappears for the others', async () => {
    const [ada, bob] = (await people(2)) as [Person, Person];
    const [space, other] = [await createSpace(ada), await createSpace(ada, 'Other')];
    const old = (await ada.ask('POST', '/v1/tasks', { title: 'old', space_id: space })).body.data.id;
    const client = new SyncClient(bob);
    await client.sync();
    assert.deepEqual(client.taskIds, []);
    await join(ada, space, bob);
    await client.sync();
    assert.deepEqual(client.taskIds, [old]);
    assert.equal((await ada.ask('PATCH', `/v1/tasks/${old}`, { space_id: other })).status, 200);
    await client.sync();
    await client.assertUpToDate();
    assert.deepEqual(client.taskIds, []);
    assert.equal((await bob.ask('GET', `/v1/tasks/${old}`)).status, 404);
  });
});

onEveryEngine((engine) => {
  test('a person is in at most 100 spaces, and a space has at most 100 members and 50 open invitations', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const now = app.clock.now();
    const join = async (spaceId: string, userId: string, db: Db = app.db) =>
      insertMember(db, { space_id: spaceId, user_id: userId, role: 'member', joined_at: now });
    const home = await createSpace(ada);
    for (let index = 0; index < 98; index += 1) {
      const space = { id: newId(), name: 'x', creator_id: null, created_at: now };
      await insertSpace(app.db, space);
      await join(space.id, ada.userId);
      await join(space.id, bob.userId);
      await join(home, (await createPerson(app)).userId);
    }
    const attempts = await Promise.all([1, 2, 3].map(() => ada.ask('POST', '/v1/spaces', { name: 'one more' })));
    assert.deepEqual(attempts.map(({ status }) => status).sort(), [200, 429, 429]);
    const refused = attempts.find(({ status }) => status === 429);
    assert.equal(codeOf(refused?.body.error), 'too_many_spaces');
    assert.equal((await ada.ask('GET', '/v1/spaces')).body.data.length, 100);

    // Bob is in 98 spaces, and Ada's home has 99 members.
    const [full, crowded] = [await invite(ada, home), await createPerson(app)];
    const joinLast = async (trx: Db) => {
      await lockSpace(trx, home);
      await join(home, bob.userId, trx);
    };
    const late = await during(app, joinLast, () => crowded.ask('POST', `/v1/invites/${full.token}/accept`));
    assert.equal(late, 'too_many_members');
    assert.equal((await ada.ask('DELETE', `/v1/spaces/${home}/members/${bob.userId}`)).status, 200);
    await createSpace(bob);
    await createSpace(bob);
    await app.clock.advance('1s');
    const beyond = await bob.ask('POST', `/v1/invites/${(await invite(ada, home)).token}/accept`);
    assert.deepEqual([beyond.status, codeOf(beyond.body.error)], [429, 'too_many_spaces']);
    // No time lifts this limit, so a client that waits need not come soon.
    assert.equal(beyond.headers['retry-after'], '3600');
    assert.equal((await crowded.ask('POST', `/v1/invites/${full.token}/accept`)).status, 200);

    await app.db.deleteFrom('throttles').execute();
    const invites = await Promise.all(
      Array.from({ length: 52 }, (_, index) => (index < 26 ? ada : crowded).ask('POST', `/v1/spaces/${home}/invites`)),
    );
    const last = invites.find(({ status }) => status === 429);
    assert.equal(codeOf(last?.body.error), 'too_many_invites');
    const count = async () => (await ada.ask('GET', `/v1/spaces/${home}/invites?limit=500`)).body.data.length;
    assert.ok((await count()) <= 50);
    await app.db.deleteFrom('throttles').execute();
    while ((await ada.ask('POST', `/v1/spaces/${home}/invites`)).status === 200);
    assert.equal(await count(), 50);
    const statusIn = async (space: string) => (await crowded.ask('POST', `/v1/spaces/${space}/invites`)).status;
    assert.equal(await statusIn(await createSpace(crowded)), 200, 'each space has its own');
    await app.clock.advance('14d');
    await app.db.deleteFrom('throttles').execute();
    assert.equal(await statusIn(home), 200, 'those that have expired do not count');
  });
});

onEveryEngine((engine, it) => {
  it('a mailbox gets at most 3 invitations a day from one person and 10 from all, and none carries a message', async () => {
    await using app = await startTestApp(engine);
    const senders = await Promise.all(Array.from({ length: 4 }, () => createPerson(app)));
    const text =
      'You won! Claim at https://evil.test/a?b=c or mail boss@evil.test\r\nBcc: x@y.z \u202e\u0007 within the day';
    const mails = () => app.printed.filter((mail) => mail.includes('You are invited'));
    const statuses: string[] = [];
    for (const [index, sender] of senders.entries()) {
      const space = await createSpace(sender, text);
      for (let count = 0; count < 4; count += 1) {
        const invitee_contact = `Bob${count === 0 ? '' : `+${index}${count}`}@Example.org`;
        const { status } = await sender.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact });
        statuses[index] = `${statuses[index] ?? ''}${status} `;
      }
    }
    assert.deepEqual(statuses, [...Array(3).fill('200 200 200 429 '), '200 429 429 429 ']);
    assert.equal(mails().length, 10);
    for (const mail of mails()) {
      const [, subject, , line] = mail.trim().split('\n');
      assert.equal(subject, 'You are invited to a space on Crescendo');
      assert.equal(line, 'You are invited to the space “You won! Claim at https evil test a b c…” on Crescendo.');
    }
    const stored = await app.db.selectFrom('invites').select('id').execute();
    assert.equal(stored.length, 10, 'a refused invitation was stored');
    const [first] = senders as [Person];
    const space = await createSpace(first, '\u0007://');
    const refused = await first.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: 'bob@example.org' });
    assert.equal(codeOf(refused.body.error), 'too_many_invitations');
    // A link without a mail, and a mail to another person, are not affected.
    assert.equal((await first.ask('POST', `/v1/spaces/${space}/invites`, {})).status, 200);
    await first.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: 'cem@example.org' });
    assert.match(app.printed.at(-1) ?? '', /You are invited to a space on Crescendo\.\n/);
    await app.clock.advance('1d');
    assert.equal(
      (await first.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: 'bob@example.org' })).status,
      200,
    );
    // As if it were the fiftieth in a quarter of an hour.
    await app.db.updateTable('throttles').set({ count: 50 }).execute();
    const another = await first.ask('POST', `/v1/spaces/${space}/invites`, {});
    assert.equal(another.status, 429);
    assert.equal(codeOf(another.body.error), 'too_many_requests');
  });
});

onlyOn('postgres', () => {
  test('of a space whose owner and next owner leave at the same moment, somebody who stays is the owner', async () => {
    await using app = await startTestApp('postgres');
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    for (let round = 0; round < 8; round += 1) {
      const space = await createSpace(ada);
      for (const person of [bob, cem]) {
        await app.clock.advance('1m');
        await join(ada, space, person);
      }
      const leave = (person: Person) => person.ask('DELETE', `/v1/spaces/${space}/membership`);
      const answers = await Promise.all([leave(ada), leave(bob)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
      const { data } = (await cem.ask('GET', `/v1/spaces/${space}/members`)).body;
      assert.deepEqual(
        data.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
        [[cem.userId, 'owner']],
        `round ${round}`,
      );
    }
  });

  test('of a space whose owner is deleted while the next owner leaves, somebody who stays is the owner', async () => {
    await using app = await startTestApp('postgres');
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada);
    for (const person of [bob, cem]) {
      await app.clock.advance('1m');
      await join(ada, space, person);
    }
    const [reached, leaves] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const memberLeaving = async () => {
      reached.resolve();
      await leaves.promise;
    };
    const service = new SpacesService(app.db, app.clock, app.clock, { memberLeaving, memberLeft: () => undefined });
    const caller = { kind: 'session', userId: bob.userId, sessionId: 'any', provenAt: app.clock.now() } as const;
    const left = service.leave(caller, space);
    await reached.promise;
    const forgotten = transact(app.db, (trx) => service.forgetAccount(trx, ada.userId));
    await waitUntil(() => areWaiting(app.db));
    leaves.resolve();
    await Promise.all([left, forgotten]);
    const roles = app.db.selectFrom('space_members').select(['user_id', 'role']).where('space_id', '=', space);
    assert.deepEqual(await roles.execute(), [{ user_id: cem.userId, role: 'owner' }]);
  });
});

onlyOn('sqlite', () => {
  test('an invitation to an email address is mailed with a link, and deleted if mailing fails', async () => {
    await using mail = await startMailCatcher();
    const settings = { BASE_URL: 'https://crescendo.example' };
    await using printing = await startTestApp('sqlite', { settings });
    const ada = await createPerson(printing);
    const space = await createSpace(ada, 'Home <b>&</b>\r\nBcc: x@y.z');
    const invited = await ada.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: 'bob@example.org' });
    const printed = printing.printed.at(-1) ?? '';
    assert.match(printed, /Mail to bob@example\.org/);
    assert.ok(printed.includes(`https://crescendo.example/app/invites/${invited.body.data.token}`));
    assert.ok(!/^Bcc:/m.test(printed));
    const count = printing.printed.length;
    await ada.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: '+31 6 1234' });
    assert.equal(printing.printed.length, count);

    await using sending = await startTestApp('sqlite', { settings: { ...settings, SMTP_URL: mail.url } });
    await sending.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email: 'ada@example.org' } });
    const code = /(\d{6}) is your/.exec((await mail.next()).raw)?.[1];
    const verified = await sending.ask({
      method: 'POST',
      url: '/v1/auth/email/verify',
      payload: { email: 'ada@example.org', code },
    });
    const headers = { authorization: `Bearer ${verified.body.data.session_token}` };
    const { body } = await sending.ask({ method: 'POST', url: '/v1/spaces', payload: { name: 'Home' }, headers });
    mail.refuseWith(554);
    const url = `/v1/spaces/${body.data.id}/invites`;
    const refused = await sending.ask({
      method: 'POST',
      url,
      payload: { invitee_contact: 'bob@example.org' },
      headers,
    });
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [503, 'mail_unavailable']);
    assert.deepEqual(await sending.db.selectFrom('invites').selectAll().execute(), []);
    mail.refuseWith(554);
    const keyed = { ...headers, 'idempotency-key': 'again' };
    const again = () =>
      sending.ask({ method: 'POST', url, payload: { invitee_contact: 'bob@example.org' }, headers: keyed });
    assert.deepEqual([(await again()).status, (await again()).status], [503, 200]);
  });
});
