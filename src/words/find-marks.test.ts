/** What a task says beside its moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutLabel, cutNotes, cutSpace, LEAD, MUST_NOT_MISS, ONCE } from './find-marks.ts';
import { type Reader, RemainingText } from './remaining-text.ts';

type Table = Readonly<Record<string, string>>;

const readsAs = (table: Table, read: (text: string) => string) =>
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((text) => [text, read(text)])), table);

/** What was found, and what is left. */
const took =
  <T>(reader: Reader<T>) =>
  (text: string): string => {
    const rest = new RemainingText(text, 'left');
    const found = rest.take([reader]);
    return `${found ?? 'none'} | ${rest.words()}`;
  };

test('what follows two slashes is notes, if something is left for the title', () => {
  const cut = (text: string) => {
    const { text: title = 'none', value = '' } = cutNotes(text) ?? {};
    return `${title} | ${value}`;
  };
  readsAs(
    {
      'a // b': 'a | b',
      'a //b': 'a | b',
      '//b': 'none | ',
      'a // ': 'none | ',
      'a /// b': 'none | ',
      'https://x.y//z': 'none | ',
      'a\n// b\nc // d': 'a | b\nc // d',
      'a // b // c': 'a | b // c',
      ' // b': 'none | ',
      'a  //  b ': 'a | b',
    },
    cut,
  );
});

test('the first word after # is the label, and a number or an address is none', () => {
  const cut = (text: string) => {
    const { text: title = 'none', value = '' } = cutLabel(text) ?? {};
    return `${title} | ${value}`;
  };
  readsAs(
    {
      'a #b': 'a | b',
      '#b a': 'a | b',
      'a #b c': 'a c | b',
      '#b': 'none | ',
      'a #12': 'none | ',
      'a #b1': 'a | b1',
      'a#b': 'none | ',
      'a #b, c': 'a , c | b',
      'a #b-c_d': 'a | b-c_d',
      'a #b.': 'a . | b',
      'a #b)': 'a ) | b',
      'a #b!': 'a ! | b',
      'a #b?': 'a ? | b',
      'a #b;': 'a ; | b',
      'a #b/c': 'none | ',
      'a #éa x': 'a x | éa',
      'a #b #c': 'a #c | b',
      'a  #b  c': 'a c | b',
      'a #éa': 'a | éa',
    },
    cut,
  );
  const longest = 'x'.repeat(100);
  assert.deepEqual([cutLabel(`a #${longest}`)?.value, cutLabel(`a #${longest}x`)], [longest, undefined]);
});

test('a name after @ is a space however it is written, one that is none of them is named, and a time is neither', () => {
  const spaces = [
    { id: '1', name: 'Our Flat' },
    { id: '2', name: "Bo's" },
  ];
  const cut = (text: string) => {
    const { text: title = '', value, unknown = '' } = cutSpace(text, spaces);
    return `${value?.id ?? 'none'} | ${title || unknown}`;
  };
  readsAs(
    {
      'a @our-flat b': '1 | a b',
      'a @OurFlat': '1 | a',
      '@our_flat a': '1 | a',
      'a @bos': '2 | a',
      'a @bo’s': '2 | a',
      '@our-flat': 'none | ',
      'a @noon': 'none | ',
      'a @midday': 'none | ',
      'a @midnight': 'none | ',
      'a @bob': 'none | bob',
      'a @bob @our-flat': '1 | a @bob',
      'a @our-flat @bob': '1 | a @bob',
      'a @bob @amy': 'none | bob',
      'a@bob': 'none | ',
      'a @four': 'none | ',
      'a @fourx': 'none | fourx',
      'a @twelve': 'none | ',
      'a @4pm': 'none | ',
      'a @night': 'none | ',
      'a @lunch': 'none | ',
      'a @lunchtime': 'none | ',
      'a @bob,': 'none | bob',
      'a @bob/x': 'none | ',
      'a @nights': 'none | nights',
      'a @Noon': 'none | ',
    },
    cut,
  );
});

test('a mark says that a task must not be missed, and in the middle of a sentence it says nothing', () =>
  readsAs(
    {
      'a !': 'true | a',
      'a !!': 'true | a',
      'a !!!': 'true | a',
      'a !!!!': 'none | a !!!!',
      '!! a': 'true | a',
      'a!': 'none | a!',
      'a!!': 'true | a',
      'a!!!': 'true | a',
      'must not miss a': 'true | a',
      'must-not-miss a': 'true | a',
      'a must not miss': 'true | a',
      'a important': 'true | a',
      'important: a': 'true | a',
      'important a': 'none | important a',
      'the important email': 'none | the important email',
      'a important!!': 'true | a',
      'important! a': 'true | a',
      'call Bo)!!': 'true | call Bo)',
      'x !! y': 'true | x y',
      'a Important': 'true | a',
      '3!!': 'true | 3',
      unimportant: 'none | unimportant',
      'mustxnot miss a': 'none | mustxnot miss a',
      ' important : a': 'true | a',
    },
    took(MUST_NOT_MISS),
  ));

test('once is once if it is said of reminders', () =>
  readsAs(
    {
      'a just once': 'true | a',
      'only once a': 'true | a',
      'remind me once a': 'true | a',
      'remind once a': 'true | a',
      'notify once a': 'true | a',
      'a once only': 'true | a',
      'once a': 'none | once a',
      'a justonce': 'none | a justonce',
      'remind me  once a': 'true | a',
    },
    took(ONCE),
  ));

test('so many days before is a heads-up, unless a moment or the task itself follows', () =>
  readsAs(
    {
      'a 2 days before': '2 | a',
      'a 2 days before the wedding': 'none | a 2 days before the wedding',
      'heads-up 3 days before the wedding': '3 | the wedding',
      'a with a heads up 1 week ahead': '7 | a',
      'x week before': 'none | x week before',
      'a week before': '7 | ',
      'a one day earlier': '1 | a',
      'a 40 days before': '30 | a',
      'a 30 days before': '30 | a',
      'a 5 weeks in advance': '30 | a',
      'a two weeks heads-up': '14 | a',
      'a two weeks heads up': '14 | a',
      'a three days heads-up': '3 | a',
      'remind me 2 days before x': '2 | x',
      'a remind me 2 days before': '2 | a',
      '2 days before 24 dec': 'none | 2 days before 24 dec',
      'a 2 days before friday': 'none | a 2 days before friday',
      'a 2 days before the 5th': 'none | a 2 days before the 5th',
      'a 2 days before tomorrow': 'none | a 2 days before tomorrow',
      'a 2 days before the friday': 'none | a 2 days before the friday',
      'a 3 days ahead, b': '3 | a, b',
      'a 12 days before': '12 | a',
      'a 123 days before': 'none | a 123 days before',
      'remind me 3 days before friday': '3 | friday',
      'a heads-up 2 days before 24 dec': '2 | 24 dec',
      'a heads up 2 days before x': '2 | x',
      'a remind me 2 days before x': 'none | a remind me 2 days before x',
      'a 2 days before on friday': '2 | a on friday',
    },
    took(LEAD),
  ));
