/** Names of books, films, songs and products, told from moments. The words in question stand in brackets. */
import { test } from 'node:test';
import { answersAre, split } from '../../test/words/marked-text.ts';
import { GAP } from './remaining-text.ts';
import { doubtOfWork } from './works.ts';

/** A tilde stands where words were taken. */
const answersOf = (table: Readonly<Record<string, readonly string[]>>) =>
  answersAre((text) => doubtOfWork(...split(text.replaceAll('~', GAP))), table);

test('a time with a capital is a name after a verb of reading or buying, and may be one elsewhere', () =>
  answersOf({
    name: [
      'watch [Midnight] in Paris',
      'read [Five] Past',
      'finish reading The [Five Past Midnight]',
      'Finish [Midnight]',
      'Watch Any [Noon] Film',
      'return [Midnight]',
      'learn 9 to [Five]',
      'play the Sound and Fury of 10 [Noon]',
      'sing on in [Noon]',
      'copy of [Noon]',
      'review of [Noon]',
      'review [Noon]',
      'tickets for [Noon]',
      'ticket to [Noon]',
      'listening to [Noon]',
      'reread [Noon]',
      'please re-watch a [Noon]',
      'practise an [Noon]',
      'practice my [Noon]',
      'pre-order our [Noon]',
      'preorder [Noon]',
      "borrow Ocean's [Noon]",
      'borrow Ocean’s [Noon]',
      'watch A B C D E [Noon]',
      'please read [Noon]',
    ],
    words: [
      'visit Café [Midnight]',
      'meet [Noon]',
      'Call Bo [Noon]',
      'breathe deeply, read it [Noon]',
      'lend him [Noon]',
      'spread [Noon]',
      'watch A B C D E F [Noon]',
      'watch x [Noon]',
    ],
    none: [
      '[Midnight] in Paris, watch it',
      '  [Midnight] in Paris, watch it',
      'see [MIDNIGHT] now',
      'BRING LUNCH [Noon]',
      'call bo [NOON Today]',
      'watch [Half Past 5]',
      'to do [Noon]',
      'be ABCdef [Noon]',
    ],
  }));

test('a capital after the time makes a name of both, a day or a small word does not', () =>
  answersOf({
    name: [
      'join the [Noon] Yoga class',
      'pack for [Midnight] Sunset',
      'visit [Noon] in the Park',
      'visit [Noon] of Paris',
      'visit [Noon] to Paris',
      'visit [Noon] and Paris',
      'visit [Noon] at Paris',
      'visit [Noon] by Paris',
      'visit [Noon] for Paris',
      'visit [Noon] on Paris',
      "join [Noon] O'Neill",
      'join [Noon] É’clair',
    ],
    words: [
      'lunch [Noon] now',
      'lunch [Noon] A',
      'lunch [Noon] NATO',
      'lunch [Noon]-Yoga',
      'lunch [Noon] with Tom',
      'lunch [Noon] xx Paris',
    ],
  }));

const DAYS =
  'Mon Monday Mondays Tue Tues Tuesday Wed Weds Wednesday Thu Thur Thurs Thursday Fri Friday Sat Saturday Sun Sunday Sundays';
const MONTHS =
  'Jan January Feb February Mar March Apr April May Jun June Jul July Aug August Sep Sept September Oct October Nov November Dec December';
const LEADING = 'Tomorrow Today Tonight Every Each Daily At On By For With From';
const NAMES = 'Monkey Sunset Marriott Forest Byron Satay Mayfair Attic Tuesdayx Junebug Augustine';

test('a day, a month or a word that leads to a moment begins no name, and a longer word does', () =>
  answersOf({
    none: `${DAYS} ${MONTHS} ${LEADING}`.split(' ').map((word) => `meet tom [5 PM] ${word} bar`),
    words: NAMES.split(' ').map((word) => `meet tom [5 PM] ${word} bar`),
  }));

test('small words decide only in a text that has others than those around a moment', () =>
  answersOf({
    words: ['eat [Noon]', 'Bo, eat [Noon]', 'Bo [Noon], lunch', 'Bo [Noon] theatre', 'Bo [Noon] thé'],
    none: [
      'Bo [Noon] it',
      'ABeat [Noon]',
      ...'the and with for from until before after every this next about today tonight tomorrow noon'
        .split(' ')
        .map((word) => `Bo ${word} [Noon]`),
    ],
  }));

test('a sentence begins with a capital, and a text that is cut does not', () =>
  answersOf({
    name: ['Watch [Noon]', ' Watch [Noon]', `eat${' x'.repeat(30)} watch [Noon]`],
    words: ['eat. Watch [Noon]', 'eat. Watch Everything Everything Everywheres [Noon] film'],
  }));

test('a part of the day or a unit with a capital after a small word is a name in a work, and may be one elsewhere', () =>
  answersOf({
    name: [
      'learn 4 [in the Morning]',
      'learn 4 [at Night]',
      'read Around the World [in 80 Days]',
      'read Lost [within 3 Hours]',
      'read Lost [after 2 Weeks]',
      ...'Second Minute Hour Day Week Month Year Seconds Minutes Hours Days Weeks Months Years'
        .split(' ')
        .map((unit) => `read Lost [in 80 ${unit}]`),
      'read Lost [on the Afternoon]',
      'read Lost [before Evening]',
      'read Lost [after the Night]',
    ],
    words: ['swim [in the Morning]', 'go round [in 80 Days]'],
    none: [
      'learn Lost [near the Morning]',
      'learn Lost [in the Mornings]',
      'learn Lost [for 80 Days]',
      'learn Lost [in 80 Dayspa]',
      'learn Lost [begin in 80 Days]',
      'learn Lost [xin the Morning]',
      'learn Lost [in 80 days]',
    ],
  }));

test('a date after a small word may belong to a name of a day or a unit, and a time after it to a place', () =>
  answersOf({
    words: [
      'borrow Monday Starts [on saturday]',
      'return Seven Days [in may]',
      'return One Night [in may]',
      'return One Hour [in may]',
      'return Evenings [in may]',
      'return MONTHS [on friday]',
      'meet Tom [at Noon] Café',
      'meet Tom [at Éa] Café',
    ],
    none: [
      'return Seven [in may]',
      'return Bidet [in may]',
      'swim monday [in may]',
      'return Seven Days [by may]',
      'return Seven Days [upon may]',
      'return Seven Days [once in may]',
      'meet Tom [at Noon] café',
      'meet Tom [at noon] Café',
      'meet Tom [by Noon] Café',
      'meet Tom [x at Noon] Café',
    ],
  }));

test('a clock time is a name in a work or after “The” where a capital follows, and may be one before a capital', () =>
  answersOf({
    name: [
      'read The [5 AM] Club',
      'Read [5 AM] Club',
      'try The [9 PM] Routine',
      'try The [9] Routine',
      'try The [9:30] Routine',
      'try The [9.30 pm] Routine',
      'try The [12a.m.] Routine',
      'try The [9 A.M] Routine',
      'watch [3:10] to Yuma',
      'listen to [4 AM] by Kaskade',
    ],
    words: ['meet tom [5 PM] Starbucks', 'meet tom [5 P.M.] Starbucks'],
    none: [
      'meet tom [5 pm] Starbucks',
      'meet Tom [5 PM], Bar',
      'meet TOM [5 PM] Starbucks',
      'meet tom, [5 PM] Starbucks',
      'meet The Man [9 pm] Routine',
      'try the [9 pm] Routine',
      'try LoThe [9 pm] Routine',
      'watch [3:10] to yuma',
      'watch [3:10] or Yuma',
      'watch [3:10] x to Yuma',
      'meet [3:10] to Yuma',
      'read [5 AM] Friday',
    ],
  }));

test('what holds more than a clock time is none', () =>
  answersOf({
    none: [
      'try The [x 9 PM] Routine',
      'try The [9 PM x] Routine',
      'try The [123 PM] Routine',
      'try The [9 XM] Routine',
    ],
  }));

test('a day is a name after the title of a person, and may be one after a name in a work', () =>
  answersOf({
    name: [
      ...'Mr Mrs Ms Miss Dr Prof Professor Sir Judge Captain'.split(' ').map((title) => `email ${title} [Friday]`),
      'email Dr. [Friday]',
    ],
    words: [
      'play Blue [Monday]',
      'review of [Tuesdays] with Morrie',
      'tickets for [Friday]',
      'return [Tomorrow]',
      'return [Today]',
      'read Blue [May]',
      'read Blue [Friday night]',
      'buy Mr Bean [Friday]',
      'watch Anna [Friday]',
      'play 5 PM Blue [Monday]',
      'see it, watch Anna [Friday]',
    ],
    none: [
      'start [Monday]',
      'start [Monday To Friday]',
      'because of it start [Monday]',
      'copy of it [Monday]',
      'see Anna [Friday]',
      'See Anna [Friday]',
      'please see Anna [Friday]',
      'oversee Anna [Friday]',
      'meet Anna [Friday]',
      'meet mr [Friday]',
      'Dr [Friday] before work',
      'meet XMr [Friday]',
      'play Blue [Monday] at 5',
      'play Blue [Monday]  at  noon',
      'play Blue [Monday] at midnight',
      'play Blue [Monday] @ home',
      'play Blue [Monday] 5pm',
      'play Blue [Monday] ~ x',
      'play Blue 5 PM [Monday]',
      'play Blue 5 Am [Monday]',
      'play Blue 5:30 [Monday]',
      'play Blue 5pm [Monday]',
      'play Blue 5 p.m. [Monday]',
    ],
  }));

test('beside words that were taken a time is none of a name', () =>
  answersOf({
    none: ['lunch ~ [Noon]', 'lunch [Noon] ~', 'lunch ~[Noon]', 'lunch [Noon]~ x'],
    words: ['lunch ~ x [Noon]', 'lunch [Noon] x ~', '~ lunch [Noon]'],
  }));
