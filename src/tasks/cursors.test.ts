import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import {
  decodeAgendaCursor,
  decodeEntryCursor,
  decodeSearchCursor,
  decodeTaskCursor,
  encodeAgendaCursor,
  encodeEntryCursor,
  encodeSearchCursor,
  encodeTaskCursor,
} from './cursors.ts';

const ID = newId();
const LAST_MS = 253_402_300_799_999;

const cursorOf = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url');

test('a cursor that a list gave out is where the list goes on', () => {
  const position = { rank: 1, key: -5, id: ID };
  assert.deepEqual(decodeTaskCursor(encodeTaskCursor({ list_rank: 1, list_key: -5, id: ID })), position);
  const entry = { at: new Date(LAST_MS), id: ID };
  assert.deepEqual(decodeEntryCursor(encodeEntryCursor(entry)), entry);
  assert.deepEqual(decodeAgendaCursor(encodeAgendaCursor([-LAST_MS, ID, 3])), [-LAST_MS, ID, 3]);
  for (const start of [undefined, position]) {
    const search = { start, last: { rank: 7, position } };
    assert.deepEqual(decodeSearchCursor(encodeSearchCursor(search)), search);
  }
});

test('a cursor that no list gave out is refused, and none reaches the database that it cannot read', () => {
  const refused: Readonly<Record<string, readonly [decode: (text: string) => unknown, positions: unknown[][]]>> = {
    task: [
      decodeTaskCursor,
      [
        [3, 0, ID],
        [-1, 0, ID],
        ['1', 0, ID],
        [1, 0.5, ID],
        [1, 2 ** 53, ID],
        [1, 0, 'id'],
        [1, 0, ID, 0],
        [1, 0],
      ],
    ],
    entry: [
      decodeEntryCursor,
      [
        [LAST_MS + 1, ID],
        [-LAST_MS - 1, ID],
        ['0', ID],
        [0.5, ID],
        [0, 'id'],
        [0, ID, 0],
      ],
    ],
    agenda: [
      decodeAgendaCursor,
      [
        [LAST_MS + 1, ID, 0],
        [0, 'id', 0],
        [0, ID, 0.5],
        [0, ID],
        [0, ID, 0, 0],
      ],
    ],
    search: [decodeSearchCursor, [[0.5, 1, 0, ID], [0], [0, 3, 0, ID], [0, 1, 0, ID, 1, 0], [0, 1, 0, ID, 3, 0, ID]]],
  };
  for (const [list, [decode, positions]] of Object.entries(refused))
    for (const position of positions)
      assert.throws(() => decode(cursorOf(...position)), InvalidInput, `${list}: ${JSON.stringify(position)}`);
  for (const text of ['', 'made up', Buffer.from('{}').toString('base64url'), `${cursorOf(1, 0, ID)}=`])
    assert.throws(() => decodeTaskCursor(text), InvalidInput, text);
});
