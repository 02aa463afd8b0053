import assert from 'node:assert/strict';
import { createDAVClient } from 'tsdav';
import { basic, connectApp, type DavClient } from '../support/caldav-client.ts';
import { APP_REQUESTS, type AppRequest, propfind } from '../support/caldav-requests.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { type Person, startWithAda } from '../support/people.ts';

onEveryEngineWith(startWithAda, (it) => {
  for (const [name, requests] of Object.entries(APP_REQUESTS)) {
    it(`the requests of ${name} are answered with what it depends on`, async ({ app, ada }) => {
      const phone = await connectApp(app, ada);
      for (const request of requests) await replay(request, phone, ada);
    });
  }

  it('tsdav finds the list from the bare address, and makes, changes, syncs and deletes a task', async ({
    app,
    ada,
  }) => {
    const { token } = await connectApp(app, ada);
    const serverUrl = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const client = await createDAVClient({
      serverUrl,
      credentials: { username: ada.email, password: token },
      authMethod: 'Basic',
      defaultAccountType: 'caldav',
    });
    const [list, ...others] = await client.fetchCalendars();
    assert.ok(list);
    assert.deepEqual([list.displayName, list.components, others], ['Crescendo', ['VTODO'], []]);
    const text = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//x',
      'BEGIN:VTODO',
      'UID:t',
      'SUMMARY:One',
      'END:VTODO',
      'END:VCALENDAR',
      '',
    ].join('\r\n');
    assert.equal(
      (await client.createCalendarObject({ calendar: list, iCalString: text, filename: 't.ics' })).status,
      201,
    );
    const todos = {
      calendar: list,
      filters: [
        { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': { _attributes: { name: 'VTODO' } } } },
      ],
    };
    const [object] = await client.fetchCalendarObjects(todos as never);
    assert.match(String(object?.data), /SUMMARY:One/);
    const changed = {
      url: object?.url ?? '',
      etag: object?.etag ?? '',
      data: String(object?.data).replace('One', 'Two'),
    };
    assert.equal((await client.updateCalendarObject({ calendarObject: changed })).status, 204);
    assert.equal((await client.updateCalendarObject({ calendarObject: changed })).status, 412);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data[0].title, 'Two');
    const synced = await client.syncCollection({
      url: list.url,
      props: { 'd:getetag': {} },
      syncLevel: 1,
      syncToken: '',
    });
    assert.ok(synced.some(({ href }) => href?.endsWith('/t.ics')));
    assert.equal((await client.deleteCalendarObject({ calendarObject: { url: changed.url } as never })).status, 204);
    assert.equal(
      (await app.fastify.inject({ url: '/v1/tasks', headers: { authorization: basic(ada.email, token) } })).statusCode,
      401,
    );
  });
});

async function replay(request: AppRequest, phone: DavClient, { userId, email }: Person): Promise<void> {
  const addresses = { user: userId, list: phone.list, email };
  const path = fill(request.path, addresses);
  const tag = path.endsWith('.ics') ? String((await phone.send('GET', path)).headers.etag ?? '') : '';
  const filled = (text: string) => fill(text, { ...addresses, tag });
  const headers = Object.entries(request.headers ?? {}).map(([key, value]) => [key, filled(value)]);
  const answer = await phone.send(request.method, path, bodyOf(request, filled), Object.fromEntries(headers));
  const told = `${request.method} ${path} → ${answer.status} ${answer.body}`;
  assert.equal(answer.status, request.status, told);
  for (const text of request.has ?? [])
    assert.ok(answer.body.includes(filled(text)), `${filled(text)} is missing: ${told}`);
  for (const text of request.lacks ?? []) assert.ok(!answer.body.includes(text), `${text}: ${told}`);
  if (request.method === 'OPTIONS') assert.match(String(answer.headers.dav), /calendar-access/);
  if (request.method === 'PUT') assert.equal(answer.headers.etag, undefined);
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (slot, name: string) => values[name] ?? slot);

function bodyOf({ asks, body }: AppRequest, fill: (text: string) => string): string | undefined {
  if (asks !== undefined) return propfind(asks);
  return body === undefined ? undefined : fill(body);
}
