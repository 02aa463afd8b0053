/** Who sees a task as a stand-in: the rule as SQL is the rule as a function. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { seesAsStandIn } from '../../src/tasks/visibility.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

const NOW = new FakeClock().now();
const FIRST_RUN = 1;

interface Cell {
  readonly isAgreed: boolean;
  readonly areMembers: boolean;
  readonly gone: 'nobody' | 'the owner is suspended' | 'the owner is deleted';
  readonly reached: { readonly run: number; readonly settled_at: Date | null } | undefined;
}

const CELLS: readonly Cell[] = [true, false].flatMap((isAgreed) =>
  [true, false].flatMap((areMembers) =>
    (['nobody', 'the owner is suspended', 'the owner is deleted'] as const).flatMap((gone) =>
      [undefined, { run: FIRST_RUN, settled_at: null }, { run: 7, settled_at: null }, { run: 7, settled_at: NOW }].map(
        (reached) => ({ isAgreed, areMembers, gone, reached }),
      ),
    ),
  ),
);

interface Agreement {
  readonly ownerId: string;
  readonly spaceId: string;
  readonly task_id: string;
  readonly person_id: string;
  readonly stand_in_id: string;
}

/** Stores the state of a cell as it is, without the clean-up that the service does with each change. */
async function store(db: Db, agreement: Agreement, { isAgreed, areMembers, gone, reached }: Cell, now: Date) {
  const { ownerId, spaceId, ...told } = agreement;
  await db
    .updateTable('stand_ins')
    .set({ agreed_at: isAgreed ? now : null })
    .execute();
  const membership = { space_id: spaceId, user_id: ownerId, role: 'owner' as const, joined_at: now, changed_at: now };
  await db.deleteFrom('space_members').where('user_id', '=', ownerId).execute();
  if (areMembers) await db.insertInto('space_members').values(membership).execute();
  const [isSuspended, isDeleted] = [gone === 'the owner is suspended', gone === 'the owner is deleted'];
  const state = { suspended_at: isSuspended ? now : null, deleted_at: isDeleted ? now : null };
  await db.updateTable('users').set(state).where('id', '=', ownerId).execute();
  await db.deleteFrom('stand_in_tasks').execute();
  if (reached)
    await db
      .insertInto('stand_in_tasks')
      .values({ ...told, ...reached, told_at: now, last_told_at: now })
      .execute();
}

onEveryEngine((engine) => {
  test('a stand-in sees a task exactly as the rule says, whatever changed since they agreed', async () => {
    await using app = await startTestApp(engine);
    const [owner, person] = [await createPerson(app), await createPerson(app)];
    const spaceId = await createSpace(owner, person);
    const { id: task_id } = (await owner.ask('POST', '/v1/tasks', { title: 'x' })).body.data;
    const asked = { person_id: person.userId, space_id: spaceId, from_rung: 0 };
    const { id: stand_in_id } = (await owner.ask('POST', '/v1/stand-ins', asked)).body.data;
    const agreement = { ownerId: owner.userId, spaceId, task_id, person_id: person.userId, stand_in_id };
    const { run } = await app.db.selectFrom('tasks').select('run').where('id', '=', task_id).executeTakeFirstOrThrow();
    assert.equal(run, FIRST_RUN);
    for (const cell of CELLS) {
      await store(app.db, agreement, cell, NOW);
      const { isAgreed, areMembers, gone, reached } = cell;
      const expected = seesAsStandIn({ isAgreed, areMembers, isAnyoneGone: gone !== 'nobody' }, { run }, reached);
      const { status } = await person.ask('GET', `/v1/stand-in/tasks/${task_id}`);
      assert.equal(status, expected ? 200 : 404, JSON.stringify(cell));
      const listed = (await person.ask('GET', '/v1/stand-in/tasks')).body.data.length;
      assert.equal(listed, expected ? 1 : 0, JSON.stringify(cell));
    }
  });
});
