/** The commands of README.md, pasted into a shell beside a fresh service, as a reader does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { fencedBlocks } from '../support/fenced-blocks.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** The first is an install, and the start that npm-start.test.ts tries. The second is the run that this test is part of. */
const NOT_PASTED = ['npm ci && npm start\n', 'npm cit\n'];

onlyOn('sqlite', () => {
  test('the examples of README.md work when pasted one after another, with nothing typed but the code', async () => {
    const blocks = fencedBlocks(README, 'sh');
    for (const block of NOT_PASTED) assert.ok(blocks.includes(block), block);
    const pasted = blocks.filter((block) => !NOT_PASTED.includes(block));
    assert.equal(pasted.length, 2);
    await using app = await startTestApp('sqlite');
    const { host } = new URL(await app.fastify.listen({ port: 0, host: '127.0.0.1' }));
    const shell = spawn('sh', [], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
    const closed = once(shell, 'close');
    let said = '';
    shell.stdout.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    const paste = (text = '') => shell.stdin.write(text.replaceAll('localhost:8080', host));
    paste(pasted[0]);
    await waitUntil(() => said.includes('The code: ') && app.printed.length > 0);
    paste(`${/code is (\d{6})/.exec(app.printed[0] ?? '')?.[1]}\n`);
    paste(pasted[1]);
    shell.stdin.end();
    await closed;
    const task = JSON.parse(said.slice(said.lastIndexOf('{"ok"')));
    assert.equal(task.data?.title, 'Take the medication', said);
  });
});
