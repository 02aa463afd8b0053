/** The words around a moment tell whether it is one. Those in question stand in brackets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { split } from '../../test/words/marked-text.ts';
import {
  around,
  isCount,
  isFollowedByNoun,
  isFollowedByPlural,
  isHourLike,
  isInName,
  isNamedRhythm,
  isWork,
} from './title-words.ts';

const those = (marked: readonly string[], is: (...at: [string, number, number]) => boolean) =>
  marked.filter((text) => is(...split(text)));

function isOnly(is: (...at: [string, number, number]) => boolean, yes: readonly string[], no: readonly string[]): void {
  assert.deepEqual(those([...yes, ...no], is), yes);
}

test('a day between capitals is part of a name, unless it stands alone at the beginning', () =>
  isOnly(
    isInName,
    [
      'watch [Friday] Night Lights',
      'read [Mo] Book',
      'watch [Friday] It',
      '  the [Friday] Night',
      'watch The [Day After Tomorrow]',
      'buy [Sunday] Times',
      '[Sunday Night] Football',
      'read [for Monday] Club',
      'go to [Monday] Club',
      'watch [Any Given Sunday]',
    ],
    [
      '[Friday] Night Lights',
      ' the [Friday] Night',
      'watch [Friday night] Lights',
      'watch [Friday] and Night',
      'watch [Friday] night',
      'The [Day After Tomorrow]',
      '[Day After Tomorrow]',
      '[Sunday] Times',
      'see [friday] Night',
      'call [Friday] At 5',
      'FRIDAY [FRIDAY] NIGHT',
      'the [Monday] Club',
      '[Monday] 5pm',
      'x [Monday]-Club',
    ],
  ));

test('a rhythm with capitals in a phrase without them is a title', () =>
  isOnly(
    isNamedRhythm,
    [
      'read [Every Day]',
      'read The [Every Day]',
      'read [Friday Nights]',
      'read The [Daily]',
      'read the [Weekly]',
      'read The [Monthly]',
      'a [Each Hour]',
      'read the [Every Day]',
      'play [Sunday Mornings]',
      'x [Monday Evenings]',
      'x [Each Month]',
    ],
    [
      'Read [Every Day]',
      '[Every Day]',
      'read [Every day]',
      'read [Friday Night]',
      'read [Daily]',
      'The [Daily]',
      'read X [Every Day]',
      'x [Every Days]',
      'x\n[Weekly]',
    ],
  ));

test('a capital after a verb of reading or watching may begin the name of a work', () =>
  isOnly(
    isWork,
    [
      'read [Tuesdays]',
      'reread [Tuesdays]',
      're-watch [Tuesdays]',
      'listen to [Tuesdays]',
      'please see [Tuesdays]',
      'READ [Tuesdays]',
      'play [Tuesdays]',
      'rewatch [Tuesdays]',
      're-read [Tuesdays]',
      'see [Éclair]',
    ],
    [
      'thread [Tuesdays]',
      'read [tuesdays]',
      'read  [Tuesdays]',
      'buy [Tuesdays]',
      'read the [Tuesdays]',
      'stream [T]',
      'replay [Tuesdays]',
      'watch [TUesdays]',
    ],
  ));

test('a number counts what follows it after a verb of buying, or before several of something', () =>
  isOnly(
    (text, start, end) => isCount(text.slice(0, start), text.slice(start, end), text.slice(end)),
    [
      'buy [2 may] flowers',
      'buy the [2 may] flower',
      'get another [10 pm] cables',
      '[2 may] flowers',
      'cut [10 pm] cables',
      'rebuy [2 may] flowers',
      'pick up [3 mar] lamps',
      '[3 march] lamps',
      'wash [5 am] bus',
      'buy some [2 may] us',
      'buy [2 may] flower',
      'order [2 may] flower',
      'get [2 may] flower',
      'grab [2 may] flower',
      'pick up [2 may] flower',
      'bring [2 may] flower',
      'sell [2 may] flower',
      'ship [2 may] flower',
      'pack [2 may] flower',
      'print [2 may] flower',
      'return [2 may] flower',
      'purchase [2 may] flower',
      'need [2 may] flower',
      'collect [2 may] flower',
      'fetch [2 may] flower',
      'make [2 may] flower',
      'bake [2 may] flower',
      'find [2 may] flower',
      'replace [2 may] flower',
      'install [2 may] flower',
      'pre-order [2 may] flower',
      'preorder [2 may] flower',
      'add [2 may] flower',
      'count [2 may] flower',
      'wash [2 may] flower',
      'charge [2 may] flower',
      'fix [2 may] flower',
      'plant [2 may] flower',
      'buy about [2 may] flower',
      'buy  [2 may] flower',
      '[12 march] lamps',
      'x [2 may] flowers',
      '[2 pm] cables',
      '[2 am] cables',
    ],
    [
      'buy [2 may]',
      '[2 may] flower',
      'cut [10 pm] cable',
      'please cut [10 pm] cables',
      '[2 june] taxes',
      'x [may 2] flowers',
      'rebuy all [2 may] flowers',
      'buy [2 may] at noon',
      '[5 am] bus',
      'buy [2 may]s',
      'see [2 may] flower',
      '[2 april] cables',
    ],
  ));

test('what follows a number says whether it is an hour', () => {
  const after: Readonly<Record<string, string>> = {
    hour: "| | at noon| b|, flowers| 5| around noon| half past| this|s| s| between 5| about 5| after lunch| as is| so what| because of| a quarter| an quarter| quarter| midnight| twenty|it's",
    'noun plural':
      ' flowers| threes| buses| dishes| miles| kms| minutes| hours| times| times a day| lbs| inches| nights| kilos| pounds| litres| liters| mins| hrs| days| weeks| months| years| guests| persons| pages| laps| reps| sets| rounds',
    'noun hour':
      " flower| call| bus| gas| glass| always| Bo’s| tennis| his| menus| xylophone| oneself| good| laundry| is| yes| plus| various things| across town| vs| kind| manly| twentyone| previous ones| versus them| us| was| it's| James’s| boss",
    '': ' three|%|€| %| h| or 6| to 8| of them| x| to-do| one| g| k| l',
    noun: ' mile run| km| min| people| course dinner| star hotel| more| lb| inch| way| kg| mile| kilo| mg| ml| pound| litre| liter| minute| hr| hour| day| week| month| year| night| men| women| children| person| page| lap| rep| set| round| course| percent| star| bed| seater| set-up',
  };
  const marksOf = (text: string) =>
    [isFollowedByNoun(text) && 'noun', isFollowedByPlural(text) && 'plural', isHourLike(text) && 'hour']
      .filter(Boolean)
      .join(' ');
  for (const [marks, texts] of Object.entries(after))
    for (const text of texts.split('|')) assert.equal(marksOf(text), marks, text);
});

test('forty letters before and after a moment are looked at', () => {
  const text = `${'b'.repeat(41)}words${'a'.repeat(41)}`;
  assert.deepEqual(around(text, 41, 'words'), ['b'.repeat(40), 'a'.repeat(40)]);
  assert.deepEqual(around('bb words a', 3, 'words'), ['bb ', ' a']);
});
