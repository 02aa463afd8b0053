import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_SETTINGS } from './postgres.ts';
import { prepareSession, settingsWith } from './session-settings.ts';

/** Prepares a session with a server that answers so. `client.processID` is what the connection was told at its start. */
async function prepare(
  facts: { pid?: number; is_standby?: boolean },
  refuseStandby: boolean,
  settings = SERVICE_SETTINGS,
) {
  const asked: { text: string; query_timeout: number }[] = [];
  const query = async (one: (typeof asked)[number]) => {
    asked.push(one);
    return { rows: [{ pid: 7, is_standby: false, server_time_ms: '1772442000000.5', ...facts }] };
  };
  const prepared = await prepareSession({ query, processID: 7 } as never, settings, { refuseStandby });
  return { ...prepared, text: asked.map(({ text }) => text).join(), timeout: asked[0]?.query_timeout };
}

test('a session of the service gives up statements and forgotten transactions, in one round trip that is limited too', async () => {
  const { text, timeout, serverTime } = await prepare({}, true);
  for (const [name, value] of [
    ['statement_timeout', '8000'],
    ['idle_in_transaction_session_timeout', '8000'],
    ['TimeZone', 'UTC'],
  ])
    assert.ok(text.includes(`set_config('${name}', '${value}', false)`), text);
  assert.deepEqual([timeout, serverTime.at.getTime()], [5_000, 1_772_442_000_000]);
  assert.doesNotMatch((await prepare({}, false, settingsWith(undefined))).text, /set_config/);
});

test('a standby is refused by the service and read by commands, and a pooler is known by its process id', async () => {
  await assert.rejects(prepare({ is_standby: true }, true), /standby/);
  assert.equal((await prepare({ is_standby: true }, false)).isPooled, false);
  assert.equal((await prepare({ pid: 8 }, true)).isPooled, true);
});
