/** A real ntfy server on a port of its own, and a phone that listens to a topic. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { findProgram } from './installed-program.ts';
import { waitUntil } from './wait-until.ts';

const PROGRAM = process.env.CRESCENDO_NTFY ?? findProgram('ntfy');
const MISSING =
  'ntfy 2.27 or newer is not installed, and this test needs it: "apt-get download ntfy" with a source of Debian sid, ' +
  '"dpkg -x" it, and put usr/bin/ntfy into the PATH or its path into CRESCENDO_NTFY.';
/** The first release that replaces and deletes messages is 2.16; this is the one that was tried. */
const OLDEST = [2, 27] as const;

export interface NtfyMessage {
  readonly id: string;
  readonly event: string;
  readonly sequence_id?: string;
  /** In seconds. Of a held message: when it is to be sounded. */
  readonly time: number;
  readonly title?: string;
  readonly message?: string;
  readonly priority?: number;
  readonly click?: string;
  readonly actions?: readonly { readonly url: string }[];
}

export interface Heard extends NtfyMessage {
  readonly heardAtMs: number;
}

export interface NtfyPhone extends AsyncDisposable {
  readonly heard: readonly Heard[];
}

export class NtfyServer implements AsyncDisposable {
  readonly host: string;
  readonly origin: string;
  readonly #stop: () => Promise<void>;

  private constructor(host: string, stop: () => Promise<void>) {
    this.host = host;
    this.origin = `http://${host}`;
    this.#stop = stop;
  }

  static async start(): Promise<NtfyServer> {
    const program = findNtfy();
    const folder = mkdtempSync(join(tmpdir(), 'crescendo-ntfy-'));
    const host = `127.0.0.1:${await freePort()}`;
    const words = ['serve', '--config', '/dev/null', '--listen-http', host, '--base-url', `http://${host}`];
    const limits = ['--visitor-request-limit-exempt-hosts', '127.0.0.1', '--message-delay-limit', '3d'];
    const child = spawn(program, [...words, ...limits, '--cache-file', join(folder, 'cache.db')], { stdio: 'ignore' });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const server = new NtfyServer(host, async () => {
      process.off('exit', kill);
      kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    });
    await waitUntil(async () => (await fetch(`${server.origin}/v1/health`).catch(() => undefined))?.ok ?? false);
    return server;
  }

  publish(message: object): Promise<Response> {
    return fetch(this.origin, { method: 'POST', body: JSON.stringify(message) });
  }

  delete(topic: string, sequence: string): Promise<Response> {
    return fetch(`${this.origin}/${topic}/${sequence}`, { method: 'DELETE' });
  }

  async shown(topic: string): Promise<NtfyMessage[]> {
    return this.#poll(`${topic}/json?poll=1`);
  }

  /** What it holds, the soonest first. */
  async held(topic: string): Promise<NtfyMessage[]> {
    // Asked first: what is sounded in between is in neither answer.
    const all = await this.#poll(`${topic}/json?poll=1&sched=1`);
    const shown = new Set((await this.shown(topic)).map(({ id }) => id));
    return all.filter(({ id }) => !shown.has(id)).toSorted((a, b) => a.time - b.time);
  }

  /** A phone that is subscribed to the topic. */
  async listen(topic: string): Promise<NtfyPhone> {
    const end = new AbortController();
    const { body } = await fetch(`${this.origin}/${topic}/json`, { signal: end.signal });
    const heard: Heard[] = [];
    const listening = readLines(body, (line) => {
      const message = JSON.parse(line) as NtfyMessage;
      if (message.event === 'message') heard.push({ ...message, heardAtMs: Date.now() });
    }).catch(() => undefined);
    const dispose = async () => {
      end.abort();
      await listening;
    };
    return { heard, [Symbol.asyncDispose]: dispose };
  }

  async #poll(path: string): Promise<NtfyMessage[]> {
    const lines = (await (await fetch(`${this.origin}/${path}`)).text()).trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}

async function readLines(body: ReadableStream<Uint8Array> | null, take: (line: string) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
}

function findNtfy(): string {
  const said = PROGRAM ? spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout : '';
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(said)?.map(Number) ?? [];
  if (!PROGRAM || major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) throw new Error(MISSING);
  return PROGRAM;
}
