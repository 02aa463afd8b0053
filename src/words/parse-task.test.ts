import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { COMBINED } from '../../test/words/combined-phrases.ts';
import { EVERYDAY } from '../../test/words/everyday-phrases.ts';
import { GUESSED } from '../../test/words/guessed-phrases.ts';
import { INSISTING } from '../../test/words/insisting-phrases.ts';
import { OPEN } from '../../test/words/open-phrases.ts';
import { MONTH_FIRST, OTHER_DAYS, PHRASES } from '../../test/words/phrases.ts';
import { SPOKEN } from '../../test/words/spoken-phrases.ts';
import { TALKED } from '../../test/words/talked-phrases.ts';
import { TITLED } from '../../test/words/titled-phrases.ts';
import { findLadderProblem } from '../escalation/check-ladder.ts';
import { PRESET_NAMES } from '../escalation/presets.ts';
import type { GuessKind } from './guess.ts';
import { LADDER_NAMES, LONGEST_WAIT, ladderEvery } from './ladder-wait.ts';
import { type ParsedPart, type ParsedTask, parseTask, readSchedule } from './parse-task.ts';
import type { Recurrence } from './recurrence.ts';
import { formatIsoDate, formatIsoTime } from './wall-time.ts';

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const NOW = Date.parse('2026-03-02T09:00:00Z');
const OPTIONS = { now: NOW, zone: 'Europe/Amsterdam', dayFirst: true };

const read = (text: string, options: Partial<Parameters<typeof parseTask>[1]> = {}): string =>
  inShort(parseTask(text, { ...OPTIONS, ...options }));

function inShort(task: ParsedTask): string {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays, ladder, isPast } = task;
  const when = due && [formatIsoDate(due), hasTime && formatIsoTime(due), isPast && 'past'].filter(Boolean).join(' ');
  const lead = leadDays !== null && `${leadDays} days before`;
  const { choice, every } = ladder ?? {};
  const insists = choice && ('preset' in choice ? choice.preset : `nags/${every}`);
  return [title, when, recurrence && shorten(recurrence), mustNotMiss && 'must not miss', once && 'once', lead, insists]
    .filter(Boolean)
    .join(' | ');
}

function shorten({
  freq,
  interval,
  by_weekday,
  by_month_day,
  by_month,
  by_set_pos,
  by_time,
  count,
  until,
  from,
  between,
  per_day,
}: Recurrence): string {
  const parts = [
    interval ? `${freq}/${interval}` : freq,
    by_weekday?.join(),
    by_month_day && `d${by_month_day}`,
    by_month && `m${by_month}`,
    by_set_pos && `p${by_set_pos}`,
    by_time && `@${by_time}`,
    count && `x${count}`,
    until && `until ${until}`,
    from && 'after',
    between && `within ${between.join('-')}`,
    per_day && `most ${per_day}`,
  ];
  return parts.filter(Boolean).join(' ');
}

for (const [subject, phrases] of Object.entries(PHRASES)) {
  for (const [text, meaning] of phrases) {
    test(`${subject}: “${text}”`, () => assert.equal(read(text), meaning));
  }
}

const readGuesses = (text: string): string => {
  const task = parseTask(text, OPTIONS);
  const kinds = task.guesses.map(({ kind }) => kind);
  return [inShort(task), ...(kinds.length > 0 ? [`?${kinds}`] : [])].join(' | ');
};

const MARKED = { ...GUESSED, ...COMBINED, ...EVERYDAY, ...OPEN, ...TALKED, ...SPOKEN, ...TITLED, ...INSISTING };
for (const [subject, phrases] of Object.entries(MARKED)) {
  test(`${subject}: each means what its table says, and what is guessed is marked`, () => {
    const wrong = phrases.filter(([text, meaning]) => readGuesses(text) !== meaning);
    assert.deepEqual(
      wrong.map(([text]) => [text, readGuesses(text)]),
      wrong,
    );
  });
}

for (const [text, meaning] of MONTH_FIRST) {
  test(`month first: “${text}”`, () => assert.equal(read(text, { dayFirst: false }), meaning));
}

for (const [moment, phrases] of Object.entries(OTHER_DAYS)) {
  for (const [text, meaning] of phrases) {
    test(`at ${moment}: “${text}”`, () => assert.equal(read(text, { now: Date.parse(moment) }), meaning));
  }
}

test('there are at least 2,200 phrases, each once', () => {
  const texts = [PHRASES, GUESSED, COMBINED, EVERYDAY, OPEN, TALKED, SPOKEN, TITLED, INSISTING].flatMap((table) =>
    Object.values(table)
      .flat()
      .map(([text]) => text),
  );
  assert.ok(texts.length >= 2_200, `${texts.length}`);
  assert.equal(new Set(texts).size, texts.length);
});

test('6:30 is in the morning for who writes 18:30 in the evening; a bare hour is read by common sense', () => {
  const german = { is24Hour: true };
  assert.equal(read('Thyroxin daily 6:30', german), 'Thyroxin | 2026-03-03 06:30 | daily');
  assert.equal(read('Thyroxin daily at 6.30', german), 'Thyroxin | 2026-03-03 06:30 | daily');
  assert.equal(read('drops 5:45 and 17:45 daily', german), 'drops | 2026-03-02 17:45 | daily @05:45,17:45');
  assert.equal(read('um 8 Uhr Tabletten', german), 'Tabletten | 2026-03-03 08:00');
  assert.equal(read('call Bo at 6', german), 'call Bo | 2026-03-02 18:00');
  assert.equal(read('choir tonight at 7:30', german), 'choir | 2026-03-02 19:30');
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
  const isAmbiguous = (text: string) => parseTask(text, OPTIONS).guesses.some(({ kind }) => kind === 'order');
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
    { numRuns: sized(1_000, 10_000), seed: 20260302 },
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
    const { due, hasTime, recurrence, isPast, guesses } = parseTask(`x ${text}`, OPTIONS);
    assert.deepEqual(readSchedule(text, OPTIONS), { due, hasTime, recurrence, isPast, guesses }, text);
    for (const other of [`${text} bins`, `call ${text}`, `${text} "x"`])
      assert.equal(readSchedule(other, OPTIONS), undefined, other);
  }
  for (const text of ['', 'bins', 'every blue moon', 'tomorrow important'])
    assert.equal(readSchedule(text, OPTIONS), undefined, text);
});

test('every guess has another reading, and it is one choice away', () => {
  const other = (text: string, kind: GuessKind) => read(text, { choices: new Set([kind]) });
  assert.equal(other('call Bo at 5', 'half'), 'call Bo | 2026-03-03 05:00');
  assert.equal(other('call Bo tomorrow at 9', 'half'), 'call Bo | 2026-03-03 21:00');
  assert.equal(other('dentist 1 march', 'year'), 'dentist | 2026-03-01 past');
  assert.equal(other('dentist next friday', 'week'), 'dentist | 2026-03-06');
  assert.equal(other('dentist 3/12', 'order'), 'dentist | 2026-03-12');
  assert.equal(other('gym mon wed fri 6pm', 'days'), 'gym | 2026-03-02 18:00 | weekly mo,we,fr x3');
  assert.equal(other('mow every saturday until october', 'until'), 'mow | 2026-03-07 | weekly sa until 2026-10-31');
  assert.equal(other('call mum tonight', 'part'), 'call mum | 2026-03-02');
  assert.equal(other('call in a few hours', 'amount'), 'call | 2026-03-02 15:00');
  assert.equal(other('wendsday 4pm haircut', 'spelling'), 'wendsday haircut | 2026-03-02 16:00');
  assert.equal(other('tursday 4pm haircut', 'spelling'), 'haircut | 2026-03-05 16:00');
  assert.equal(other('prepare friday meeting', 'words'), 'prepare friday meeting');
  assert.equal(other('meeting 14.30', 'words'), 'meeting 14.30');
  assert.equal(other('watch Friday Night Lights', 'name'), 'watch Lights | 2026-03-06 21:00');
  assert.equal(other('leave an hour before the train at 6pm', 'before'), 'leave before the train | 2026-03-02 18:00');
  assert.equal(other('report before friday', 'by'), 'report | 2026-03-05');
  assert.equal(other('party tomorrow at 9', 'half'), 'party | 2026-03-03 09:00');
  assert.equal(other('watch High Noon', 'name'), 'watch High | 2026-03-02 12:00');
  assert.equal(other('sign up for 7 AM Heroes bootcamp', 'words'), 'sign up for 7 AM Heroes bootcamp');
  assert.equal(other('pay 5.30 friday', 'name'), 'pay | 2026-03-06 17:30');
  assert.equal(other('collect car 5.30 thursday', 'words'), 'collect car 5.30 | 2026-03-05');
  assert.equal(other('every hour until 8 turn turkey', 'half'), 'turn turkey | 2026-03-02 11:00 | hourly x22');
  assert.equal(other('vet mon or tue 10am', 'choice'), 'vet | 2026-03-03 10:00');
  assert.equal(other('call Bo 9am EST', 'zone'), 'call Bo EST | 2026-03-03 09:00');
  assert.equal(other('first tuesday of the month book club', 'once'), 'book club | 2026-03-03 | monthly 1tu');
  assert.equal(other('every second tuesday yoga', 'rhythm'), 'yoga | 2026-03-03 | weekly/2 tu');
  assert.equal(other('appt fri 14 march 10am', 'weekday'), 'appt | 2026-03-06 10:00');
  assert.equal(other('vet monday 3pm', 'week'), 'vet | 2026-03-09 15:00');
  assert.equal(other('friday, no, saturday 5pm call', 'left'), 'friday, no, saturday 5pm call');
});

test('every guess in the tables is one: the other choice reads the phrase in another way', () => {
  const withoutOther = Object.values(MARKED).flatMap((phrases) =>
    phrases.flatMap(([text]) => {
      const task = parseTask(text, OPTIONS);
      const readWith = (kind: GuessKind) => parseTask(text, { ...OPTIONS, choices: new Set([kind]) });
      const isSame = (kind: GuessKind) => JSON.stringify(readWith(kind)) === JSON.stringify(task);
      return task.guesses.filter(({ kind }) => isSame(kind)).map(({ kind }) => [text, kind]);
    }),
  );
  assert.deepEqual(withoutOther, []);
});

test('a weekday that is today means today while its time is ahead, and the other week is a choice away', () => {
  const night = { now: Date.parse('2026-11-18T00:43:00Z'), zone: 'UTC' };
  assert.equal(read('lock up wednesday at 23:30', night), 'lock up | 2026-11-18 23:30');
  assert.equal(read('lock up wednesday at 0:30', night), 'lock up | 2026-11-25 00:30');
  const otherWeek = { ...night, choices: new Set<GuessKind>(['week']) };
  assert.equal(read('lock up wednesday at 23:30', otherWeek), 'lock up | 2026-11-25 23:30');
});

test('a rule of minutes until a time begins within one step, and its last one is at that time', () => {
  const at = (moment: string, text: string) => read(text, { now: Date.parse(moment) });
  const text = 'stretch every 15 minutes until 6pm';
  assert.equal(at('2026-03-02T09:07:31Z', text), 'stretch | 2026-03-02 10:15 | minutely/15 x32');
  assert.equal(at('2026-03-02T16:50:00Z', text), 'stretch | 2026-03-02 18:00 | minutely/15 x1');
  assert.equal(at('2026-03-02T17:00:00Z', text), 'stretch | 2026-03-02 18:15 | minutely/15 x96');
  // The clock goes forward in the night, so that there is an hour less.
  assert.equal(at('2026-03-28T21:00:00Z', 'feed every hour until 6am'), 'feed | 2026-03-28 23:00 | hourly x7');
});

test('a rule on the clock of another place is converted on the same day, and kept as written on another', () => {
  assert.equal(read('sync every weekday 9am ET'), 'sync | 2026-03-02 15:00 | weekly mo,tu,we,th,fr');
  const { title, guesses } = parseTask('sync every monday 5pm PST', OPTIONS);
  assert.deepEqual([title, guesses.map(({ kind }) => kind)], ['sync PST', ['zone']]);
  const inNewYork = { ...OPTIONS, zone: 'America/New_York' };
  assert.deepEqual(parseTask('sync tomorrow 9am ET', inNewYork).guesses, []);
});

test('words that may say when and stay are named', () => {
  const left = (text: string) => parseTask(text, OPTIONS).guesses.find(({ kind }) => kind === 'left')?.left;
  assert.equal(left('gym twice a week'), 'twice a week');
  assert.equal(left('friday, no, saturday 5pm call'), 'friday');
  assert.equal(left('wake 7 tomorrow'), '7');
  for (const text of ['prepare the friday meeting tomorrow', 'read "monday 5pm" tomorrow', 'buy milk tomorrow 5pm'])
    assert.equal(left(text), undefined, text);
});

test('a ladder that is not meant stays in the title, or is read as a rule', () => {
  const without = { ignored: new Set<ParsedPart>(['ladder']) };
  assert.equal(read('rent friday 9am, gently', without), 'rent, gently | 2026-03-06 09:00');
  assert.equal(read('call Bo 5pm use the gentle ladder', without), 'call Bo use the gentle ladder | 2026-03-02 17:00');
  const other = { choices: new Set<GuessKind>(['ladder']) };
  assert.equal(read('rent friday 9am, gently', other), 'rent, gently | 2026-03-06 09:00');
  assert.match(read('call mum at 5pm, remind me every 10 minutes', other), /minutely\/10$/);
});

test('the ladder of any wait is one that the service takes, and the names are its own', () => {
  for (const minutes of [1, 2, 3, 4, 5, 7, 10, 60, 1_440, LONGEST_WAIT])
    assert.equal(findLadderProblem(ladderEvery(minutes), minutes < 5), undefined, `${minutes}`);
  assert.deepEqual(LADDER_NAMES, PRESET_NAMES);
});

test('waits under five minutes are for tasks that must not be missed, and that is a choice away', () => {
  const rungsOf = (text: string, ...choices: GuessKind[]) => {
    const { ladder, mustNotMiss } = parseTask(text, { ...OPTIONS, choices: new Set(choices) });
    const rungs = ladder && 'rungs' in ladder.choice ? ladder.choice.rungs : [];
    return [mustNotMiss, rungs[1]?.after, rungs.at(-1)?.after, rungs.length];
  };
  assert.deepEqual(rungsOf('bins 8pm nag every 2 minutes'), [false, 5, 5, 6]);
  // More than 300 nudges a day would be refused, so they slow down.
  assert.deepEqual(rungsOf('bins 8pm nag every 2 minutes', 'wait'), [true, 2, 10, 20]);
  assert.deepEqual(rungsOf('bins 8pm !! nag every 2 minutes'), [true, 2, 10, 20]);
});

test('a label, a space, notes and a mark are parts of their own, and each can be rejected', () => {
  const spaces = [{ id: 'one', name: 'Our Flat' }];
  const parse = (text: string, ...ignored: ParsedPart[]) => {
    const task = parseTask(text, { ...OPTIONS, spaces, ignored: new Set(ignored) });
    return [task.title, task.label, task.space?.id, task.unknownSpace, task.notes, task.mustNotMiss];
  };
  const text = 'clean #chores @our-flat tomorrow !! // not on friday';
  assert.deepEqual(parse(text), ['clean', 'chores', 'one', null, 'not on friday', true]);
  assert.equal(parse(text, 'label')[0], 'clean #chores');
  assert.equal(parse(text, 'space')[0], 'clean @our-flat');
  assert.equal(parse(text, 'mustNotMiss')[0], 'clean !!');
  assert.deepEqual(parse('clean // the stairs', 'notes'), ['clean // the stairs', null, undefined, null, null, false]);
  assert.deepEqual(parse('mail @bob'), ['mail @bob', null, undefined, 'bob', null, false]);
  assert.deepEqual(parse('fix #12 at https://example.org//x @4pm').slice(0, 5), [
    'fix #12 at https://example.org//x',
    null,
    undefined,
    null,
    null,
  ]);
});

test('a long text keeps every word: the title what fits, the notes the rest, and the moment at its end is read', () => {
  const words = Array.from({ length: 250 }, (_, index) => `word${index}`);
  const task = parseTask(`${words.join(' ')} tomorrow at 9am // and more`, OPTIONS);
  assert.ok([...task.title].length <= 200 && task.isLong);
  assert.deepEqual([task.due?.day, task.due?.hour], [3, 9]);
  const kept = `${task.title} ${task.notes}`.match(/word\d+/g);
  assert.deepEqual(kept, words);
  assert.match(task.notes ?? '', /and more$/);
  const short = parseTask('buy milk', OPTIONS);
  assert.deepEqual([short.notes, short.isLong], [null, false]);
});

test("a morning begins when the person's day starts", () => {
  const early = { dayStart: '06:45' };
  assert.equal(read('call mum tomorrow morning', early), 'call mum | 2026-03-03 06:45');
  assert.equal(read('pills every morning', early), 'pills | 2026-03-03 06:45 | daily');
});

test('a text of 2,000 characters is read in about the time of one of 1,000, whatever it repeats', () => {
  const repeated =
    'mon |mon and |1st and |8am, |at at |every |every 1st |1 |1.1.|!|(|-| |tomorrow |a|5 to |an hour before |wendsday |#a |@b |// |"a" |Friday Night Lights |half past |remind me to |until |first monday of |christmas |friday before |the 1st a |fri 5.30 and |after 5 |five to |ten past nine |every hour until |2 days after the last |read The 5 AM |before friday |nag me every |every 5 minutes until |and remind me |gently, |the boiler needs a new valve, '.split(
      '|',
    );
  /** The fastest of several runs: the only one that other programs do not lengthen. */
  const cost = (text: string) =>
    Math.min(
      ...Array.from({ length: sized(3, 5) }, () => {
        const start = process.cpuUsage();
        for (let run = 0; run < 3; run += 1) parseTask(text, OPTIONS);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      }),
    );
  for (const part of repeated) {
    const text = `x${part.repeat(2_000)}`;
    const [half, whole] = [cost(text.slice(0, 1_000)), cost(text.slice(0, 2_000))];
    // A cost that grows with the square would be four times as high.
    assert.ok(whole < half * 3 + 3_000, `“${part}”: ${half} and ${whole} microseconds`);
  }
});
