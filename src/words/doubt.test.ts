/** Whether words that can name a day do. The words in question stand in brackets. */
import { test } from 'node:test';
import { answersAre, split } from '../../test/words/marked-text.ts';
import { doubtOf } from './doubt.ts';
import { GAP } from './remaining-text.ts';

/** A tilde stands where words were taken. */
function answer(marked: string): string | undefined {
  const [written, start, end] = split(marked.replaceAll('~', GAP));
  const lower = written.toLowerCase();
  const match = Object.assign([lower.slice(start, end)] satisfies [string], { index: start, input: lower });
  return doubtOf(match, written);
}
const answersOf = (table: Readonly<Record<string, readonly string[]>>) => answersAre(answer, table);

test('a day that is excepted, or after words that make it another day, is none', () =>
  answersOf({
    no: [
      'gym except [friday]',
      'gym excluding [21 december]',
      'gym but not [friday]',
      'gym but not for [friday]',
      'gym except on [friday]',
      'gym except  on  [friday]',
      'gym  excluding  [friday]',
      'notes of last [friday]',
      'notes since [tomorrow]',
      'read usa [today]',
      'the day after [tomorrow]',
      'notes since  [friday morning]',
      'last [tonight]',
      'last [monday first thing]',
    ],
    none: [
      'exceptional [friday]',
      'except it, gym [friday]',
      'except for it [friday]',
      'exceptfor [friday]',
      'unexcept [friday]',
      'blast [friday]',
      'last it [friday]',
      'last [12 june]',
      'the day after it [tomorrow]',
      'gym but [friday]',
    ],
  }));

test('a name with capitals, a number that counts, and a street are names', () =>
  answersOf({
    name: [
      'watch [Friday] Night Lights',
      'buy [2 may] flowers',
      'email Dr [Friday]',
      ...'street str str. road rd avenue ave lane square drive boulevard blvd terrace close'
        .split(' ')
        .map((kind) => `meet at [24 may] ${kind}`),
      'meet at [24 may]  street now',
    ],
    none: ['meet at [24 may] x street', 'meet at [24 may]street', 'meet at [24 may] mistral'],
    words: ['read [Tuesdays] with Morrie', 'play Blue [Monday]'],
  }));

test('a feast may describe what happens on it, and is none that is planned or wished', () =>
  answersOf({
    words: [
      '[christmas] party',
      '[halloween] party 8pm',
      'book table for [easter]',
      'book table [for easter]',
      'buy gifts [christmas eve evening]',
      'airplane [christmas]'.replace('airplane', 'plane'),
      'celebrate it [christmas]',
      'celebrate for it [christmas]',
      'planned for [christmas]',
    ],
    no: [
      ...'plan prepare organise organize celebrate merry happy hate love'
        .split(' ')
        .map((verb) => `${verb} [christmas]`),
      'plan for [christmas]',
      'plan [for christmas]',
      'plan  for  [christmas morning]',
    ],
    none: ['x [before christmas]', 'x [christmas 5pm]', 'x [the christmas]'],
  }));

test('a day after “about” is what is told of, and may be a day where a time follows', () =>
  answersOf({
    name: [
      'tell Tom about [friday]',
      'tell Tom about  [friday] plans',
      'ask about [tomorrow morning]',
      'ask about [friday] x at 5',
    ],
    words: ['ask about [friday] at 5', 'ask about [friday]  at 5', 'ask about [friday] @ 5', 'ask about [friday] 5pm'],
    none: ['ask about it [friday]', 'ask roundabout [friday]', 'ask about [12 june]', 'ask about [friday or monday]'],
  }));

test('a short word is a day where nothing or a time follows, and none before another word or after “the”', () =>
  answersOf({
    none: [
      'lunch [sun]',
      'lunch [sun],',
      'lunch [sun] ~',
      'lunch [sun] at 5',
      'lunch [Sun] At 5',
      'lunch [sun] @ 5',
      'lunch [sun] 9am',
      'lunch [sun] about 5',
      ...'after before by from between around'.split(' ').map((word) => `lunch [sun] ${word} 5`),
      'lunch [sun]  after  5',
      'lunch the [sunday]',
      'breathe [sun]',
      'the lunch [sun]',
    ],
    no: [
      '[sun] cream',
      'buy [sun] cream at 5',
      'in the [sun]',
      'in the  [sun]',
      'he [sat] after lunch',
      'he [sat] attic',
      'he [sat] aboutx',
      'study [for sat]',
      'study [for sat] x at 5',
      'study [for mon] now',
    ],
    words: ['book [for sat] at 5', 'book [for wed] 5pm', 'book [for sun] @ 5'],
  }));

test('a number before a month counts the things that follow, after some other word', () =>
  answersOf({
    name: ['water the [2 june] flowers', 'water the [12 june] flowers', 'x [2 june]  flowers'],
    none: [
      '[2 june] taxes',
      ' [2 june] taxes',
      'water the [2 june] flower',
      'water the [june] flowers',
      'water the [the 2 june] flowers',
      'water the [2 june 2027] flowers',
      'water the [june 2] flowers',
      'water the [2 june 5pm] flowers',
    ],
  }));

test('a day before a noun may describe it, is a name after “the”, and is a day at the beginning or after a time', () =>
  answersOf({
    words: [
      'prepare [friday] meeting',
      'prepare [friday morning] meeting',
      'cake [for saturday] party',
      '[sunday] roast recipe',
      'weather [friday] meeting',
      'tell the team [friday] meeting',
      'find [sunday] roast recipe',
      'panoon it [friday] meeting',
      'noon it [friday] meeting',
    ],
    name: [
      ...'the my our your his her their a'.split(' ').map((word) => `prepare ${word} [friday] meeting`),
      'prepare the  [friday] meeting',
      'snacks [for sunday] school',
    ],
    none: [
      '[friday] meeting',
      ' [friday] meeting',
      'prepare [friday] 5pm',
      'prepare [friday]',
      'prepare [12 june] meeting',
      'prepare [by friday] meeting',
      ...[
        '6pm',
        '6 pm',
        '6 p.m.',
        '6:30',
        '6.30',
        'noon',
        'midnight',
        "6 o'clock",
        '6 oclock',
        'six o’clock',
        'half 7',
        'ten past 6',
        'ten to six',
        'five till 6',
        'five til 6pm',
        'half six a.m.',
        'six thirty',
        'six fifteen',
        'six forty five',
        'six forty-five',
        'six forty',
        'nineteen hundred',
        'at noon ',
      ].map((clock) => `${clock} [tomorrow] call`),
    ],
  }));

const OF_THE_DAY =
  'roast best school paper papers newspaper blues crossword supplement edition recipe playlist notes report agenda homework newsletter slides ticket tickets menu rota outfit costume mug episode figures numbers minutes photos application leftovers';
const OF_THE_DAY_ALONE = OF_THE_DAY.slice(OF_THE_DAY.indexOf('recipe')).split(' ');

test('what belongs to a day more than it happens on it may be described by a day at the beginning too', () =>
  answersOf({
    words: [
      ...OF_THE_DAY.split(' ').map((thing) => `[monday] ${thing}`),
      '[sunday] roast tonight',
      '[sunday]  school  tonight',
      '[monday] team report',
      '[monday] équipe  report',
      '[monday] report  ',
      '[Sunday] Times',
    ],
    none: [
      '[sunday] roasting',
      '[sunday] schoolé',
      '[sunday] roasté',
      '[monday] tell the team report',
      '[monday] teamreport',
      '[monday] call school',
      ...OF_THE_DAY_ALONE.map((thing) => `[monday] ${thing} of tom`),
      '[monday] reportage',
    ],
  }));
