/** How a service gets its first administrator: by the word in its terminal, and not by coming first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startCliTestApp } from '../support/command-line.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

const PLACES = ['http://192.168.1.5:8080', 'http://localhost:8080', 'https://crescendo.example'];

const claim = (person: Person, word: string | undefined) => person.ask('POST', '/v1/claim', { word });
const isAdmin = async (person: Person) => (await person.ask('GET', '/v1/admin')).status === 200;
const refusalOf = ({ status, body }: Answer) => [status, body.error?.split(':')[0]];
const canClaim = async (person: Person) => (await person.ask('GET', '/app/session')).body.data.can_claim;

function wordOf({ claimWord }: TestApp): string {
  assert.match(claimWord ?? '', /^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/);
  return claimWord ?? '';
}

/** Everything that a copy of the database shows. */
async function dump({ db }: TestApp): Promise<string> {
  const tables = await db.introspection.getTables();
  const rows = tables.map(async ({ name }) => (await sql`select * from ${sql.table(name)}`.execute(db)).rows);
  return JSON.stringify(await Promise.all(rows));
}

onEveryEngine((engine, it) => {
  it('nobody administers by coming first, wherever the service is', async () => {
    for (const BASE_URL of PLACES) {
      await using app = await startTestApp(engine, { settings: { BASE_URL } });
      const [first, second] = [await createPerson(app), await createPerson(app)];
      assert.deepEqual([await isAdmin(first), await isAdmin(second)], [false, false], BASE_URL);
    }
  });

  it('who enters the word administers; it is good once, in any case and spacing', async () => {
    await using app = await startTestApp(engine);
    const word = wordOf(app);
    const [ada, eve] = [await createPerson(app), await createPerson(app)];
    assert.deepEqual([await canClaim(ada), await canClaim(eve)], [true, true]);
    assert.deepEqual(refusalOf(await claim(eve, 'AAAAA-AAAAA-AAAAA-AAAAA')), [403, 'wrong_claim_word']);
    const spelled = ` ${word.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
    assert.equal((await claim(ada, spelled)).status, 200);
    assert.deepEqual([await isAdmin(ada), await canClaim(ada), await canClaim(eve)], [true, false, false]);
    assert.deepEqual(refusalOf(await claim(eve, word)), [409, 'already_claimed']);
    assert.equal(await isAdmin(eve), false);
    const lines = app.log.filter(({ action }) => action === 'claim').map(({ result, user_id }) => [result, user_id]);
    assert.deepEqual(lines, [
      ['wrong_claim_word', eve.userId],
      ['ok', ada.userId],
      ['already_claimed', eve.userId],
    ]);
  });

  it('wrong words are bounded for the account that enters them, and the right one is always accepted', async () => {
    await using app = await startTestApp(engine);
    const [ada, eve] = [await createPerson(app), await createPerson(app)];
    for (let tries = 0; tries < 10; tries += 1) assert.equal((await claim(eve, `wrong ${tries}`)).status, 403);
    assert.deepEqual(refusalOf(await claim(eve, 'wrong')), [429, 'too_many_attempts']);
    assert.deepEqual(refusalOf(await claim(ada, 'wrong')), [403, 'wrong_claim_word']);
    assert.equal((await claim(eve, wordOf(app))).status, 200);
  });

  it('neither the database nor the log contains the word', async () => {
    await using app = await startTestApp(engine);
    const word = wordOf(app);
    const told = `${await dump(app)} ${JSON.stringify(app.log)} ${app.printed.join()}`;
    assert.ok(!told.includes(word) && !told.includes(word.replaceAll('-', '')));
  });

  test('all processes and starts have one word until it is used, and of two who enter it one administers', async () => {
    const database = await createDatabase(engine);
    await using closing = new AsyncDisposableStack();
    closing.defer(() => database.drop());
    const options = { databaseUrl: database.url };
    const first = await startTestApp(engine, options);
    const word = wordOf(first);
    await first.close();
    const app = closing.use(await startTestApp(engine, options));
    assert.equal(app.claimWord, word);
    if (engine === 'postgres') assert.equal(closing.use(await startTestApp(engine, options)).claimWord, word);
    const people = [await createPerson(app), await createPerson(app)];
    const answers = await Promise.all(people.map((person) => claim(person, word)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const admins = await Promise.all(people.map(isAdmin));
    assert.deepEqual(admins.sort(), [false, true]);
  });

  it('a word that was shown before a rotation of keys is right after it, for as long as the older key is there', async () => {
    const database = await createDatabase(engine);
    await using closing = new AsyncDisposableStack();
    closing.defer(() => database.drop());
    const [older, newer] = ['an older key for tests that is long enough', 'a newer key for tests that is long enough'];
    const begin = (settings: Record<string, string>) =>
      startTestApp(engine, { databaseUrl: database.url, settings: { PRINT_MAIL: 'true', ...settings } });
    const before = await begin({ SECRET_KEY: older });
    const word = wordOf(before);
    await before.close();
    const app = closing.use(await begin({ SECRET_KEY: newer, SECRET_KEY_OLD: older }));
    assert.notEqual(wordOf(app), word);
    const ada = await createPerson(app);
    assert.equal((await claim(ada, word)).status, 200);
    assert.equal(await isAdmin(ada), true);
  });

  it('a service that has an administrator, or names one in ADMINS, has no word', async () => {
    await using named = await startTestApp(engine, { settings: { ADMINS: 'boss@home.test' } });
    assert.equal(named.claimWord, undefined);
    const database = await createDatabase(engine);
    await using closing = new AsyncDisposableStack();
    closing.defer(() => database.drop());
    const before = await startTestApp(engine, { databaseUrl: database.url });
    const word = wordOf(before);
    const [ada, eve] = [await createPerson(before), await createPerson(before)];
    await before.db.updateTable('users').set({ is_admin: true }).where('id', '=', ada.userId).execute();
    assert.deepEqual(refusalOf(await claim(eve, word)), [409, 'already_claimed']);
    await before.close();
    const after = closing.use(await startTestApp(engine, { databaseUrl: database.url }));
    assert.equal(after.claimWord, undefined);
    await after.db.updateTable('users').set({ is_admin: false }).execute();
    await after.close();
    const again = closing.use(await startTestApp(engine, { databaseUrl: database.url }));
    assert.notEqual(wordOf(again), word, 'a word that was shown once is not shown again');
  });

  it('the first account of a private service of an older release still administers, as long as it is private', async () => {
    const of = async (BASE_URL: string) => {
      await using app = await startTestApp(engine, { settings: { BASE_URL } });
      const [first, second] = [await createPerson(app), await createPerson(app)];
      await app.db.updateTable('users').set({ first_account: true }).where('id', '=', first.userId).execute();
      return [await isAdmin(first), await isAdmin(second)];
    };
    assert.deepEqual(await of('http://192.168.1.5:8080'), [true, false]);
    assert.deepEqual(await of('https://crescendo.example'), [false, false]);
  });

  it('the command line shows the word that the service shows', async () => {
    await using cli = await startCliTestApp(engine);
    const shown = await cli.command('claim');
    assert.ok(shown.out.includes(wordOf(cli.app)), shown.out);
    assert.equal((await cli.command('claim', '--json')).json.data.word, cli.app.claimWord);
    const ada = await createPerson(cli.app);
    assert.equal(await canClaim(ada), true);
    await cli.command('user', 'admin', ada.userId);
    assert.equal(await canClaim(ada), false, 'the app asks nobody for a word that is good for nothing');
    const { out, json } = await cli.command('claim', '--json');
    assert.equal(json.data.word, null, out);
    assert.deepEqual(refusalOf(await claim(await createPerson(cli.app), cli.app.claimWord)), [409, 'already_claimed']);
  });
});
