import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBackup, findIfDown, findLag, findMail, findOutage, findProvider } from './findings.ts';

const NOW = new Date('2026-03-20T12:00:00Z').getTime();
const engine = (lag_seconds: number, processes = 1) => ({ engine: { lag_seconds, processes, last_sweep_at: null } });
const provider = (configured: boolean, due: number, wait_seconds: number) =>
  findProvider({ provider: 'telegram', configured, due, later: 0, wait_seconds });

test('nudges need attention when they are late, or when no process sends them', () => {
  assert.equal(findLag(engine(0)).tone, 'good');
  assert.equal(findLag(engine(60)).tone, 'good');
  assert.deepEqual(findLag(engine(3_600)), {
    name: 'Nudges',
    tone: 'danger',
    text: 'The most overdue nudge is 1 hour late.',
  });
  assert.match(findLag(engine(0, 0)).text, /No process sends nudges/);
});

test('a provider needs attention when nudges wait that nobody sends', () => {
  assert.deepEqual(provider(true, 0, 0), { name: 'Telegram', tone: 'good', text: 'Nothing waits.' });
  assert.equal(provider(false, 0, 0).tone, 'soft');
  assert.match(provider(false, 1, 5).text, /^Not set up, and 1 nudge waits for it/);
  assert.deepEqual([provider(false, 1, 5).tone, provider(true, 2, 5).tone], ['danger', 'good']);
  assert.deepEqual(provider(true, 2, 600), {
    name: 'Telegram',
    tone: 'danger',
    text: '2 nudges wait, the oldest for 10 minutes.',
  });
});

test('a backup needs attention on SQLite when there is none, or when it is older than a week', () => {
  const backup = (last_backup_at: string | null, name = 'sqlite') =>
    findBackup({ last_backup_at, database: { engine: name, size_bytes: 1 } }, last_backup_at, NOW).tone;
  assert.equal(backup(null), 'danger');
  assert.equal(backup('2026-03-10T12:00:00Z'), 'danger');
  assert.equal(backup('2026-03-19T12:00:00Z'), 'good');
  assert.equal(backup(null, 'postgres'), 'soft');
});

test('an outage is told with whom it concerned', () => {
  const text = (people: number, nudges: number) =>
    findOutage({ last_outage: { from: '', to: '', people, nudges } }, 'Mon 14:05', '15:10')[0]?.text;
  assert.equal(text(2, 3), 'Away from Mon 14:05 to 15:10. 3 nudges of 2 people were late.');
  assert.equal(text(1, 1), 'Away from Mon 14:05 to 15:10. 1 nudge of 1 person was late.');
  assert.equal(text(0, 0), 'Away from Mon 14:05 to 15:10. No nudge was late.');
  assert.deepEqual(findOutage({ last_outage: null }, '', ''), []);
});

test('a service without mail needs attention', () => {
  assert.deepEqual(
    ['smtp', 'printed', 'off'].map((mail) => findMail({ mail }).tone),
    ['good', 'soft', 'danger'],
  );
});

test('held messages need attention when they run short, or when a server refuses them', () => {
  const none = {
    where: 'elsewhere',
    held: 0,
    one: 0,
    none_left: 0,
    horizon_seconds: null,
    last_moved_at: null,
    servers: [],
  };
  const held = { name: 'ntfy.sh', people: 2, failing: 0, problem: null };
  const own = { name: null, people: 1, failing: 1, problem: 'It is too old.' };
  const find = (changes: object) => findIfDown({ understudies: { ...none, ...changes } }, 'today, 14:05');
  assert.deepEqual([find({}).tone, find({ where: 'off' }).tone], ['soft', 'soft']);
  assert.deepEqual(find({ held: 2, servers: [held], horizon_seconds: 259_200 }), {
    name: 'If this service is down',
    tone: 'good',
    text: 'Messages are held for 2 people at ntfy.sh. Last moved today, 14:05, for up to 3 days.',
  });
  assert.deepEqual(find({ one: 1, none_left: 1 }), {
    name: 'If this service is down',
    tone: 'danger',
    text: '2 people have only one or none, because their server takes few more today.',
  });
  const refused = find({ held: 2, servers: [own] });
  assert.equal(refused.tone, 'danger');
  assert.match(refused.text, /1 person at servers of their own\. 1 person has none: It is too old\./);
});
