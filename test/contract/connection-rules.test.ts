/** Runs the check of connections on small sources with known violations. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CONNECTING_PACKAGES, findOpeners, SILENT_PACKAGES } from '../../scripts/connection-rules.ts';

const PROJECT = join(import.meta.dirname, '../..');

const PLANTED: readonly [source: string, opener: string][] = [
  ["await fetch('https://x.example');", 'fetch'],
  ['const call = fetch;', 'fetch'],
  ['export const call = { fetch };', 'fetch'],
  ["await globalThis.fetch('https://x.example');", 'fetch'],
  ["await globalThis['fetch']('https://x.example');", 'fetch'],
  ["new WebSocket('wss://x.example');", 'WebSocket'],
  ["new EventSource('https://x.example');", 'EventSource'],
  ["import { request } from 'node:http';", 'node:http'],
  ["import { request as createServer } from 'node:http';", 'node:http'],
  ["import { get } from 'http';", 'node:http'],
  ["import { Agent } from 'node:https';", 'node:https'],
  ["import https from 'node:https';", 'node:https'],
  ["import * as https from 'node:https';", 'node:https'],
  ["export * from 'node:https';", 'node:https'],
  ["export { request } from 'node:https';", 'node:https'],
  ["const { request } = await import('node:https');", 'node:https'],
  ["import net = require('node:net');", 'node:net'],
  ["import { isIP, connect } from 'node:net';", 'node:net'],
  ["import { Socket } from 'node:net';", 'node:net'],
  ["import { connect } from 'node:tls';", 'node:tls'],
  ["import { connect } from 'node:http2';", 'node:http2'],
  ["import { createSocket } from 'node:dgram';", 'node:dgram'],
  ["import { lookup } from 'node:dns';", 'node:dns'],
  ["import { Resolver } from 'node:dns/promises';", 'node:dns/promises'],
  ["import { spawn } from 'node:child_process';", 'node:child_process'],
  ["const net = process.getBuiltinModule('node:net');", 'getBuiltinModule'],
  ["const net = process['getBuiltinModule']('node:net');", 'getBuiltinModule'],
  ["const net = require('node:net');", 'require'],
  ["import { createRequire } from 'node:module';", 'node:module'],
  ['export const load = (name: string) => import(name);', 'a computed import'],
  ['export const load = (name: string) => import(`node:$' + '{name}`);', 'a computed import'],
  ["import { createTransport } from 'nodemailer';", 'nodemailer'],
  ["import pool from 'nodemailer/lib/smtp-pool/index.js';", 'nodemailer'],
  ["const oidc = await import('openid-client');", 'openid-client'],
  ["const { createRemoteJWKSet } = await import('jose');", 'createRemoteJWKSet'],
  ["import { HttpSender } from '../outbound/http-sender.ts';", 'HttpSender'],
  ["const { HttpSender } = await import('../outbound/http-sender.ts');", 'HttpSender'],
  ['export const call = (http: Http, url: string) => http.requestTrusted({ url });', 'requestTrusted'],
  ['export const call = (http: Http, url: string) => http.requestOnce({ url });', 'requestOnce'],
  ['export const call = ({ postJson }: Http) => postJson;', 'postJson'],
];

const HARMLESS = [
  "import { isIP, type Socket } from 'node:net';",
  "import type { Agent } from 'node:https';",
  "import { type RequestOptions } from 'node:https';",
  "import { createServer } from 'node:http';",
  'export const read = (fetch: () => void) => fetch();',
  'export const read = (handler: Handler) => handler.fetch();',
  'export class Reader { #fetch() { return this.#fetch(); } }',
  "import type { Answer } from '../outbound/http-sender.ts';",
  "import { GuardedHttp } from '../outbound/guarded-http.ts';",
  "const { jwtVerify } = await import('jose');",
  "import type { Transporter } from 'nodemailer';",
];

describe('the check of connections', () => {
  for (const [source, opener] of PLANTED)
    test(`finds ${source}`, () => assert.ok(findOpeners(source).includes(opener), String(findOpeners(source))));

  test('finds nothing where no connection is opened', () => {
    for (const source of HARMLESS) assert.deepEqual(findOpeners(source), [], source);
  });

  test('knows of every package that the service uses whether it connects', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    assert.deepEqual([...CONNECTING_PACKAGES, ...SILENT_PACKAGES].toSorted(), Object.keys(dependencies).toSorted());
  });

  test('fails on a file that is not listed, and on a listed one that needs no place', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
    try {
      symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
      mkdirSync(join(folder, 'src/tasks'), { recursive: true });
      writeFileSync(
        join(folder, 'src/tasks/tasks.service.ts'),
        "export const call = () => fetch('https://x.example');\n",
      );
      const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>();
      const script = join(PROJECT, 'scripts/check-connections.ts');
      execFile(process.execPath, [script], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error?.code, output: stdout + stderr }),
      );
      const { code, output } = await promise;
      assert.equal(code, 1);
      assert.match(output, /^src\/tasks\/tasks\.service\.ts opens connections with fetch: use GuardedHttp/m);
      assert.match(output, /^src\/watch\/heartbeat\.ts does not use fetch/m);
      assert.match(output, /too few/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
