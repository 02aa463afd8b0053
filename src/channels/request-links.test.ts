import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { AppError } from '../lib/errors.ts';
import type { ActState } from './act-view.ts';
import { type LinkedRequest, RequestLinks } from './request-links.ts';

const WEEK_MS = 7 * 86_400_000;
const clock = new FakeClock();

const MESSAGE = { kind: 'asked', task_id: 'the-task', recipient_id: 'ada', other_id: 'bob' };
const TASK = { title: 'pills', owner_id: 'ada', assigner_id: 'bob', status: 'open', accepted_by_owner: false };

interface Changes {
  readonly message?: object;
  readonly task?: object;
  readonly recipient?: object;
  readonly isTrue?: boolean;
  readonly ageMs?: number;
  readonly private_title?: boolean;
}

/** A message that asks Ada for Bob's task, with these facts instead. */
const linkedOf = ({ message, task, recipient, isTrue = true, ageMs = 0, private_title = false }: Changes) =>
  ({
    entry_id: 'entry',
    target_id: 'channel',
    provider: 'ntfy',
    private_title,
    created_at: new Date(clock.now().getTime() - ageMs),
    key: {},
    request: {
      recipientId: 'ada',
      isTrue,
      message: { ...MESSAGE, ...message },
      task: { ...TASK, ...task },
      recipient: { suspended_at: null, deleted_at: null, ...recipient },
    },
  }) as unknown as LinkedRequest;

/** `answer` is what answering does. */
function linksWith(answer: () => Promise<unknown> = async () => undefined) {
  const answered: unknown[] = [];
  const take = (...call: unknown[]) => answer().finally(() => answered.push(call));
  const links = new RequestLinks({
    clock,
    codeOf: () => '#CODE',
    tokens: { findShown: (_key: unknown, title: string) => `shown ${title}` },
    tasks: {
      act: ({ userId, via }: Record<string, string>, id: string, { name }: { name: string }) =>
        take('task', userId, via, id, name),
    },
    standIns: { answer: (userId: string, id: string, name: string) => take('stand-in', userId, id, name) },
  } as never);
  return { links, answered };
}

const answeredAs = { isTrue: false };
const STATES: readonly [what: string, changes: Changes, state: ActState][] = [
  ['it waits', {}, 'asked'],
  ['it waits, on the last day', { ageMs: WEEK_MS }, 'asked'],
  ['it is older', { ageMs: WEEK_MS + 1 }, 'expired'],
  ['its reader is suspended', { recipient: { suspended_at: clock.now() } }, 'expired'],
  ['its reader is deleted', { recipient: { deleted_at: clock.now() } }, 'expired'],
  ['it was accepted', { ...answeredAs, task: { accepted_by_owner: true } }, 'accepted'],
  ['it was declined', { ...answeredAs, task: { status: 'declined' } }, 'declined'],
  ['it was done', { ...answeredAs, task: { status: 'done', accepted_by_owner: true } }, 'request_gone'],
  ['somebody else was asked', { ...answeredAs, task: { owner_id: 'eve', accepted_by_owner: true } }, 'request_gone'],
  ['somebody else asks', { ...answeredAs, task: { assigner_id: 'eve', accepted_by_owner: true } }, 'request_gone'],
  ['it tells of an answer', { message: { kind: 'accepted' } }, 'told'],
  ['it asks to stand in', { message: { kind: 'stand_in_asked' } }, 'asked_to_stand_in'],
  ['it asked to stand in', { ...answeredAs, message: { kind: 'stand_in_asked' } }, 'request_gone'],
];

test('a page says how a request stands', () => {
  for (const [what, changes, state] of STATES)
    assert.equal(linksWith().links.look(linkedOf(changes), undefined).state, state, what);
});

test('only a request that waits is answered, as the person whom its message asked', async () => {
  for (const [what, changes, state] of STATES) {
    const { links, answered } = linksWith();
    const view = await links.act(linkedOf(changes), 'accept', undefined);
    if (state === 'asked')
      assert.deepEqual([view.state, answered], ['accepted', [['task', 'ada', 'ntfy', 'the-task', 'accept']]]);
    else if (state === 'asked_to_stand_in')
      assert.deepEqual([view.state, answered], ['agreed_to_stand_in', [['stand-in', 'ada', 'the-task', 'accept']]]);
    else assert.deepEqual([view.state, answered], [state, []], what);
  }
  const { links, answered } = linksWith();
  for (const action of ['done', 'snooze', 'seen', 'undo', 'leave'] as const)
    assert.equal((await links.act(linkedOf({}), action, undefined)).state, 'asked');
  assert.deepEqual(answered, []);
});

test('who was too late reads so, and a fault of ours is none of theirs', async () => {
  for (const code of ['task_not_pending', 'not_found'] as const) {
    const { links } = linksWith(async () => {
      throw new AppError(code);
    });
    assert.equal((await links.act(linkedOf({}), 'decline', undefined)).state, 'request_gone', code);
  }
  const fault = linksWith(async () => {
    throw new AppError('database_unavailable');
  });
  await assert.rejects(fault.links.act(linkedOf({}), 'decline', undefined), { code: 'database_unavailable' });
});

test('a page shows the title to whom it was sent, what its message showed to others, and nothing once it expired', () => {
  const { links } = linksWith();
  const shown = (changes: Changes, viewerId?: string) => {
    const { title, code } = links.look(linkedOf(changes), viewerId);
    return [title, code];
  };
  assert.deepEqual(shown({}), ['shown Request: pills', undefined]);
  assert.deepEqual(shown({ private_title: true }), [null, '#CODE']);
  assert.deepEqual(shown({ private_title: true }, 'bob'), [null, '#CODE']);
  assert.deepEqual(shown({ private_title: true }, 'ada'), ['Request: pills', undefined]);
  assert.deepEqual(shown({ ageMs: WEEK_MS + 1 }, 'ada'), [null, undefined]);
});
