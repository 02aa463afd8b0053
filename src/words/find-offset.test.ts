/** How far a moment is from now, or from the time that follows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lagReaders, soonReaders } from './find-offset.ts';
import { RemainingText } from './remaining-text.ts';

type Table = Readonly<Record<string, string>>;

const readsAs = (table: Table, read: (text: string) => string) =>
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((text) => [text, read(text)])), table);

test('so many minutes from now are a moment, and a few may be more', () => {
  const soon = (text: string): string => {
    const found = new RemainingText(`call ${text}`, 'left').take(soonReaders);
    if (!found) return 'none';
    return found.few === undefined ? `${found.minutes}` : `${found.minutes} or ${found.few}`;
  };
  const table: Table = {
    'in 20 minutes': '20',
    'in about 20 mins': '20',
    'in 20m': '20',
    'in 2h': '120',
    'in 2 hrs': '120',
    'in an hour': '60',
    'in one hour': '60',
    'in half an hour': '30',
    'in about half an hour': '30',
    'in a quarter of an hour': '15',
    'in quarter of an hour': '15',
    'in three quarters of an hour': '45',
    'in three-quarters of an hour': '45',
    'in a few minutes': '5 or 10',
    'in few mins': '5 or 10',
    'in a few hours': '180 or 300',
    'few hours from now': '180 or 300',
    'a few minutes from now': '5 or 10',
    'in 2 and a half hours': '150',
    'in two and a half hrs': '150',
    'in five and a half minutes': '6',
    'in 1.5 hours': '90',
    'in 1,5h': '90',
    'in 2h30': '150',
    'in 2h 30m': '150',
    'in 2 hours and 15 minutes': '135',
    'in 2 hours 5 mins': '125',
    'in 2 hours and a half': '150',
    'in a couple of hours': '120',
    'in 20 minutes before': 'none',
    'in 20 minutes after': 'none',
    '20 minutes from now': '20',
    'an hour and a half from now': '90',
    'one hour from now': '60',
    'two and a half hours from now': '150',
    'in 999 minutes': '999',
    'in 1000 minutes': 'none',
    'in 20': 'none',
    'in 3 days': 'none',
    'in the hour': 'none',
    'within 20 minutes': 'none',
    'in 2.5 hours': '150',
  };
  readsAs(table, soon);
});

test('so long before or after a time that follows is a distance; before something that happens then it is a guess', () => {
  const lag = (text: string): string => {
    const rest = new RemainingText(text, 'left');
    const found = rest.take(lagReaders);
    return found ? `${found.minutes}${found.isGuess ? '?' : ''} | ${rest.words()}` : 'none';
  };
  const table: Table = {
    '30 minutes before 6pm': '-30 | 6pm',
    'an hour before 18:00': '-60 | 18:00',
    'half an hour before noon': '-30 | noon',
    'a quarter of an hour after 6pm': '15 | 6pm',
    'quarter of an hour before at 6': '-15 | at 6',
    '2h after 9': '120 | 9',
    'an hour and a half before 6pm': '-90 | 6pm',
    '10 mins prior to 6pm': '-10 | 6pm',
    '24 hours before friday 10am': '-1440 | friday 10am',
    '24 hours before friday at 10': '-1440 | friday at 10',
    '2 hours before 5 june 9:00': '-120 | 5 june 9:00',
    '1 hour before 6%': 'none',
    '1 hour before 6:5': 'none',
    '1 hour before lunch': 'none',
    'an hour before the train at 6': '-60? | before the train at 6',
    '5 minutes after my long call at 9am': '5? | after my long call at 9am',
    '5 minutes before his at 9': '-5? | before his at 9',
    '90 minutes before the very long call at 6': 'none',
    '2 hours after 18:00 tomorrow': '120 | 18:00 tomorrow',
    'an hour before midnight': '-60 | midnight',
  };
  readsAs(table, lag);
});
