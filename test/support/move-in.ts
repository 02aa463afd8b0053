/** Files of other apps with invented content, and the calls that bring them into an account. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from './people.ts';
import type { Answer, TestApp } from './test-app.ts';

export const FOLDER = join(import.meta.dirname, 'move-in');

export const readFixture = (name: string): Promise<Buffer> => readFile(join(FOLDER, name));

export async function previewFile(app: TestApp, person: Person, bytes: Buffer | string, name = ''): Promise<Answer> {
  return app.ask({
    method: 'POST',
    url: `/v1/move-in/preview?name=${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${person.sessionToken}`, 'content-type': 'application/octet-stream' },
    payload: Buffer.from(bytes),
  });
}

/** Previews, starts, and waits for the end. Returns the move as it is listed then. */
export async function moveIn(app: TestApp, person: Person, bytes: Buffer | string, name = '', choices: object = {}) {
  const preview = await previewFile(app, person, bytes, name);
  assert.equal(preview.status, 200, JSON.stringify(preview.body));
  const started = await person.ask('POST', '/v1/move-in', { preview_id: preview.body.data.id, ...choices });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  return latestMoveIn(app, person);
}

/** Once the follow-ups are done. */
export async function latestMoveIn(app: TestApp, person: Person) {
  await app.engine?.settled();
  const { body } = await person.ask('GET', '/v1/move-in');
  return body.data[0];
}

const HEADER = 'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE';

export const todoistRows = (...rows: readonly (readonly [content: string, date?: string])[]): string =>
  [HEADER, ...rows.map(([content, date = '']) => `task,${content},,4,1,,,${date},en,UTC`)].join('\r\n');
