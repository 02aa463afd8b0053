import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../test/support/sample-messages.ts';
import { TASK } from '../../test/support/sample-pushes.ts';
import { noticeMessage, nudgeMessage, requestMessage } from './channel-message.ts';
import type { ChannelNudge, ChannelRequest, ChannelTarget, PushedTask, RequestNews } from './gateway.ts';

const ACTIONS = messageOf().actions ?? assert.fail('A message has actions.');
const EXPIRES_AT = new Date('2026-03-02T10:00:00Z');

const targetOf = (isPrivate: boolean): ChannelTarget => ({
  channelId: 'channel',
  userId: 'ada',
  sealed: 'sealed',
  email: null,
  addressId: 'an address',
  isPrivate,
  isProven: true,
  lastEntryId: null,
});

const nudge = (changes: Partial<ChannelNudge> = {}, isPrivate = false) =>
  nudgeMessage(
    {
      kind: 'channel_nudge',
      target: targetOf(isPrivate),
      entryId: 'entry',
      task: TASK,
      stage: 0,
      nudgedAt: new Date('2026-03-02T09:00:00Z'),
      expiresAt: EXPIRES_AT,
      refs: ['before'],
      isLast: true,
      ...changes,
    },
    ACTIONS,
    '#CODE',
  );

const request = (kind: RequestNews['kind'], isPrivate = false, name: string | null = 'Bob', task = TASK) =>
  requestMessage(
    {
      kind: 'channel_request',
      target: targetOf(isPrivate),
      entryId: 'entry',
      task,
      news: { kind, name, spaceName: 'Home' },
      expiresAt: EXPIRES_AT,
      refs: ['before'],
      isLast: false,
    } satisfies ChannelRequest,
    ACTIONS,
    '#CODE',
  );

test('a nudge carries what its task, its run and its address are', () => {
  const { id, taskId, threadId, mustNotMiss, dueAt, expiresAt, refs, isLast, buttons } = nudge({
    task: { ...TASK, mustNotMiss: true },
  });
  assert.deepEqual([id, taskId, threadId], ['entry_channel', TASK.id, TASK.id]);
  assert.deepEqual([mustNotMiss, dueAt, expiresAt, refs, isLast], [true, TASK.due, EXPIRES_AT, ['before'], true]);
  assert.deepEqual(
    buttons.map(({ url }) => url),
    [ACTIONS.done, ACTIONS.snooze],
  );
  assert.equal(nudge({ task: { ...TASK, due: Temporal.PlainDate.from('2026-03-02') } }).dueAt, null);
});

test('a private nudge says by its code how far its task is, and never its title', () => {
  const titles = [-1, 0, 1, 2].map((stage) => nudge({ stage }, true).title);
  const [due, open] = ['Task #CODE is due', 'Task #CODE is still open'];
  assert.deepEqual(titles, ['Task #CODE is coming up', due, open, open]);
});

test('a stand-in reads whose task it is, and whether both are reminded', () => {
  const bodyFor = (standInFor: PushedTask['standInFor']) =>
    nudge({ task: { ...TASK, standInFor: standInFor ?? null } }).body;
  const [alone, both] = [false, true].map((isEither) => bodyFor({ name: 'Grace', isEither }));
  assert.notEqual(alone, both);
  for (const body of [alone, both]) assert.match(body ?? '', /Grace.*Due now/);
  assert.match(bodyFor({ name: null, isEither: false }), /Somebody/);
});

test('only what asks has buttons to answer, and an answer takes the place of no question', () => {
  for (const kind of ['asked', 'stand_in_asked'] as const)
    assert.deepEqual(
      request(kind).buttons.map(({ url }) => url),
      [ACTIONS.accept, ACTIONS.decline],
    );
  for (const kind of ['unanswered', 'accepted', 'declined', 'done', 'stand_in_agreed', 'stand_in_done'] as const)
    assert.deepEqual(request(kind).buttons, [], kind);
  assert.equal(request('asked').threadId, request('unanswered').threadId);
  assert.notEqual(request('asked').threadId, request('accepted').threadId);
  assert.notEqual(request('asked').threadId, TASK.id, 'nor of a nudge');
});

test('a private message about a request names neither the task nor the other person', () => {
  const { title, body } = request('asked', true);
  for (const told of [TASK.title, 'Bob', 'Home']) assert.ok(!`${title} ${body}`.includes(told), told);
  assert.match(title, /\(#CODE\)$/);
  assert.match(request('asked').body, /^Bob \(Home\).*Due on/);
  assert.match(request('accepted', false, null).body, /^Somebody/);
  assert.doesNotMatch(request('asked', false, 'Bob', { ...TASK, due: null }).body, /Due/);
});

test('a test is as strong as the stage that is tried, and has no links', () => {
  const notice = { kind: 'channel_test', target: targetOf(false), confirm: null, expiresAt: EXPIRES_AT } as const;
  const tried = noticeMessage({ ...notice, stage: 2 }, 'some-id');
  assert.deepEqual([tried.kind, tried.stage, tried.id, tried.actions], ['test', 2, 'some-id_channel', null]);
  assert.equal(noticeMessage(notice, 'some-id').stage, 0);
});
