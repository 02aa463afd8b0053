import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { messageOf } from '../../../test/support/sample-messages.ts';
import type { ChannelHttp } from '../channel-http.ts';
import { TelegramProvider } from './client.ts';
import { toEvent } from './updates.ts';

const OPTIONS = { token: '1:a', origin: 'https://telegram.example', hookUrl: null };
const NEVER = new AbortController().signal;

/** A provider whose bot API answers so, and what it was asked. */
function answering(answers: Readonly<Record<string, { status: number; result?: unknown }>>, hookUrl?: string) {
  const asked: string[] = [];
  const postJson: ChannelHttp['postJson'] = async (url) => {
    const method = url.slice(url.lastIndexOf('/') + 1);
    asked.push(method);
    const { status, result } = answers[method] ?? { status: 200 };
    return { status, headers: {}, body: JSON.stringify({ result }) };
  };
  const options = { ...OPTIONS, hookUrl: hookUrl ?? null };
  return { telegram: new TelegramProvider({ postJson } as ChannelHttp, new FakeClock(), options), asked };
}

test('what Telegram was asked for once is not asked for again, and without news the place is kept', async () => {
  const result = [{ update_id: 5 }, { update_id: 7 }, { update_id: 6 }];
  const { telegram } = answering({ getUpdates: { status: 200, result } });
  assert.equal((await telegram.receive?.(null, NEVER))?.cursor, '8');
  assert.equal((await telegram.receive?.('9', NEVER))?.cursor, '9');
  const { telegram: silent } = answering({ getUpdates: { status: 502 } });
  assert.deepEqual(await silent.receive?.('9', NEVER), { events: [], cursor: '9' });
});

test('a webhook of an earlier setting is removed, because Telegram gives no news beside it', async () => {
  const { telegram, asked } = answering({ getUpdates: { status: 409 } });
  await telegram.receive?.('9', NEVER);
  assert.deepEqual(asked, ['getUpdates', 'deleteWebhook']);
});

test('our address is told until Telegram takes it', async () => {
  const hookUrl = 'https://crescendo.example/v1/hooks/telegram';
  for (const status of [400, 401, 502])
    await assert.rejects(answering({ setWebhook: { status } }, hookUrl).telegram.start(NEVER), /did not take/);
  await answering({}, hookUrl).telegram.start(NEVER);
  const { telegram, asked } = answering({});
  await telegram.start(NEVER);
  assert.deepEqual(asked, []);
});

test('a message that Telegram refuses leaves the one before it on the screen', async () => {
  const { telegram, asked } = answering({ sendMessage: { status: 502 } });
  assert.equal((await telegram.send(messageOf({ refs: ['7'] }), { chat: '77' }, NEVER)).kind, 'retry');
  assert.deepEqual(asked, ['sendMessage']);
});

test('only a chat with one person is connected, and its buttons and its end are read', () => {
  const read = (update: object) => {
    const { answer: _, ...event } = { answer: undefined, ...toEvent(update, async () => undefined) };
    return event;
  };
  const start = (chat: object) => read({ message: { text: `/start ${'c'.repeat(20)}`, chat } });
  const address = { chat: '77', name: '@ada' };
  const linked = { kind: 'linked', code: 'c'.repeat(20), address };
  assert.deepEqual(start({ id: 77, type: 'private', username: 'ada' }), linked);
  assert.deepEqual(start({ id: 77, type: 'private', first_name: 'Ada' }), {
    ...linked,
    address: { ...address, name: 'Ada' },
  });
  for (const type of ['group', 'supergroup', 'channel', undefined]) assert.deepEqual(start({ id: 77, type }), {});
  const token = 't'.repeat(62);
  const press = (letter: string) => read({ callback_query: { id: '1', data: `${letter}.${token}`, from: { id: 77 } } });
  const actions = { d: 'done', s: 'snooze', n: 'seen', a: 'accept', x: 'decline' };
  for (const [letter, action] of Object.entries(actions))
    assert.deepEqual(press(letter), { kind: 'pressed', action, token, from: '77' });
  assert.deepEqual(press('z'), {});
  const member = (status: string) => read({ my_chat_member: { chat: { id: 77 }, new_chat_member: { status } } });
  for (const status of ['kicked', 'left'])
    assert.deepEqual(member(status), { kind: 'gone', identity: '77', reason: 'chat_gone' });
  assert.deepEqual(member('member'), {});
});

test('a message that Telegram took counts as sent, although the one before it is not deleted yet', async () => {
  const asked: string[] = [];
  const postJson: ChannelHttp['postJson'] = async (url) => {
    asked.push(url.slice(url.lastIndexOf('/') + 1));
    if (url.endsWith('/deleteMessages')) await new Promise<never>(() => {});
    return { status: 200, headers: {}, body: JSON.stringify({ ok: true, result: { message_id: 8 } }) };
  };
  const telegram = new TelegramProvider({ postJson } as ChannelHttp, new FakeClock(), OPTIONS);
  const result = await telegram.send(messageOf({ refs: ['7'] }), { chat: '77' }, AbortSignal.timeout(60_000));
  assert.deepEqual(result, { kind: 'accepted', ref: '8' });
  assert.deepEqual(asked, ['sendMessage', 'deleteMessages']);
});
