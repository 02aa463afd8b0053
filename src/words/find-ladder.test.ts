/** How a task insists, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settleLadder, takeLadder, takeTone, type WantedLadder } from './find-ladder.ts';
import type { GuessKind } from './guess.ts';
import { ladderEvery } from './ladder-wait.ts';
import { RemainingText } from './remaining-text.ts';

/** The name of a ladder or its minutes, with a question mark if it is a guess. */
function inShort(wanted: WantedLadder | undefined): string {
  if (!wanted) return 'none';
  return `${'preset' in wanted ? wanted.preset : wanted.every}${wanted.isGuess ? '?' : ''}`;
}

/** And what is left of the text. */
function ladderOf(text: string, ...choices: GuessKind[]): string {
  const rest = new RemainingText(text, 'left');
  return `${inShort(takeLadder(rest, new Set(choices)))} | ${rest.words()}`;
}

/** Where `at 9` was taken as the moment. */
function toneOf(text: string, ...choices: GuessKind[]): string {
  const rest = new RemainingText(text, 'left');
  rest.take([[/at 9/g, () => true]]);
  return `${inShort(takeTone(rest, new Set(choices)))} | ${rest.words()}`;
}

/** By the minutes, or the ladder, that they are. */
const INTERVALS: Readonly<Record<string, string>> = {
  '10': 'every 10 minutes|at 10 minute intervals',
  '1': 'every minute|each minute|every single minute|once a minute|every 30 secs|every 20 secs',
  '60': 'once per hour|once an hour|hourly',
  '2': 'every 90 seconds',
  '5': 'every 5 min|every 5m',
  '120': 'every 2 hrs|every 2h|every couple of hours|every other hour',
  '1380': 'every 23 hours',
  daily: 'every 24 hours|every day|every morning|daily',
  '1500': 'every 25 hours',
  '2880': 'every 2 days',
  '10080': 'every week|weekly',
  '3': 'every few minutes',
  '30': 'every half hour|every half-hour|every half an hour',
  '15': 'every quarter hour|every quarter of an hour|in 15-minute intervals',
  none: 'every 3x',
};

const PHRASES: Readonly<Record<string, string>> = {
  'a every 10 minutes until done': '10 | a',
  'a every 10 minutes until it’s done': '10 | a',
  'a, then every 5 minutes after that until I tick it off': '5 | a',
  'a remind me every hour until I have done it': '60 | a',
  'a repeat every hour until completed': '60 | a',
  'a ring hourly till finished': '60 | a',
  'a insist every hour until confirmed': '60 | a',
  'a nag me every hour until I call Bo': '60 | a call Bo',
  'a nag me every hour until 6pm': 'none | a nag me every hour until 6pm',
  'a nag every hour for 2 hours': 'none | a nag every hour for 2 hours',
  'a nag every hour for Bo': '60 | a for Bo',
  'nag Peter every week': 'none | nag Peter every week',
  'a nag me daily': 'daily? | a',
  'a nag me weekly': '10080? | a',
  'keep reminding me every hour to a': '60 | a',
  'keep on reminding me hourly about a': '60 | a',
  'remind me again every 10 minutes a': '10 | a',
  'remind me every hour to stretch': 'none | every hour to stretch',
  'gently remind me to a': 'gentle | a',
  'softly nudge me about a': 'gentle | a',
  'remind me gently to a': 'gentle | a',
  'please keep nudging me gently a': 'gentle | a',
  'a with gentle reminders': 'gentle | a',
  'a with gentle nudges, b': 'gentle | a, b',
  'a with gentle reminders book': 'none | a with gentle reminders book',
  'insistently remind me to a': 'persistent | a',
  'relentlessly nudge me a': 'persistent | a',
  'remind me persistently a': 'persistent | a',
  'a with persistent reminders': 'persistent | a',
  'a with insistent nudges': 'persistent | a',
  'nag me until done a': 'persistent | a',
  'nag until it is done: a': 'persistent | a',
  'nag me to a': 'persistent | a',
  'please pester me about a': 'persistent | please a',
  'hound me a': 'persistent | a',
  'badger me a': 'persistent | a',
  'bug me to a': 'persistent | a',
  'bug me a': 'none | bug me a',
  'a nag me': 'none | a nag me',
  'remind me like medication a': 'medication | a',
  'remind me as with my meds a': 'medication | a',
  'gentle reminder to a': 'gentle | a',
  'a gentle nudge about a': 'gentle | a',
  'the gentle reminder to a': 'none | the gentle reminder to a',
  'remind me until done a': 'default | a',
  'keep reminding me until I answer a': 'default | a',
  'don’t stop until done a': 'default | a',
  'do not stop until finished a': 'default | a',
  'a use the gentle ladder': 'gentle | a',
  'a with medication ladder': 'medication | a',
  'a on the persistent ladder': 'persistent | a',
  'a the blue ladder': 'none | a the blue ladder',
  'a, remind me every 10 minutes': '10? | a',
  'a and then remind me every hour': '60? | a',
  'a remind me every hour': 'none | a remind me every hour',
  'a, remind me daily': 'daily? | a',
  'a nag every 10 minutes': '10 | a',
  'a nag me every 10 minutes to': '10 | a',
  'a like medicine': 'medication? | a',
  'like medicine a': 'none | like medicine a',
  'a like a medication, b': 'medication? | a, b',
  'a until done': 'none | a until done',
  'nagging me hourly until acknowledged a': '60 | a',
  'poke me every 5 min until I mark it as done a': '5 | a',
  'ping me each hour until dealt with': '60 | ',
  'alert me every hour until I respond': '60 | ',
  'annoy me every hour till this is done': '60 | ',
};

test('an interval until done is a wait of so many minutes, and a day is the daily ladder', () => {
  for (const [wait, intervals] of Object.entries(INTERVALS))
    for (const interval of intervals.split('|'))
      assert.equal(ladderOf(`a nag me ${interval} until done`).split(' | ')[0], wait, interval);
  const daily = 'every 24 hours|every 25 hours|every day|every morning|every 2 days|every week|daily|weekly';
  for (const interval of daily.split('|')) {
    assert.match(ladderOf(`a nag me ${interval}`), /\? \| a$/, interval);
    assert.match(ladderOf(`a nag me ${interval}`, 'ladder'), /^none/, interval);
  }
});

test('words of reminders are a ladder with a name or a wait, and other words stay', () => {
  assert.deepEqual(Object.fromEntries(Object.keys(PHRASES).map((text) => [text, ladderOf(text)])), PHRASES);
  for (const [text, read] of Object.entries(PHRASES))
    assert.equal(ladderOf(text, 'ladder').startsWith('none'), /^(?:none|\S+\?) /.test(read), text);
});

test('whoever is to be pestered and when it is done can be said in many ways', () => {
  const verbs =
    'nag|nagging|nudge|nudging|pester|pestering|bug|bugging|bother|bothering|poke|poking|ping|pinging|alert|alerting|badger|badgering|hound|hounding|annoy|annoying';
  for (const verb of verbs.split('|')) assert.equal(ladderOf(`x keep ${verb} me gently`), 'gentle | x', verb);
  const ends =
    "until done|till done|til done|until I'm done|until I’ve done it|until I have finished|until it gets done|until that’s done|until this is complete|until the task is completed|until completion|until finish|until I did it|until I do it|until ticked|until I tick it off|until checked off|until I check them|until marked as done|until acknowledge|until acknowledged|until answered|until I confirm it|until confirm|until I respond|until dealt with|until I have paid it|until I feed them";
  for (const end of ends.split('|')) assert.equal(ladderOf(`a every hour ${end}`), '60 | a', end);
});

test('a tone is read beside the moment or before the task alone', () => {
  const tones = {
    gentle: 'gently|be gentle|softly|gentle reminder|gentle nudges|gentle ladder',
    persistent:
      'insist|insistently|persistently|relentlessly|persistent|be persistent|nag|nag me|keep nagging|keep nagging me|pester me|keep bugging me|persistent reminders|insistent reminder|ladder persistent',
    medication: 'ladder: medication|medication ladder|ladder medication',
    default: 'default ladder|ladder default',
  };
  for (const [ladder, words] of Object.entries(tones))
    for (const tone of words.split('|')) {
      for (const text of [`a at 9, ${tone}`, `a at 9 and ${tone}.`, `${tone}: a at 9`, `at 9 ${tone}, a`])
        assert.equal(toneOf(text).split(' | ')[0], `${ladder}?`, text);
      for (const text of [`a ${tone} at 9`, `a at 9 ${tone} b`, `a ${tone}`]) assert.match(toneOf(text), /^none/, text);
      assert.match(toneOf(`a at 9 ${tone}`, 'ladder'), /^none/);
    }
});

test('waits under five minutes need a task that must not be missed, and none is under one', () => {
  const settled = (wanted: WantedLadder | undefined, isMust: boolean, ...choices: GuessKind[]) => {
    const { ladder, guesses, needsMust } = settleLadder(wanted, isMust, new Set(choices));
    return [ladder?.every, guesses.join(), needsMust];
  };
  assert.deepEqual(settleLadder(undefined, true, new Set()), { ladder: null, guesses: [], needsMust: false });
  assert.deepEqual(settled({ every: 4 }, false), [5, 'wait', false]);
  assert.deepEqual(settled({ every: 4, isGuess: true }, false), [5, 'ladder,wait', false]);
  assert.deepEqual(settled({ every: 4 }, true, 'wait'), [4, '', false]);
  assert.deepEqual(settled({ every: 4 }, false, 'wait'), [4, 'wait', true]);
  assert.deepEqual(settled({ every: 5 }, false, 'wait'), [5, '', false]);
  assert.deepEqual(settled({ every: 0.5 }, true), [1, '', false]);
  assert.deepEqual(settled({ preset: 'gentle', isGuess: true }, false), [null, 'ladder', false]);
  assert.deepEqual(settleLadder({ preset: 'gentle' }, false, new Set()).ladder?.choice, { preset: 'gentle' });
  assert.deepEqual(settleLadder({ every: 10 }, false, new Set()).ladder?.choice, ladderEvery(10));
});
