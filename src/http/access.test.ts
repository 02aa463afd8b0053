import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, accessTable, findAccess } from './access.ts';

const keysWith = (wanted: Access): string[] =>
  Object.entries(accessTable).flatMap(([key, access]) => (access === wanted ? [key] : []));
const isOf = (prefixes: readonly string[]) => (key: string) =>
  prefixes.some((prefix) => key.split(' ')[1]?.startsWith(prefix));
const isRead = (key: string): boolean => /^(?:GET|PROPFIND|REPORT|OPTIONS) /.test(key);

test('nobody who is not signed in reaches more of the API than the ways in, and what checks its callers by itself', () => {
  assert.deepEqual(keysWith('anyone').filter(isOf(['/v1/'])), [
    'POST /v1/auth/idp',
    'POST /v1/auth/idp/request',
    'POST /v1/auth/email/request',
    'POST /v1/auth/email/verify',
    'POST /v1/auth/mfa/verify',
    'POST /v1/auth/passkey/begin',
    'POST /v1/auth/passkey',
    'POST /v1/hooks/:provider',
    'GET /v1/hooks/:provider/:token',
    'POST /v1/hooks/:provider/:token',
    'POST /v1/webhooks/billing',
  ]);
});

test('an access token that may only read changes nothing, and reads tasks and what becomes of them', () => {
  const all = keysWith('tasks:read');
  assert.deepEqual(
    all.filter((key) => !isRead(key)),
    [
      // It answers that nothing can be changed.
      'PROPPATCH /caldav*',
      'POST /v1/tasks/:task_id/preview',
      'POST /v1/tasks/:task_id/ladder/preview',
    ],
  );
  const tasks = isOf(['/v1/tasks', '/v1/batches', '/v1/sync', '/v1/outcomes', '/v1/agenda', '/v1/stats', '/caldav*']);
  assert.deepEqual(
    all.filter((key) => !tasks(key)),
    [
      'GET /v1/channels',
      'PROPFIND /',
      'OPTIONS /',
      'GET /v1/ladders',
      'GET /v1/me',
      'GET /v1/me/pause/planned',
      'GET /v1/me/outages',
    ],
  );
});

test('an access token that may write changes tasks and nothing else, and of the settings the time zone and pauses', () => {
  const tasks = isOf(['/v1/tasks', '/v1/batches', '/caldav*']);
  assert.deepEqual(
    keysWith('tasks:write').filter((key) => !tasks(key)),
    ['POST /v1/stand-ins'],
  );
  assert.deepEqual(keysWith('settings:write'), [
    'PUT /v1/me/timezone',
    'POST /v1/me/pause',
    'DELETE /v1/me/pause',
    'POST /v1/me/pause/ack',
    'PUT /v1/me/pause/planned',
    'DELETE /v1/me/pause/planned',
    'DELETE /v1/me/outages/:outage_id',
  ]);
});

test('whatever administers is for administrators, and HEAD asks what GET asks', () => {
  const administers = Object.keys(accessTable).filter(isOf(['/v1/admin']));
  assert.deepEqual(keysWith('admin'), administers);
  assert.equal(findAccess(accessTable, 'HEAD', '/v1/me/export'), 'session');
  assert.equal(findAccess(accessTable, 'GET', '/v1/unknown'), undefined);
});
