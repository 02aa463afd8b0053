import assert from 'node:assert/strict';
import { testInBrowser } from '../../../test/support/fake-browser.ts';
import { downloadArchive, importFile } from './archive.ts';

const item = (result: string) => ({ title: result, result });
const report = (imported: number, more: object = {}) => ({
  imported,
  skipped: 1,
  refused: 0,
  quiet: 2,
  left_behind: { spaces: 1, assigners: 3 },
  zone: { of_archive: 'UTC', taken_over: false },
  channels: [],
  items: [item('imported')],
  next: null,
  ...more,
});

const archive = (text: string) => new File([text], 'crescendo.json', { type: 'application/json' });

/** What was asked, with the text of each part. */
async function partsOf(requests: readonly { readonly path: string; readonly body: unknown }[]) {
  return Promise.all(requests.map(async ({ path, body }) => [path, body instanceof Blob ? await body.text() : body]));
}

testInBrowser(
  'an import goes on until the service has read all of the file, and adds up what it did',
  async (browser) => {
    const reports = [
      report(2, { next: 400, zone: { of_archive: 'UTC', taken_over: true }, channels: [{ name: 'ntfy' }] }),
      report(3, { next: 800, refused: 1, items: [item('refused')] }),
      report(4, { channels: [{ name: 'ntfy' }] }),
    ];
    browser.respond = () => ({ data: reports[browser.requests.length - 1] });
    const sum = await importFile(archive('{"tasks":[]}'), true);
    assert.deepEqual(
      browser.asked,
      [0, 400, 800].map((from) => `POST /v1/me/import?from=${from}&partial=true`),
    );
    const { imported, skipped, refused, quiet, left_behind, zone, channels, items } = sum;
    assert.deepEqual([imported, skipped, refused, quiet], [9, 3, 1, 6]);
    assert.deepEqual(left_behind, { spaces: 3, assigners: 9 });
    assert.deepEqual([zone.taken_over, channels, items.length], [true, [{ name: 'ntfy' }], 3]);
  },
);

testInBrowser(
  'an import stops at a task that is refused, unless the person has said to leave it out',
  async (browser) => {
    browser.respond = () => ({
      data: report(0, { next: 400, refused: 1, items: [item('imported'), item('refused')] }),
    });
    await importFile(archive('{}'), false);
    assert.deepEqual(browser.asked, ['POST /v1/me/import?from=0']);
  },
);

testInBrowser(
  'a large archive is sent in parts that the service takes, every task once, without what is not read',
  async (browser) => {
    const title = 'ü'.repeat(1_000_000);
    const tasks = Array.from({ length: 11 }, (_, id) => ({ id, title, timeline: ['nudge'] }));
    const file = archive(JSON.stringify({ data: { version: 1, tasks, requests: ['one'] } }));
    browser.respond = () => ({ data: report(1) });
    await importFile(file, false);
    const parts = (await partsOf(browser.requests)).map(([, text]) => JSON.parse(String(text)));
    assert.deepEqual(
      parts.map((part) => part.tasks.map(({ id }: { id: number }) => id)),
      [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10]],
    );
    for (const { version, requests, tasks: own } of parts)
      assert.deepEqual([version, requests, own[0].timeline], [1, undefined, undefined]);
  },
);

testInBrowser('a file that is no archive is sent as it is, and a calendar says that it is one', async (browser) => {
  browser.respond = () => ({ data: report(0) });
  await importFile(archive(`not json ${'x'.repeat(17_000_000)}`), false);
  const types: (string | null)[] = [];
  const { fetch } = globalThis;
  Object.assign(globalThis, {
    fetch: (path: string, init: RequestInit) => {
      types.push(new Headers(init.headers).get('content-type'));
      return fetch(path, init);
    },
  });
  await importFile(new File(['BEGIN:VCALENDAR'], 'Tasks.ICS'), false);
  await importFile(new File(['BEGIN:VCALENDAR'], 'tasks', { type: 'text/calendar' }), false);
  await importFile(archive('{}'), false);
  assert.deepEqual(types, ['text/calendar', 'text/calendar', 'application/json']);
  assert.equal(browser.requests.length, 4);
  assert.deepEqual(await (await downloadArchive()).text(), JSON.stringify({ ok: true, data: report(0), error: null }));
});
