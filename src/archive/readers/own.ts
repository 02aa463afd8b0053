/** Reads the tasks of our own export. Settings, ladders and channels of it come back by `POST /v1/me/import`. */
import { SCHEMA_VERSION } from '../archive.schemas.ts';
import { leftOut, type ReadEntry, remark, unreadable } from './foreign-task.ts';
import { fieldOf, listOf } from './json-fields.ts';

const dataOf = (document: unknown): unknown => fieldOf(document, 'data') ?? document;

const OF_ACCOUNT = ['channels', 'devices', 'access_tokens', 'ladders', 'labels', 'passkeys'];

export const isOwn = (document: unknown): boolean =>
  fieldOf(dataOf(document), 'schema_version') !== undefined && Array.isArray(fieldOf(dataOf(document), 'tasks'));

export function* readOwn(document: unknown): Generator<ReadEntry> {
  const data = dataOf(document);
  if (fieldOf(data, 'schema_version') !== SCHEMA_VERSION)
    throw unreadable('This export is of a newer release than this service', 'schema_version');
  for (const name of OF_ACCOUNT) for (const _ of listOf(data, name)) yield leftOut('account');
  for (const [index, task] of listOf(data, 'tasks').entries()) {
    const at = `task ${index + 1}`;
    if (typeof task !== 'object' || task === null || Array.isArray(task)) {
      yield remark(at, null, 'This is no task, so it is left out.');
      continue;
    }
    // The timeline is not imported, and most of a large export.
    const { timeline: _, task_changes: __, text_writers: ___, ...archived } = task as Record<string, unknown>;
    yield { kind: 'task', list: null, at, task: archived };
  }
}
