/**
 * The server checks of the official conformance suite, for both revisions. Most scenarios call tools, prompts and
 * resources of a fixture server that we do not have, so their failures are the baseline. A scenario that fails and is
 * not in it, fails more, or is in it and no longer fails, fails the test: run with UPDATE_BASELINE=1 to see the new one.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mintToken } from '../support/agents.ts';
import { onlyOn } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const BASELINE = new URL('mcp-conformance.json', import.meta.url);
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const REVISIONS = ['2025-11-25', '2026-07-28'];

onlyOn('sqlite', () => {
  test('the conformance suite passes as far as the baseline says, in both revisions', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await signIn(app));
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    await using proxy = await startProxy(address, token);
    const failures = Object.fromEntries(
      await Promise.all(REVISIONS.map(async (revision) => [revision, await failuresOf(proxy.url, revision)])),
    );
    const text = `${JSON.stringify(failures, null, 2)}\n`;
    if (process.env.UPDATE_BASELINE) await writeFile(BASELINE, text);
    assert.deepEqual(failures, JSON.parse(await readFile(BASELINE, 'utf8')));
  });
});

/** The suite cannot send a token, so this adds it. Everything else passes through unchanged. */
async function startProxy(address: string, token: string) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = request(new URL(incoming.url ?? '/', address), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://localhost:${port}/mcp/all`, [Symbol.asyncDispose]: close };
}

const RESULT = /^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm;

/** How many checks of each scenario fail, of those where any does. */
async function failuresOf(url: string, revision: string): Promise<Record<string, number>> {
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--timeout', '10000'];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  suite.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(suite, 'close');
  const results = [...output.matchAll(RESULT)];
  assert.ok(results.length > 20, `only ${results.length} scenarios ran\n${output.slice(-2_000)}`);
  return Object.fromEntries(
    results.flatMap(([, name = '', , failed]) => (failed === '0' ? [] : [[name, Number(failed)]])),
  );
}
