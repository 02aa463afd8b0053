/** The service as a process: how it starts, how it stops, and what it prints when it cannot start. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { runCommand } from '../support/command-line.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { failToStart, type ServiceProcess, startService } from '../support/service-process.ts';
import { IS_FULL, testInFull } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';

const SECRET_KEY = 'a key for tests, long enough to be taken';
/** Asks no database. */
const LIVE = 'GET /health/live HTTP/1.1\r\nhost: test\r\n\r\n';
/** Requests in parts: one is split within its headers, one within its body. Both need the database. */
const HEALTH = ['GET /health HTTP/1.1\r\nhost: test\r\n', '\r\n'] as const;
const SIGN_IN = [
  'POST /v1/auth/email/request HTTP/1.1\r\nhost: test\r\nconnection: close\r\n' +
    'expect: 100-continue\r\ncontent-length: 25\r\n\r\n',
  '{"email":',
  '"ada@x.example"}',
] as const;

/** A service on its own database. It has answered one request, so the start is complete. */
async function startOnDatabase(engine: EngineName, throughProxy?: (url: string) => string, settings = {}) {
  await using parts = new AsyncDisposableStack();
  const database = parts.adopt(await createDatabase(engine), ({ drop }) => drop());
  const url = throughProxy?.(database.url) ?? database.url;
  const environment = { DATABASE_URL: url, SECRET_KEY, HOST: '127.0.0.1', ...settings };
  const service = parts.use(await startService(environment));
  assert.equal((await fetch(`${service.baseUrl}/health`)).status, 200);
  const owned = parts.move();
  return { service, database, environment, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A plain connection, on which a request can be sent in parts. */
async function dial(service: ServiceProcess): Promise<Socket> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  await once(socket, 'connect');
  // The next read reports an error; until then it must not end the test process.
  socket.on('error', () => undefined);
  return socket;
}

async function hear(socket: Socket, expected: RegExp): Promise<void> {
  const tooLong = AbortSignal.timeout(10_000);
  for (let received = ''; !expected.test(received); ) {
    const [chunk] = await once(socket, 'data', { signal: tooLong });
    received += chunk;
  }
}

async function readToEnd(socket: Socket): Promise<string> {
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}

/** Each attempt is accepted or refused at once, so the loop needs no sleep. */
async function untilItRefusesConnections(service: ServiceProcess): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    const socket = await dial(service).catch(() => undefined);
    if (!socket) return;
    socket.destroy();
  }
  assert.fail('it still accepts connections');
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Every command reads the settings and opens the database as the service does; only a full run starts a process for each. */
async function failToOpen(environment: Readonly<Record<string, string>>, inProcess = IS_FULL) {
  if (!inProcess) return runCommand(['migrate'], environment);
  const { code, stdout, stderr } = await failToStart(environment);
  return { code, out: stdout, err: stderr };
}

function assertOneLine(text: string): void {
  assert.match(text, /^[^\n]+\n$/);
}

onEveryEngine((engine, it) => {
  it('the start prints the addresses of the app, the docs and the guide, and each of them answers', async () => {
    await using started = await startOnDatabase(engine);
    const { service } = started;
    for (const place of ['app', 'docs', 'guide']) {
      const [, address] = new RegExp(`^ {2}${place} +(\\S+)$`, 'm').exec(service.stdout) ?? [];
      assert.equal(address, `${service.baseUrl}/${place}`);
      assert.equal((await fetch(address)).status, 200, place);
    }
    assert.match(service.stdout, engine === 'sqlite' ? /^ {2}data .*crescendo\.db$/m : /^ {2}data {3}PostgreSQL$/m);
    assert.equal(service.stderr, '');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} refuses new connections, closes idle ones, answers what has arrived in part, and exits with 0`, async () => {
      await using started = await startOnDatabase(engine);
      const { service, database } = started;
      const kept = await dial(service);
      kept.write(HEALTH.join(''));
      await hear(kept, /^HTTP\/1\.1 200 OK\r\n.*keep-alive.*"database":"ok"/s);
      const idle = [kept, await dial(service)];
      const health = await dial(service);
      health.write(HEALTH[0]);
      const signIn = await dial(service);
      signIn.write(SIGN_IN[0]);
      // Connections are accepted in order, so the first half of the earlier request has arrived too.
      await hear(signIn, /100 Continue/);
      signIn.write(SIGN_IN[1]);
      const idleClosed = Promise.all(idle.map(readToEnd));
      const stopped = service.stop(signal);
      await untilItRefusesConnections(service);
      // A stop that waits for them closes the others with them, and those get no answer.
      await idleClosed;
      // Both are read from here on: a socket whose listener was removed drops what arrives.
      const answers = Promise.all([readToEnd(health), readToEnd(signIn)]);
      health.write(HEALTH[1]);
      signIn.write(SIGN_IN[2]);
      const [healthAnswer, signInAnswer] = await answers;
      assert.match(healthAnswer, /^HTTP\/1\.1 200 OK\r\n.*"database":"ok"/s);
      assert.match(signInAnswer, /^HTTP\/1\.1 200 OK\r\n.*"sent":true/s);
      assert.deepEqual(await stopped, { code: 0, signal: null });
      assert.equal(service.stderr, '');
      const file = database.url.replace('sqlite:', '');
      for (const side of ['-wal', '-shm']) assert.ok(!existsSync(file + side), `${side} was left behind`);
      await using _again = await startTestApp(engine, { databaseUrl: database.url });
    });
  }
});

onlyOn('sqlite', () => {
  test('a second process on the same file exits with one line and disturbs nothing; after a kill the next opens it at once', async () => {
    await using started = await startOnDatabase('sqlite');
    const { service, environment } = started;
    const second = await failToStart(environment);
    assert.equal(second.code, 1);
    assertOneLine(second.stderr);
    assert.match(second.stderr, /^DATABASE_URL: another process already has .*crescendo\.db open\.$/m);
    assert.equal((await fetch(`${service.baseUrl}/health`)).status, 200);
    await service.stop('SIGKILL');
    await using next = await startService(environment);
    assert.equal((await fetch(`${next.baseUrl}/health`)).status, 200);
  });

  test('a port in use ends the start with one line that names PORT', async () => {
    await using taken = createServer();
    const port = await listen(taken);
    const { code, stdout, stderr } = await failToStart({ HOST: '127.0.0.1', PORT: String(port) });
    assert.deepEqual([code, stdout], [1, '']);
    assertOneLine(stderr);
    assert.match(stderr, /PORT is already taken/);
  });

  testInFull(
    'the printed address answers although BASE_URL leads to other machines and HOST does not, and the log says what to set',
    async () => {
      await using service = await startService({ BASE_URL: 'http://192.0.2.1:8080', PORT: '0' });
      assert.equal((await fetch(`${service.baseUrl}/health`)).status, 200);
      assert.match(service.stdout, /other machines cannot reach http:\/\/192\.0\.2\.1:8080.* Set HOST=0\.0\.0\.0/);
      assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
    },
  );

  test('the launcher starts the same service; a .env file in its folder is read, and the environment wins over it', async () => {
    const files = { '.env': '# ours\nHOST=127.0.0.1\nDATABASE_URL="sqlite:from-the-file.db"\nLOG_LEVEL=loud\n' };
    await using service = await startService({ LOG_LEVEL: 'silent' }, { files, entry: 'bin/crescendo.js' });
    assert.match(service.baseUrl, /^http:\/\/127\.0\.0\.1:/);
    assert.match(service.stdout, /^ {2}data {3}from-the-file\.db$/m);
    assert.equal((await fetch(`${service.baseUrl}/health`)).status, 200);
    assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
  });

  for (const entry of ['bin/crescendo.js', 'src/main.ts'] as const) {
    test(`${entry} reports a Node.js that is too old in one line`, async () => {
      const { code, stdout, stderr } = await failToStart({}, { entry, nodeFlags: ['--import', oldNode(entry)] });
      assert.deepEqual([code, stdout], [1, '']);
      assertOneLine(stderr);
      assert.match(stderr, /^Crescendo needs Node\.js 26 or newer and this is v20\.20\.2\./);
    });
  }

  test('a service with a wrong setting does not start', async () => {
    const { code, stdout, stderr } = await failToStart({ PORT: 'abc' });
    assert.deepEqual([code, stdout], [1, '']);
    assertOneLine(stderr);
    assert.match(stderr, /^PORT is /);
  });
});

onlyOn('postgres', () => {
  test('a request that waits for the database when the signal arrives is answered before the exit', async () => {
    await using proxy = await startHoldingProxy();
    // Without an engine, so that only the request uses the database.
    await using started = await startOnDatabase('postgres', proxy.inFrontOf, { ROLE: 'api' });
    const waiting = await dial(started.service);
    waiting.write(LIVE);
    await hear(waiting, /^HTTP\/1\.1 200 OK/);
    proxy.hold();
    waiting.write(`${HEALTH[0]}connection: close\r\n\r\n`);
    await proxy.asked;
    // The process may have asked for a reason of its own. But what is answered now arrived after the request.
    const later = await dial(started.service);
    later.write(LIVE);
    await hear(later, /^HTTP\/1\.1 200 OK/);
    later.destroy();
    const stopped = started.service.stop('SIGTERM');
    await untilItRefusesConnections(started.service);
    proxy.release();
    assert.match(await readToEnd(waiting), /^HTTP\/1\.1 200 OK\r\n.*"database":"ok"/s);
    assert.deepEqual(await stopped, { code: 0, signal: null });
  });

  describe('a PostgreSQL that cannot be reached ends the start with one line, without the password', {
    concurrency: 4,
  }, () => {
    const servers: [string, ((socket: Socket) => void) | undefined][] = [
      ['the port is closed', undefined],
      ['the listener closes every connection', (socket) => socket.destroy()],
      ['the listener never answers', (socket) => socket.resume()],
    ];
    for (const [situation, answer] of servers) {
      test(situation, async () => {
        await using server = createServer(answer);
        const port = await listen(server);
        if (!answer) server.close();
        const url = `postgres://u:hunter2@127.0.0.1:${port}/d`;
        assertUnreachable(await failToOpen({ DATABASE_URL: url, SECRET_KEY }, IS_FULL || !answer));
      });
    }

    test('the host name is unknown', async () => {
      assertUnreachable(await failToOpen({ DATABASE_URL: 'postgres://u:hunter2@database.invalid/d', SECRET_KEY }));
    });
  });
});

/** A module that makes this Node.js look like an old one: by its version, and because it cannot load TypeScript. */
function oldNode(entry: string): string {
  const source = `
    import { registerHooks } from 'node:module';
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
    Object.defineProperty(process, 'version', { value: 'v20.20.2' });
    registerHooks({
      load(url, context, next) {
        if (url.endsWith('.ts') && !url.endsWith('${entry}')) throw new Error('Unknown file extension ".ts"');
        return next(url, context);
      },
    });`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function assertUnreachable({ code, out, err }: Awaited<ReturnType<typeof failToOpen>>): void {
  assert.deepEqual([code, out], [1, '']);
  assertOneLine(err);
  assert.match(err, /^The database cannot be reached: \S.*\.$/m);
  assert.doesNotMatch(err, /hunter2/);
}

/** A proxy between the service and PostgreSQL. After `hold`, it delays everything the service sends until `release`. */
async function startHoldingProxy() {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let holding = false;
  let target: URL | undefined;
  const server = createServer((service) => {
    const postgres = connect(Number(target?.port), target?.hostname);
    for (const socket of [service, postgres]) socket.on('error', () => service.destroy());
    postgres.pipe(service);
    service.on('end', () => postgres.end());
    service.on('data', async (chunk) => {
      if (holding) {
        asked.resolve();
        await released.promise;
      }
      postgres.write(chunk);
    });
  });
  const port = String(await listen(server));
  return {
    asked: asked.promise,
    release: released.resolve,
    hold: () => {
      holding = true;
    },
    inFrontOf: (url: string) => {
      target = new URL(url);
      return Object.assign(new URL(url), { port }).href;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
