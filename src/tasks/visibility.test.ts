import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audienceOf, countsAsStandIn, relationTo, type SeenTask, seesAsStandIn, type Viewer } from './visibility.ts';

const task = (changes: Partial<SeenTask> = {}): SeenTask => ({
  owner_id: 'owner',
  assigner_id: 'assigner',
  space_id: 'space',
  accepted_by_owner: true,
  ...changes,
});

const alone = task({ assigner_id: null, space_id: null });
const betweenTwo = task({ space_id: null });
const request = task({ accepted_by_owner: false });

/** The relation while the viewer and the owner are both in the space, and while one of them is not. */
const RELATIONS: readonly [name: string, task: SeenTask, viewer: string, together: unknown, apart: unknown][] = [
  ['a task of one person', alone, 'owner', 'owner', 'owner'],
  ['a task of one person', alone, 'other', undefined, undefined],
  ['a task between two people', betweenTwo, 'assigner', 'assigner', 'assigner'],
  ['a task between two people', betweenTwo, 'other', undefined, undefined],
  ['a request in a space', request, 'owner', 'owner', 'owner'],
  ['a request in a space', request, 'assigner', 'assigner', undefined],
  ['a request in a space', request, 'other', undefined, undefined],
  ['an accepted task in a space', task(), 'owner', 'owner', 'owner'],
  ['an accepted task in a space', task(), 'assigner', 'assigner', undefined],
  ['an accepted task in a space', task(), 'other', 'member', undefined],
];

for (const [name, seen, userId, together, apart] of RELATIONS) {
  test(`${name}: who sees it as ${userId}`, () => {
    const as = (kind: Viewer['kind']) => [true, false].map((both) => relationTo(seen, { kind, userId }, both));
    const own = userId === 'owner' ? 'owner' : undefined;
    assert.deepEqual(as('session'), [together, apart]);
    assert.deepEqual(as('token'), [own, own], 'a token reaches what its user owns');
    assert.deepEqual(as('stand_in'), [own, own], 'a stand-in sees by another rule');
  });
}

test('people hear of the changes of a task who may see it, and a space only of what is accepted', () => {
  assert.deepEqual(audienceOf(alone), ['owner']);
  assert.deepEqual(audienceOf(betweenTwo), ['owner', 'assigner']);
  assert.deepEqual(audienceOf(request), ['owner', 'assigner']);
  assert.deepEqual(audienceOf(task()), ['owner', 'assigner', 'space']);
  assert.deepEqual(audienceOf(task({ assigner_id: null })), ['owner', 'space']);
});

test('a stand-in counts while it is agreed, both are members and nobody is gone, and sees what has reached them', () => {
  const seen = { run: 2 };
  const facts = [true, false].flatMap((isAgreed) =>
    [true, false].flatMap((areMembers) =>
      [true, false].map((isAnyoneGone) => ({ isAgreed, areMembers, isAnyoneGone })),
    ),
  );
  for (const one of facts) {
    const counts = one.isAgreed && one.areMembers && !one.isAnyoneGone;
    assert.equal(countsAsStandIn(one), counts);
    const sees = (run: number, settled_at: Date | null) => seesAsStandIn(one, seen, { run, settled_at });
    assert.deepEqual(
      [seesAsStandIn(one, seen, undefined), sees(2, null), sees(1, null), sees(1, new Date(0))],
      [false, counts, false, counts],
    );
  }
});
