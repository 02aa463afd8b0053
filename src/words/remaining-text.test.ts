/** What is left of a text when words were taken, and which words can be taken at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAP, PHRASE_END, type Reader, RemainingText, type Spelling, wholeWords } from './remaining-text.ts';

/** Takes the words in braces, one after the other. Without a moment in them, what they are does not matter. */
function leftOf(marked: string): string {
  const rest = new RemainingText(marked.replaceAll(/[{}]/g, ''), 'left');
  for (const [, words = ''] of marked.matchAll(/\{([^}]*)\}/g))
    assert.equal(
      rest.take([[new RegExp(words.toLowerCase().replaceAll(/[.*+?^$()[\]]/g, '\\$&'), 'g'), () => words]]),
      words,
    );
  return rest.words();
}

function leftAre(table: Readonly<Record<string, string>>): void {
  const left = Object.keys(table).map((text) => [text, leftOf(text)]);
  assert.deepEqual(Object.fromEntries(left), table);
}

const first = (pattern: RegExp): Reader<string> => [pattern, ({ 0: words }) => words];

test('small words and marks that led to what was taken go with it, and others stay', () =>
  leftAre({
    'call Bo on {friday}': 'call Bo',
    'call Bo On {friday}': 'call Bo',
    'call Bo at {5} by {friday}': 'call Bo',
    'pay from {friday}': 'pay',
    'pay due {friday}': 'pay',
    'pay starting {friday}': 'pay',
    'pay beginning {friday}': 'pay',
    'pay until {friday}': 'pay',
    'pay till {friday}': 'pay',
    'pay every {friday}': 'pay',
    'pay and {friday}': 'pay',
    'pay the {friday}': 'pay',
    'pay to {friday}': 'pay',
    'pay no later than {friday}': 'pay',
    'pay all day {friday}': 'pay',
    'pay all-day {friday}': 'pay',
    'pay @ {friday}': 'pay',
    'pay, {friday}': 'pay',
    'pay - {friday}': 'pay',
    'pay – {friday}': 'pay',
    'pay, on the {friday}': 'pay',
    '{friday} and {5pm} call': 'call',
    '{friday}, call': 'call',
    'call {friday} and': 'call',
    'call {friday} and Bo': 'call and Bo',
    'call {friday}, {5pm} x': 'call x',
    'go into {friday}': 'go into',
    'cat {friday}': 'cat',
    'on {friday} call': 'call',
    'on it {friday}': 'on it',
    'on {friday} at {5}': '',
    'call {friday} Bo {5pm} now': 'call Bo now',
  }));

test('an “on” or “off” of its own stays before a time: “turn the oven on at 6”', () =>
  leftAre({
    'turn the oven on {at 6}': 'turn the oven on',
    'turn the oven ON {At 6}': 'turn the oven ON',
    'turn the oven on {in 5 minutes}': 'turn the oven on',
    'turn the oven on {friday}': 'turn the oven',
    'turn the oven on {atlas}': 'turn the oven',
    'turn the oven on {friday at 6}': 'turn the oven',
    'on {at 6}': '',
    'bacon {at 6}': 'bacon',
    'turn on it {at 6}': 'turn on it',
    'xon {at 6}': 'xon',
    'turn on the oven and {at 6}': 'turn on the oven',
  }));

test('words that ask for a reminder go, at the beginning only', () =>
  leftAre({
    'remind me to call {friday}': 'call',
    'Remind Me To call {friday}': 'call',
    'remind me about it': 'it',
    'remind me that it rains': 'it rains',
    'remind me of it': 'it',
    'remind me 2 call': 'call',
    'remind me call': 'call',
    'hey remind me to call': 'call',
    'ok, please, could you remind me to call': 'call',
    'hi pls  can you remind me to call': 'call',
    'plz would you remind me to call': 'call',
    'ok ok ok ok remind me to call': 'ok ok ok ok remind me to call',
    'set a reminder to call': 'call',
    'set me a reminder to call': 'call',
    'create a reminder to call': 'call',
    'add a reminder to call': 'call',
    'make a reminder for {friday} to call': 'call',
    'make a reminder at {5} {friday} to call': 'call',
    'make a reminder on {friday} to call': 'call',
    'remember to call': 'call',
    'don’t forget to call': 'call',
    "don't forget to call": 'call',
    'dont let me forget to call': 'call',
    'i need to remember to call': 'call',
    'i have to remember to call': 'call',
    'remind me {friday} to call': 'call',
    'remind me, {friday}, to call': 'call',
    'we remember to call': 'we remember to call',
    'remind us to call': 'remind us to call',
    ' remind me to call': 'call',
  }));

test('“to” and “about” after a moment at the beginning go, where a word in small letters follows', () =>
  leftAre({
    '{friday} to call': 'call',
    '{friday} about it': 'it',
    '{friday}, {5pm} to call': 'call',
    '{friday} To call': 'call',
    '{friday} to do list': 'to do list',
    '{friday} to do it': 'do it',
    '{friday} to 5': 'to 5',
    '{friday} call to Bo': 'call to Bo',
    'go {friday} to call': 'go to call',
  }));

test('brackets, full stops and spaces around what was taken go, and others stay', () =>
  leftAre({
    'call ({friday}) Bo': 'call Bo',
    'call ( {friday} ) Bo': 'call Bo',
    'call({friday})Bo': 'call Bo',
    'call [{friday}] Bo': 'call Bo',
    'call [ {friday} {5pm} ] Bo': 'call Bo',
    'call ({friday} {5pm}) Bo': 'call Bo',
    'call () Bo': 'call () Bo',
    'call ({friday} x) Bo': 'call ( x) Bo',
    'call {friday}.': 'call',
    'call {friday}!! {5pm}': 'call',
    'call {friday}. Then Bo': 'call . Then Bo',
    'Call Bo. {friday}': 'Call Bo.',
    'why {friday}?': 'why?',
    'call {friday}; Bo {5pm}, Al': 'call; Bo, Al',
    '— call; {friday}': 'call',
    '– call:': 'call',
    ', - call ,': 'call',
  }));

test('white space is one space, and characters that the reading itself uses are none of the text', () => {
  const textOf = (text: string) => new RemainingText(text, 'left').words();
  assert.equal(textOf('  call \t\n Bo  '), 'call Bo');
  assert.equal(textOf(`call${GAP}Bo \u0002 and\u0003Al`), 'call Bo and Al');
  let seen = '';
  new RemainingText('a \n\t b', 'left').find((text) => {
    seen = text;
    return undefined;
  });
  assert.equal(seen, 'a b');
});

test('no reader takes a quotation or an address, and they come back in their order', () => {
  const text = 'read "friday 5pm" and “friday” at https://example.org/friday or http://friday.example, "x" friday';
  const rest = new RemainingText(text, 'left');
  assert.equal(rest.take([first(/friday/g)]), 'friday');
  assert.equal(rest.take([first(/friday|example|“|"/g)]), undefined);
  assert.equal(rest.words(), text.replace(/ friday$/, ''));
  for (const other of ['"" friday', '“” friday', '"friday', '“friday', 'https://', 'ftp://friday'])
    assert.equal(new RemainingText(other, 'left').has([first(/friday|https/g)]), true, other);
});

/** How many characters of each piece can be read, the last first. */
function lengthsRead(text: string): number[] {
  const rest = new RemainingText(text, 'left');
  const length: Reader<number> = [/x+/g, ({ 0: words }) => words.length];
  return Array.from({ length: 4 }, () => rest.take([length]) ?? 0).filter((found) => found > 0);
}

test('of a long text 300 characters at either end are read, to whole words, and what is between is kept', () => {
  const word = (length: number) => 'x'.repeat(length);
  assert.deepEqual(lengthsRead(word(600)), [600]);
  assert.deepEqual(lengthsRead(word(601)), [300, 300]);
  assert.deepEqual(lengthsRead(`${word(290)} ${word(309)}`), [309, 290]);
  assert.deepEqual(lengthsRead(`${word(290)} ${word(310)}`), [300, 290]);
  assert.deepEqual(lengthsRead(`${word(300)} ${word(300)}`), [300, 300]);
  assert.deepEqual(lengthsRead(`${word(301)} ${word(299)}`), [299, 300]);
  assert.deepEqual(lengthsRead(`${word(400)} ${word(300)}`), [300, 300]);
  assert.deepEqual(lengthsRead(`${word(400)} ${word(301)} x`), [1, 300]);
  for (const text of [`${word(290)} "a" ${word(400)} "b" ${word(200)}`, word(601), `"a" ${word(300)} ${word(500)} "b"`])
    assert.equal(new RemainingText(text, 'left').words(), text);
});

test('the words that end last are taken, and of those the most', () => {
  const take = (text: string, ...patterns: RegExp[]) => {
    const rest = new RemainingText(text, 'left');
    return [rest.take(patterns.map(first)), rest.words()];
  };
  assert.deepEqual(take('a1 b2 c', /a1/g, /b2/g), ['b2', 'a1 c']);
  assert.deepEqual(take('a1 b2 c', /b2/g, /a1/g), ['b2', 'a1 c']);
  assert.deepEqual(take('a1 b2 c', /b2/g, /a1 b2/g, /b2/g), ['a1 b2', 'c']);
  assert.deepEqual(take('a1 a2', /a\d/g), ['a2', 'a1']);
  assert.deepEqual(take('a1', /b/g), [undefined, 'a1']);
  const [one, other]: Reader<string>[] = [
    [/a/g, () => 'one'],
    [/a/g, () => 'other'],
  ];
  assert.equal(one && other && new RemainingText('a', 'left').take([one, other]), 'one');
  const refusing: Reader<string> = [/a\d/g, ({ 0: words }) => (words === 'a1' ? words : undefined)];
  assert.equal(new RemainingText('a1 a2', 'left').take([refusing]), 'a1');
});

test('a pattern that can match nothing takes nothing where it does', () => {
  const rest = new RemainingText('b', 'left');
  assert.equal(rest.take([first(/a*/g)]), undefined);
  assert.equal(rest.words(), 'b');
});

test('a reader gets A to Z in lower case, other letters as they are, and the text as it was written', () => {
  const seen: unknown[] = [];
  const rest = new RemainingText('CALL Ä İ Bo', 'left');
  rest.take([
    [
      /call .*/g,
      (match, written) => {
        seen.push(match[0], match.input, written);
        return undefined;
      },
    ],
  ]);
  assert.deepEqual(seen, ['call Ä İ bo', 'call Ä İ bo', 'CALL Ä İ Bo']);
  assert.equal(rest.matches(/CALL/), true);
  assert.equal(rest.matches(/call/), false);
});

test('words that are there are found without being taken, the first too', () => {
  const rest = new RemainingText('Friday call', 'left');
  assert.equal(rest.has([first(/monday/g), first(/friday/g)]), true);
  assert.equal(rest.has([first(/monday/g)]), false);
  assert.equal(rest.words(), 'Friday call');
  rest.take([first(/friday/g)]);
  assert.equal(rest.has([first(/friday/g)]), false);
});

test('the first group of readers that finds something decides, and an attempt that fails takes nothing', () => {
  const rest = new RemainingText('a wendsday b');
  assert.equal(rest.takeFirst([[first(/x/g)], [first(/\ba\b/g)], [first(/b/g)]]), 'a');
  assert.equal(rest.takeFirst([[first(/x/g)]]), undefined);
  const failed = rest.attempt(() => {
    rest.take([first(/wednesday/g)]);
    return undefined;
  });
  assert.deepEqual([failed, rest.corrections, rest.words()], [undefined, [], 'wendsday b']);
  assert.equal(
    rest.attempt(() => rest.take([first(/wednesday/g)])),
    'wednesday',
  );
  assert.deepEqual([rest.corrections.map(({ written }) => written), rest.words()], [['wendsday'], 'b']);
});

/** What the readers get of a text with misspelt names. */
function correctedText(text: string, spelling?: Spelling): string {
  let seen = '';
  new RemainingText(text, spelling).take([
    [
      /.+/g,
      (_, written) => {
        seen = written;
        return undefined;
      },
    ],
  ]);
  return seen;
}

test('misspelt names are read corrected, as the other name, or as they are, and told apart by a capital', () => {
  assert.equal(correctedText('call wendsday'), 'call wEdnesday');
  assert.equal(correctedText('call Wendsday'), 'call WEdnesday');
  assert.equal(correctedText('call WENDSDAY now'), 'call WEdnesday now');
  assert.equal(correctedText('call wENDSDAY now'), 'call wEdnesday now');
  assert.equal(correctedText('wendsday or wendesday x'), 'wEdnesday or weDnesday x');
  assert.equal(correctedText('call wendsday', 'left'), 'call wendsday');
  assert.equal(correctedText('call tursday', 'other'), 'call tHursday');
  assert.equal(correctedText('call tursday', 'corrected'), 'call tUesday');
  assert.equal(correctedText('call wendsday', 'other'), 'call wEndsday');
});

test('a misspelt name that nobody takes stays as it was written', () => {
  const rest = new RemainingText('call Wendsday or wendesday and wendsday');
  assert.equal(
    rest.find((text) => text),
    'call Wendsday or wendesday and wendsday',
  );
  assert.equal(rest.take([first(/and wednesday/g)]), 'and wednesday');
  assert.deepEqual(
    rest.corrections.map(({ written }) => written),
    ['wendsday'],
  );
  assert.equal(rest.words(), 'call Wendsday or wendesday');
});

test('a morning and an evening of one sentence belong to their own times', () => {
  const table: Readonly<Record<string, string>> = {
    'x 8 in the morning and 10 at night': 'x 8am and 10pm',
    'x at 8 in the morning and at 10 in the evening': 'x 8am and 10pm',
    'x 8:30 in the morning, 10.15 at evening': 'x 8:30am and 10.15pm',
    'x 8 in the morning & 10 in the night': 'x 8am and 10pm',
    'x 8 in the morning, and 10 at night': 'x 8am and 10pm',
    'x 8 every morning and 10 every night': 'x 8am and 10pm every day',
    'x 8 Each Morning And 10 Each Night': 'x 8am and 10pm every day',
    'x 8 IN THE morning and 10 at night': 'x 8am and 10pm',
    'x 8 in the morning or 10 at night': 'x 8 in the morning or 10 at night',
  };
  const read = Object.keys(table).map((text) => [text, correctedText(text)]);
  assert.deepEqual(Object.fromEntries(read), table);
});

test('words are whole ones: neither a part of a word of any script, nor joined by a mark', () => {
  const isFound = (text: string) => text.search(wholeWords('mon day')) >= 0;
  const inside = [
    'xmon day',
    'mon dayx',
    'émon day',
    'mon day的',
    '한mon day',
    '1mon day',
    'mon day2',
    'mon day_',
    '_mon day',
  ];
  const joined = [
    '.mon day',
    ':mon day',
    '/mon day',
    '@mon day',
    '#mon day',
    '=mon day',
    '$mon day',
    '€mon day',
    '£mon day',
  ];
  const followed = [
    '-mon day',
    'mon day:5',
    'mon day.5',
    'mon day/5',
    'mon day-5',
    "mon day's",
    'mon day’s',
    'mon day-x',
    'mon day.x',
  ];
  assert.deepEqual([...inside, ...joined, ...followed, 'monday'].filter(isFound), []);
  const apart = [
    'mon day',
    'a mon  day b',
    '(mon day)',
    'mon day.',
    'mon day: 5',
    "mon day'",
    '，mon day！',
    'mon day - 5',
    '“mon\tday”',
  ];
  assert.deepEqual(apart.filter(isFound), apart);
});

test('a phrase ends before nothing, a mark, a number or a word that joins, and not before another word', () => {
  const isEnd = (after: string) => new RegExp(`x${PHRASE_END}`, 'u').test(`x${after}`);
  const words =
    'at on in by from for with to until till through thru and or of every each if when before after starting ending this next today tomorrow tonight noon just only mon friday wednesdays';
  const ends = [
    '',
    ' ',
    ',',
    ' ;',
    ': y',
    '.',
    '!',
    '?',
    ')',
    ']',
    '&',
    '/',
    '+',
    '–',
    '—',
    '-',
    GAP,
    ' 🎂',
    ' 5',
    ' @y',
    ' (y)',
  ];
  const all = [...ends, ...words.split(' ').map((word) => ` ${word} y`)];
  assert.deepEqual(
    all.filter(isEnd),
    all.filter((after) => after !== ' mon y'),
  );
  assert.deepEqual(['y', ' y', ' floor', ' attic', ' onion', ' island', '(', "'s"].filter(isEnd), []);
});
