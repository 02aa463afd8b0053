/** A task that counts from when it was last done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIn } from '../../test/words/repeat-in-short.ts';

const ITSELF: Readonly<Record<string, string>> = {
  'go 10 days after completion': 'daily/10 after | go',
  'go 2 weeks after the last time': 'weekly/2 after | go',
  'go 2 weeks after my previous dose': 'weekly/2 after | go',
  'go 2 weeks after our latest pill': 'weekly/2 after | go',
  'go 3 months since its prior change': 'monthly/3 after | go',
  'go 3 months following his most recent visit': 'monthly/3 after | go',
  'go 3 months from her last appointment': 'monthly/3 after | go',
  'go 3 months after their last check-up': 'monthly/3 after | go',
  'go 3 months after last checkup': 'monthly/3 after | go',
  'go a week after the last time i did it': 'weekly after | go',
  'go a week after the last time we met them': 'weekly after | go',
  'go 3 days after each time': 'daily/3 after | go',
  'go 3 days after every dose': 'daily/3 after | go',
  'go 3 days after each one': 'daily/3 after | go',
  'go 3 days after finishing': 'daily/3 after | go',
  'go 3 days after finishing it': 'daily/3 after | go',
  'go 3 days after doing it': 'daily/3 after | go',
  'go 3 days after i have done it': 'daily/3 after | go',
  'go 3 days after done': 'daily/3 after | go',
  'go 3 days after complete': 'daily/3 after | go',
  'go 3 days after completed': 'daily/3 after | go',
  "go 3 days after it's done": 'daily/3 after | go',
  "go 3 days after they've been done": 'daily/3 after | go',
  "go 3 days after I'm finished": 'daily/3 after | go',
  'go 3 days after I last did': 'daily/3 after | go',
  'go 3 days after she has last seen him': 'daily/3 after | go',
  'go 3 days after you last washed that': 'daily/3 after | go',
  'go 3 days after i did it': 'daily/3 after | go',
  'go 3 days after we do it last': 'daily/3 after | go',
  'go 3 days after i did the last one': 'daily/3 after | go',
  'go 3 days after we took it last': 'daily/3 after | go',
  'go 3 days after when i last did it': 'daily/3 after | go',
};

test('words for the task itself leave no doubt', () => assert.deepEqual(readIn(ITSELF), ITSELF));

const PERHAPS: Readonly<Record<string, string>> = {
  'mow lawn 3 days after last mowing': 'daily/3 after | mow lawn',
  'mow lawn 3 days after each mow': 'daily/3 after | mow lawn',
  'mow lawn 3 days after every mow, Bo': 'daily/3 after | mow lawn, Bo',
  'mow lawn 3 days after every mow is done': 'none | mow lawn 3 days after every mow is done',
  'mow lawn 3 days after i mow it': 'daily/3 after | mow lawn',
  'mow lawn 3 days after we mow them': 'daily/3 after | mow lawn',
  'mow lawn 3 days after it was mowed': 'daily/3 after | mow lawn',
  "mow lawn 3 days after they've been mowed": 'daily/3 after | mow lawn',
  "mow lawn 3 days after it's mowed": 'daily/3 after | mow lawn',
  'mow lawn 3 days after mowing': 'daily/3 after | mow lawn',
  'mow lawn 3 days after mowing it': 'daily/3 after | mow lawn',
  'mow lawn 3 days after mowing them': 'daily/3 after | mow lawn',
  'go 3 days after mowing': 'none | go 3 days after mowing',
  'go 3 days after last mowing': 'daily/3 after | ?words | go',
  'go 3 days after it was mowed': 'none | go 3 days after it was mowed',
  'go 3 days after i mow it': 'none | go 3 days after i mow it',
  'go 3 days after each mow': 'none | go 3 days after each mow',
  'water plants 2 days after last watering': 'daily/2 after | water plants',
  'clean oven 2 months after i cleaned it': 'monthly/2 after | clean oven',
  'cleanup 2 months after cleaning': 'monthly/2 after | cleanup',
  'change oil 2 months after i changed it': 'monthly/2 after | change oil',
  'dry hair 2 days after drying it': 'daily/2 after | dry hair',
  'iron 5 days after it was ironed': 'daily/5 after | iron',
  'eat 5 days after eating': 'daily/5 after | eat',
  'xeat 5 days after eating': 'none | xeat 5 days after eating',
  'backup 7 days after the last backup': 'daily/7 after | backup',
  'call clerk 3 days after cleaning': 'none | call clerk 3 days after cleaning',
  'sled with Bo 5 days after sledding': 'daily/5 after | sled with Bo',
  'ran 5 days after running': 'none | ran 5 days after running',
  'run 5 days after running': 'daily/5 after | run',
};

test('another word means the task if its title has it, may after “last”, and is something else otherwise', () =>
  assert.deepEqual(readIn(PERHAPS), PERHAPS));

const PAST: Readonly<Record<string, string>> = {
  'go 2 days after last friday': 'none | go 2 days after last friday',
  'go 2 days after the last week': 'none | go 2 days after the last week',
  'go 2 days after last month': 'none | go 2 days after last month',
  'go 2 days after last of may': 'none | go 2 days after last of may',
  'go 2 days after the last night': 'none | go 2 days after the last night',
  'go 2 days after last weekend': 'none | go 2 days after last weekend',
  'go 2 days after the last years': 'none | go 2 days after the last years',
  'go 2 days after the last dayshift': 'daily/2 after | ?words | go',
};

test('a unit or a day after “last” is the past', () => assert.deepEqual(readIn(PAST), PAST));

const UNITS: Readonly<Record<string, string>> = {
  'go 5 mins after the last dose': 'minutely/5 after | go',
  'go 5 minutes after the last dose': 'minutely/5 after | go',
  'go 5 hrs after the last dose': 'hourly/5 after | go',
  'go 5 h after the last dose': 'hourly/5 after | go',
  'go 2 fortnights after the last dose': 'weekly/4 after | go',
  'go 2 quarters after the last dose': 'monthly/6 after | go',
  'go 2 years after the last dose': 'yearly/2 after | go',
  'go couple of days after the last dose': 'daily/2 after | go',
};

test('the units of time', () => assert.deepEqual(readIn(UNITS), UNITS));

const BESIDE: Readonly<Record<string, string>> = {
  'every 3 days after completion go': 'daily/3 after | go',
  'go every 3 days when done': 'daily/3 after | go',
  'go every 3 days once it is done': 'daily/3 after | go',
  'go every 3 days from completion': 'daily/3 after | go',
  'go every 3 days since i last did it': 'daily/3 after | go',
  'go every 3 days after i complete': 'daily/3 after | go',
  'go every 3 days after we finish it': 'daily/3 after | go',
  'go every 3 days after completing it': 'daily/3 after | go',
  'go every 3 days after taken': 'daily/3 after | go',
  'go every 6 hours after it was taken': 'hourly/6 after | go',
  'go every 6 hours after taking it': 'hourly/6 after | go',
  'go every 6 hours after i take one': 'hourly/6 after | go',
  'go every 6 hours after we took them': 'hourly/6 after | go',
  'go every 6 hours between 8 and 20 after taking it': 'hourly/6 after within 08:00-20:00 | go',
  'go every 3 days after lunch': 'daily/3 | go after lunch',
};

test('beside a rule the words say that it counts from completion', () => assert.deepEqual(readIn(BESIDE), BESIDE));
