/**
 * The server checks of the official conformance suite, for the newest revision, and in a full run for both. The baseline names each check that fails, and
 * why it cannot pass:
 *
 * - `fixture`: it calls a tool, a prompt or a resource of the suite's own fixture server. Four checks of `server-stateless` are of
 *   this kind: an undeclared capability (a client that cannot ask gets a dry run, see mcp-client.test.ts), requests and
 *   log messages inside of a response, which this server never sends.
 * - `absent`: it calls a method of a capability that this server does not have and does not declare: subscriptions by
 *   session, completions, logging, or tasks that run on after the call.
 *
 * A check that fails for any other reason, a failure that is not in the baseline, and one that is there and no longer
 * fails, all fail the test: run with UPDATE_BASELINE=1 to see the new one.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mintToken } from '../support/agents.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';

const BASELINE = new URL('mcp-conformance.json', import.meta.url);
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const REVISIONS = sized(['2026-07-28'], ['2025-11-25', '2026-07-28']);

onlyOn('sqlite', () => {
  test('the conformance suite passes as far as the baseline says', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    await using proxy = await startProxy(address, token);
    const failures = Object.fromEntries(
      await Promise.all(REVISIONS.map(async (revision) => [revision, await failuresOf(proxy.url, revision)])),
    );
    const baseline = JSON.parse(await readFile(BASELINE, 'utf8'));
    const changed = { ...baseline, ...failures };
    if (process.env.UPDATE_BASELINE) await writeFile(BASELINE, `${JSON.stringify(changed, null, 2)}\n`);
    assert.deepEqual(changed, baseline);
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

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const REASONS: readonly [why: string, says: RegExp][] = [
  [
    'fixture',
    /There is no such (?:tool|prompt|resource)|Tool '\w+' not found|[Nn]ot testable: server (?:does|exposes)/,
  ],
  ['fixture', /Prerequisite failed|Expected InputRequiredResult|no task was created|fixture|for failing_job/],
  // It calls a tool of the fixture and waits 600 ms for the refusal, which a busy machine may send later.
  ['fixture', /Failed to receive progressive stream chunk/],
  [
    'absent',
    /Method not found|does not support (?:completions|logging|resource subscriptions)|; got -32601|extensions MUST be adv/,
  ],
];

/** The checks that fail, by scenario, each with the reason. */
async function failuresOf(url: string, revision: string): Promise<Record<string, Record<string, string>>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'conformance-'));
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--timeout', '10000', '-o', folder.path];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(suite, 'close');
  const scenarios = (await readdir(folder.path)).sort();
  assert.ok(scenarios.length > 20, `only ${scenarios.length} scenarios ran`);
  const failures: Record<string, Record<string, string>> = {};
  for (const scenario of scenarios) {
    const checks: Check[] = JSON.parse(await readFile(join(folder.path, scenario, 'checks.json'), 'utf8'));
    const failed = checks.filter(({ status }) => status === 'FAILURE').map((check) => [check.id, reasonOf(check)]);
    if (failed.length > 0)
      failures[scenario.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '')] = Object.fromEntries(failed);
  }
  return failures;
}

function reasonOf({ id, errorMessage = '' }: Check): string {
  const [why] = REASONS.find(([, says]) => says.test(errorMessage)) ?? [];
  assert.ok(why !== undefined, `${id}: ${errorMessage}`);
  return why;
}
