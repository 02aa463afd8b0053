import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MONTH_FIRST, OTHER_DAYS, PHRASES } from '../../test/words/phrases.ts';
import { type ParsedPart, parseTask, readSchedule } from './parse-task.ts';
import type { Recurrence } from './recurrence.ts';
import { formatIsoDate, formatIsoTime } from './wall-time.ts';

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const NOW = Date.parse('2026-03-02T09:00:00Z');
const OPTIONS = { now: NOW, zone: 'Europe/Amsterdam', dayFirst: true };

function read(text: string, options: Partial<Parameters<typeof parseTask>[1]> = {}): string {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays, isPast } = parseTask(text, {
    ...OPTIONS,
    ...options,
  });
  const when = due && [formatIsoDate(due), hasTime && formatIsoTime(due), isPast && 'past'].filter(Boolean).join(' ');
  const lead = leadDays !== null && `${leadDays} days before`;
  return [title, when, recurrence && shorten(recurrence), mustNotMiss && 'must not miss', once && 'once', lead]
    .filter(Boolean)
    .join(' | ');
}

function shorten({
  freq,
  interval,
  by_weekday,
  by_month_day,
  by_month,
  by_time,
  count,
  until,
  from,
}: Recurrence): string {
  const parts = [
    interval ? `${freq}/${interval}` : freq,
    by_weekday?.join(),
    by_month_day && `d${by_month_day}`,
    by_month && `m${by_month}`,
    by_time && `@${by_time}`,
    count && `x${count}`,
    until && `until ${until}`,
    from && 'after',
  ];
  return parts.filter(Boolean).join(' ');
}

for (const [subject, phrases] of Object.entries(PHRASES)) {
  for (const [text, meaning] of phrases) {
    test(`${subject}: “${text}”`, () => assert.equal(read(text), meaning));
  }
}

for (const [text, meaning] of MONTH_FIRST) {
  test(`month first: “${text}”`, () => assert.equal(read(text, { dayFirst: false }), meaning));
}

for (const [moment, phrases] of Object.entries(OTHER_DAYS)) {
  for (const [text, meaning] of phrases) {
    test(`at ${moment}: “${text}”`, () => assert.equal(read(text, { now: Date.parse(moment) }), meaning));
  }
}

test('there are at least 300 phrases, each once', () => {
  const texts = Object.values(PHRASES).flatMap((phrases) => phrases.map(([text]) => text));
  assert.ok(texts.length >= 300, `${texts.length}`);
  assert.equal(new Set(texts).size, texts.length);
});

test('6:30 is in the morning for who writes 18:30 in the evening; a bare hour is read by common sense', () => {
  const german = { is24Hour: true };
  assert.equal(read('Thyroxin daily 6:30', german), 'Thyroxin | 2026-03-03 06:30 | daily');
  assert.equal(read('Thyroxin daily at 6.30', german), 'Thyroxin | 2026-03-03 06:30 | daily');
  assert.equal(read('drops 5:45 and 17:45 daily', german), 'drops | 2026-03-02 17:45 | daily @05:45,17:45');
  assert.equal(read('um 8 Uhr Tabletten', german), 'Tabletten | 2026-03-03 08:00');
  assert.equal(read('call Bo at 6', german), 'call Bo | 2026-03-02 18:00');
});

test('rejected parts stay in the title', () => {
  const without = (...parts: ParsedPart[]) => ({ ignored: new Set(parts) });
  assert.equal(read('read every day a page', without('recurrence')), 'read every day a page');
  assert.equal(read('watch Tomorrow Never Dies', without('due')), 'watch Tomorrow Never Dies');
  assert.equal(read('passport 20 May a week before', without('due')), 'passport 20 May a week before');
});

test('a text without other words keeps its words as the title', () => {
  assert.equal(read('tomorrow'), 'tomorrow | 2026-03-03');
});

test('numbers that can be read both ways are marked, others are not', () => {
  const isAmbiguous = (text: string) => parseTask(text, OPTIONS).isAmbiguous;
  assert.deepEqual(['3/12', '3/12/2026', '3/3', '25/12', '3.12.', 'friday'].map(isAmbiguous), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('late in the evening "tonight" is still ahead', () => {
  const late = { now: Date.parse('2026-03-02T20:30:00Z') };
  assert.equal(read('call mum tonight', late), 'call mum | 2026-03-02 22:00');
});

const WORDS = Object.values(PHRASES).flatMap((phrases) => phrases.flatMap(([text]) => text.split(' ')));

test('whatever is written, the title is not empty, the moment is real, and only a named past is past', () => {
  const texts = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));
  const anyText = fc.oneof(
    texts,
    fc.string({ minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== ''),
  );
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, dayFirst) => {
      const { title, due, recurrence, hasTime } = parseTask(text, { ...OPTIONS, dayFirst });
      assert.notEqual(title.trim(), '');
      assert.ok(title.length <= 200);
      assert.equal(recurrence !== null && due === null, false);
      if (due === null) return assert.equal(hasTime, false);
      const date = new Date(Date.UTC(due.year, due.month - 1, due.day));
      assert.equal(date.getUTCDate(), due.day);
      return assert.ok(due.hour < 24 && due.minute < 60 && due.hour >= 0, JSON.stringify(due));
    }),
    { numRuns: 3_000, seed: 20260302 },
  );
});

test('words that were not understood stay in the title, in their order', () => {
  const names = fc.array(fc.constantFrom('zebra', 'violin', 'taxes', 'Bo', 'paint'), { minLength: 1, maxLength: 4 });
  const moments = fc.constantFrom('tomorrow', 'friday 3pm', 'every day', '3.12.', 'in 2 weeks', 'at 5');
  fc.assert(
    fc.property(names, moments, (words, moment) => {
      assert.equal(parseTask(`${words.join(' ')} ${moment}`, OPTIONS).title, words.join(' '));
    }),
    { seed: 1 },
  );
});

test('nothing is read inside a word of another script, nor beside its marks, and everything in any case', () => {
  for (const letter of [
    'é',
    'ß',
    'ñ',
    'ж',
    'λ',
    'א',
    'ع',
    'ह',
    '的',
    'ひ',
    'ハ',
    '한',
    '々',
    'ｘ',
    '𠀋',
    'e\u0301',
    '²',
  ]) {
    for (const text of [`${letter}tomorrow`, `tomorrow${letter}`, `call ${letter}friday${letter}`])
      assert.deepEqual([parseTask(text, OPTIONS).due, parseTask(text, OPTIONS).title], [null, text]);
  }
  for (const mark of ['，', '、', '！', '（', '“', '…', '🎂', '→', '\u0001', '\u0002'])
    assert.equal(parseTask(`買う${mark}tomorrow`, OPTIONS).due?.day, 3, mark);
  for (const text of ['call Bo TOMORROW At 5PM', 'call Bo ToMorrow AT 5 P.M.'])
    assert.deepEqual([parseTask(text, OPTIONS).due?.hour, parseTask(text, OPTIONS).title], [17, 'call Bo']);
});

test('a text that must be nothing but a moment or a rule is read as in a sentence, and refused with any other word', () => {
  for (const text of [
    'tomorrow',
    'every other tuesday at 5pm',
    'on the 1st of every month, 3 times',
    'in 20 minutes',
  ]) {
    const { title: _, mustNotMiss, once, leadDays, ...schedule } = parseTask(`x ${text}`, OPTIONS);
    assert.deepEqual(readSchedule(text, OPTIONS), schedule, text);
    for (const other of [`${text} bins`, `call ${text}`, `${text} "x"`])
      assert.equal(readSchedule(other, OPTIONS), undefined, other);
  }
  for (const text of ['', 'bins', 'every blue moon', 'tomorrow important'])
    assert.equal(readSchedule(text, OPTIONS), undefined, text);
});
