import assert from 'node:assert/strict';
import { mkdtemp, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCliTestApp, waitForWrites } from '../support/command-line.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FOLDER as FIXTURES, todoistRows } from '../support/move-in.ts';
import { createPerson } from '../support/people.ts';

onEveryEngine((engine, it) => {
  it('a command previews a file as JSON, imports it into an account beside the service, once, and says what is wrong', async () => {
    await using cli = await startCliTestApp(engine);
    const { app, command } = cli;
    const ada = await createPerson(app);
    const file = join(await mkdtemp(join(tmpdir(), 'move-in-')), 'Home.csv');
    const rows = Array.from({ length: 40 }, (_, index) => [`task ${index}`, 'Oct 5 2027'] as const);
    await writeFile(file, todoistRows(...rows, ['overdue', 'Jan 5 2026']));
    await waitForWrites(app);
    const seen = await command('import', file, '--user', ada.email, '--preview', '--json');
    assert.deepEqual([seen.code, seen.json.data.source, seen.json.data.tasks], [0, 'todoist', 41]);
    const waiting = async () => (await app.db.selectFrom('move_in_pages').select('page').execute()).length;
    assert.equal(await waiting(), 0, 'what is only looked at is not kept');
    const titles = async () => (await ada.ask('GET', '/v1/tasks')).body.data.length;
    assert.equal(await titles(), 0);
    await waitForWrites(app);
    const choices = ['--ladder', 'gentle', '--label', 'Home = household'];
    const done = await command('import', file, '--user', ada.email, ...choices);
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /^25 of 41 tasks$/m);
    const { body } = await ada.ask('GET', '/v1/tasks');
    const { body: ladder } = await ada.ask('GET', `/v1/tasks/${body.data[0].id}/ladder`);
    assert.equal(ladder.data.from, 'task');
    assert.deepEqual(new Set(body.data.map((task: { kind: string }) => task.kind)), new Set(['household']));
    assert.match(done.out, /^41 of 41 tasks were imported for .*\n1 were overdue: they ring only after/);
    assert.equal(await titles(), 41);
    await waitForWrites(app);
    const again = await command('import', file, '--user', ada.userId, '--json');
    const { imported, already_there, source } = again.json.data;
    assert.deepEqual([imported, already_there, source], [0, 41, 'todoist']);
    await waitForWrites(app);
    const elsewhere = await command('import', file, '--user', ada.email, '--label', 'Work=office');
    assert.deepEqual(
      [elsewhere.code, elsewhere.err.trim()],
      [1, 'There is no list “Work” in the file. Its lists: Home'],
    );
    assert.equal(await waiting(), 0);
    await writeFile(file, 'nothing known');
    const large = `${file}.large`;
    await writeFile(large, '');
    await truncate(large, 50 * 1024 * 1024 + 1);
    for (const [words, code, said] of [
      [['import', file, '--user', ada.email], 1, /^This file is none that is known/],
      [['import', file], 2, /^--user is missing/],
      [['import', `${file}.not`, '--user', ada.email], 1, /^There is no file/],
      [['import', file, '--user', ada.email, '--ladder', 'steep'], 2, /^--ladder is one of/],
      [['import', file, '--user', ada.email, '--label', 'household'], 2, /^--label is LIST=LABEL/],
      [['import', file, '--user', ada.email, '--label', `Home=${'x'.repeat(101)}`], 2, /^--label is LIST=LABEL/],
      [['import', large, '--user', ada.email], 1, /has more than 50 MB/],
    ] as const) {
      const { code: given, err } = await command(...words);
      assert.deepEqual([given, said.test(err)], [code, true], err);
    }
  });

  it('a command brings what is open, or with --all what is done too, and a list may have “=” in its name', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await createPerson(cli.app);
    const bring = async (file: string, ...options: string[]) => {
      await waitForWrites(cli.app);
      const { json, err } = await cli.command('import', file, '--user', ada.userId, '--json', ...options);
      assert.ok(json, err);
      return [json.data.imported, json.data.already_there];
    };
    const google = join(FIXTURES, 'google-tasks.json');
    assert.deepEqual(await bring(google), [3, 0]);
    assert.deepEqual(await bring(google, '--all'), [1, 3]);
    const file = join(await mkdtemp(join(tmpdir(), 'move-in-')), 'a=b.csv');
    await writeFile(file, todoistRows(['Milk']));
    assert.deepEqual(await bring(file, '--label', 'a=b=c'), [1, 0]);
    const { body } = await ada.ask('GET', '/v1/tasks');
    const labelled = body.data.filter(({ kind }: { kind: string }) => kind === 'c');
    assert.deepEqual([labelled.length, labelled[0]?.title], [1, 'Milk']);
  });

  it('a preview in words names twenty of what it has, says how much more there is, and imports nothing', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await createPerson(cli.app);
    const file = join(await mkdtemp(join(tmpdir(), 'move-in-')), 'Home.csv');
    const rules = Array.from({ length: 21 }, (_, index) => [`rule ${index}`, 'every day at 9am'] as const);
    const strange = Array.from({ length: 23 }, (_, index) => [`odd ${index}`, 'when pigs fly'] as const);
    await writeFile(file, todoistRows(...rules, ...strange));
    await cli.app.engine?.stop();
    const { out, code } = await cli.command('import', file, '--user', ada.email, '--preview');
    assert.equal(code, 0);
    const lines = out.split('\n');
    assert.match(lines[0] ?? '', /^todoist: 44 tasks, 44 open, 0 overdue, 21 repeating, 0 there already$/);
    assert.equal(lines[1], 'Its lists: Home');
    assert.match(lines[2] ?? '', /^ {2}rule 0: .+ \(2026-03-0\d 09:00, .* UTC\)$/);
    assert.deepEqual([lines[21]?.slice(0, 9), lines[22]], ['  rule 19', 'not understood']);
    assert.match(lines[23] ?? '', /^ {2}row 23: odd 0: /);
    assert.deepEqual(lines.slice(43), ['  and 3 more: --json has them', 'Nothing was imported.', '']);
    assert.deepEqual((await ada.ask('GET', '/v1/tasks')).body.data, []);
  });
});
