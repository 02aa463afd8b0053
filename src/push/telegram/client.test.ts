import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { messageOf } from '../../../test/support/sample-messages.ts';
import type { ChannelHttp } from '../channel-http.ts';
import { TelegramProvider } from './client.ts';

test('a message that Telegram took counts as sent, although the one before it is not deleted yet', async () => {
  const asked: string[] = [];
  const postJson: ChannelHttp['postJson'] = async (url) => {
    asked.push(url.slice(url.lastIndexOf('/') + 1));
    if (url.endsWith('/deleteMessages')) await new Promise<never>(() => {});
    return { status: 200, headers: {}, body: JSON.stringify({ ok: true, result: { message_id: 8 } }) };
  };
  const options = { token: '1:a', origin: 'https://telegram.example', hookUrl: null };
  const telegram = new TelegramProvider({ postJson } as ChannelHttp, new FakeClock(), options);
  const result = await telegram.send(messageOf({ refs: ['7'] }), { chat: '77' }, AbortSignal.timeout(60_000));
  assert.deepEqual(result, { kind: 'accepted', ref: '8' });
  assert.deepEqual(asked, ['sendMessage', 'deleteMessages']);
});
