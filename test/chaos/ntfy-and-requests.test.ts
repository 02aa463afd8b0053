/** A real process on a fast clock: a person with ntfy alone, and two people with requests between them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NtfyRig } from '../support/channel-rigs.ts';
import { signUp } from '../support/fast-people.ts';
import { type MailCatcher, startMailCatcher } from '../support/mail-catcher.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { testInFull } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { waitUntil } from '../support/wait-until.ts';

const HOUR_MS = 3_600_000;

interface Shown {
  readonly title: string;
  readonly actions: readonly { readonly url: string }[];
}

/** What came, in order: "day and time, to whom, title". */
class Inbox {
  readonly lines: string[] = [];
  readonly shown: Shown[] = [];
  readonly #now: () => number;

  constructor(startedAt: number, speed: number) {
    const started = performance.now();
    this.#now = () => startedAt + (performance.now() - started) * speed;
  }

  watchNtfy({ server }: NtfyRig, whom: string): void {
    const usual = server.respondTo;
    server.respondTo = (request) => {
      if (request.method === 'POST') {
        const shown = JSON.parse(request.body);
        this.shown.push(shown);
        this.#note(whom, shown.title);
      }
      return usual(request);
    };
  }

  async watchMail(mail: MailCatcher): Promise<never> {
    for (;;) {
      const { raw, to } = await mail.next();
      this.#note(String(to).split('@')[0] ?? '', /^Subject: (.*?)\r?$/m.exec(raw)?.[1] ?? '');
    }
  }

  #note(whom: string, title: string): void {
    this.lines.push(`${new Date(this.#now()).toISOString().slice(5, 16)} ${whom}: ${title}`);
  }

  of(line: string): string[] {
    return this.lines.filter((one) => one.endsWith(` ${line}`));
  }

  /** Waits for this message. */
  async take(line: string, count = 1): Promise<void> {
    await waitUntil(() => this.of(line).length >= count, 30_000);
  }

  async takeButtons(title: string): Promise<string[]> {
    const find = () => this.shown.findLast((one) => one.title === title);
    await waitUntil(() => find() !== undefined, 30_000);
    return find()?.actions.map(({ url }) => url) ?? [];
  }
}

/** A port that the service chooses itself is not in its links. */
async function press(service: ServiceProcess, link = ''): Promise<void> {
  const { pathname, search } = new URL(link);
  assert.equal((await fetch(new URL(`${pathname}${search}`, service.baseUrl), { method: 'POST' })).status, 200);
}

test('a heads-up and a ladder arrive over ntfy alone, and Done by its button ends them', async (t) => {
  const speed = 7_200;
  await using mail = await startMailCatcher();
  await using ntfy = await NtfyRig.start();
  const settings = { SMTP_URL: mail.url, ...ntfy.settings, CLOCK_SPEED: String(speed) };
  await using service = await startService(settings);
  const ada = await signUp(service, mail, 'ada@example.org', 7);
  await ntfy.connect(ada, { private_title: false });
  const inbox = new Inbox(ada.now, speed);
  inbox.watchNtfy(ntfy, 'ada');
  await ada.ask('PATCH', '/v1/me', { day_start: '11:00' });
  const at = (hours: number) => new Date(ada.now + hours * HOUR_MS).toISOString();
  await ada.ask('POST', '/v1/tasks', { title: 'exam', due_at: at(6), has_time: true, lead_time_days: 0 });
  await inbox.take('ada: exam', 3);
  const [done] = await inbox.takeButtons('exam');
  await press(service, done);
  const { body } = await ada.ask('GET', '/v1/tasks?status=done');
  assert.deepEqual(
    body.data.map(({ title }: { title: string }) => title),
    ['exam'],
  );
  t.diagnostic(inbox.lines.join('\n'));
});

testInFull(
  'a request is heard over ntfy and answered by its buttons, its asker hears by mail; three repeats, then the asker decides',
  async (t) => {
    const speed = 100_000;
    await using mail = await startMailCatcher();
    await using ntfy = await NtfyRig.start();
    const settings = { SMTP_URL: mail.url, ...ntfy.settings, CLOCK_SPEED: String(speed) };
    await using service = await startService(settings);
    const ada = await signUp(service, mail, 'ada@example.org', 12);
    const bob = await signUp(service, mail, 'bob@example.org', 12);
    await ntfy.connect(bob, { private_title: false });
    const inbox = new Inbox(bob.now, speed);
    inbox.watchNtfy(ntfy, 'bob');
    void inbox.watchMail(mail);
    const space_id = await createSpace(ada, bob);
    const ask = async (title: string): Promise<string> =>
      (await ada.ask('POST', '/v1/tasks', { title, owner_id: bob.userId, space_id })).body.data.id;
    await ask('milk');
    const [accept] = await inbox.takeButtons('Request: milk');
    await press(service, accept);
    await inbox.take('ada: Accepted: milk');
    await ask('bread');
    const [, decline] = await inbox.takeButtons('Request: bread');
    await press(service, decline);
    await inbox.take('ada: Declined: bread');
    const eggs = await ask('eggs');
    await inbox.take('ada: No answer: eggs');
    const { status, body } = await ada.ask('POST', `/v1/tasks/${eggs}/ask`, { owner_id: ada.userId });
    assert.deepEqual([status, body.data?.owner_id, body.data?.accepted_by_owner], [200, ada.userId, true]);
    assert.equal(inbox.of('bob: Request: eggs').length, 4, inbox.lines.join('\n'));
    t.diagnostic(inbox.lines.join('\n'));
  },
);
