/** What strangers and accounts write is read in time that grows with its length, not with the square of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecurrence } from '../../src/agents/recurrence-input.ts';
import { lineValue, readComponents } from '../../src/caldav/content-lines.ts';
import { readEntry } from '../../src/caldav/todo-reader.ts';
import { hasRepeatedParameter } from '../../src/connections/authorization-request.ts';
import { parseDateTime } from '../../src/lib/date-time.ts';
import { findNormalEmail } from '../../src/lib/email.ts';
import { foldText } from '../../src/lib/fold-text.ts';
import { mailboxOf } from '../../src/lib/mailbox.ts';
import { plainName } from '../../src/lib/plain-name.ts';
import { withoutTrailingSlashes } from '../../src/push/channel-http.ts';
import { isSigned, toEvents } from '../../src/push/sms/reports.ts';
import { parseRule } from '../../src/recurrence/parse-rule.ts';

const SHORT = 4_000;
const TIMES_LONGER = 4;
/** Reading in proportion takes four times as long, and reading in squares sixteen times. */
const MOST_TIMES = 9;
/** Below this the time of a reading is noise. */
const LEAST_US = 5_000;

const repeat = (pattern: string, length: number) => pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
const names = (length: number) => Array.from({ length }, (_, index) => index.toString(36).padStart(3, '0'));
const signature = `${'a'.repeat(27)}=`;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'the words of a rule': (text) => readRecurrence(text),
  'the frequency of a rule': (text) => readRecurrence({ freq: text }),
  'the time of a rule': (text) => readRecurrence({ freq: 'daily', by_time: text }),
  'an RRULE': (text) => parseRule({ rrule: `FREQ=WEEKLY;BYDAY=${text}` }),
  'the end of a rule': (text) => parseRule({ freq: 'daily', until: text }),
  'a date': (text) => parseDateTime(text),
  'an email address': (text) => findNormalEmail(text),
  'a mailbox': (text) => mailboxOf(text),
  'the address of a server': (text) => withoutTrailingSlashes(text),
  'a name': (text) => plainName(text),
  'words to search for': (text) => foldText(text),
  'a line that an app stores': (text) => lineValue({ name: 'X', text: `X;A=${text}:y` }),
  'the lines that an app stores': (text) => readComponents(`BEGIN:A\r\nX:${text}\r\nEND:A`),
  'a task that an app stores': (text) => readEntry(todoWith(text), { zone: 'UTC', now: new Date(0) }),
  'a report about a text message': (text) => toEvents(new URLSearchParams({ Body: text })),
};

const todoWith = (text: string): string =>
  `BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nSUMMARY:${text}\r\nCATEGORIES:${text}\r\nRRULE:${text}\r\nEND:VTODO\r\nEND:VCALENDAR`;

const TEXTS: readonly (readonly [start: string, pattern: string, end: string])[] = [
  ['a', ' ', '!'],
  ['every a', ' at ', '!'],
  ['stop', ' ', '!'],
  ['1', '1', '!'],
  ['MO', ',MO', '!'],
  ['1970-01-01T00:00:00.', '0', '!'],
  ['a', '+', '!'],
  ['a', '/', '!'],
  ['a@', '.', '!'],
  ['a', '\u0301\u0327\u0323\u0308', ''],
  ['a', '\u0301\u0316', ''],
  ['a', '\u0301\uff9e', ''],
  ['a', '\ufdfa', ''],
  ['a', '"', '!'],
  ['a', '\\', '!'],
  ['a', '\r\n ', '!'],
  ['a', ';', '!'],
];

function cpuOf(read: () => unknown): number {
  const costs = Array.from({ length: 4 }, () => {
    const before = process.threadCpuUsage();
    try {
      read();
    } catch {
      // Most are refused.
    }
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...costs);
}

function assertLinear<T>(write: (length: number) => T, read: (written: T) => unknown): void {
  const [few, many] = [write(SHORT), write(SHORT * TIMES_LONGER)];
  const [short, long] = [cpuOf(() => read(few)), cpuOf(() => read(many))];
  const times = long / Math.max(short, LEAST_US);
  assert.ok(times < MOST_TIMES, `${TIMES_LONGER} times the text takes ${times.toFixed(1)} times as long`);
}

for (const [name, read] of Object.entries(READERS)) {
  test(`${name} of any length and shape is read in proportion to its length`, () => {
    for (const [start, pattern, end] of TEXTS) assertLinear((length) => start + repeat(pattern, length) + end, read);
  });
}

test('the fields of a form are compared and signed in proportion to their number', () => {
  for (const read of [
    (form: URLSearchParams) => isSigned('token', 'https://example.org', form, signature),
    (form: URLSearchParams) => hasRepeatedParameter(form),
  ])
    assertLinear((length) => new URLSearchParams(names(length).join('&')), read);
});

test('words with marks are found in either form, and marks that no letter has do not make two texts differ', () => {
  assert.equal(foldText('Cafe\u0301 ﬁn'), foldText('CAFÉ FIN'));
  assert.equal(foldText('क़'), foldText('\u0915\u093c'));
  assert.notEqual(foldText('a\u0301'), foldText('a'));
  const zalgo = `a${'\u0301'.repeat(100)}`;
  assert.ok(foldText(`${zalgo} b`).includes(foldText(zalgo)));
});
