/** The command line as a person or a program uses it, in this process. */
import { tmpdir } from 'node:os';
import { run } from '../../src/cli/cli.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createDatabase, type EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { startTestApp, type TestApp, VERSION } from './test-app.ts';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a program without our types would.
  readonly json: any;
}

interface CommandOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** The working folder, which may contain a `.env`. */
  readonly folder?: string;
  /** Called with each line of standard error; `interrupt` is Ctrl-C. */
  readonly onStderr?: (line: string, interrupt: () => void) => void;
}

export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  { clock, signal, folder = tmpdir(), onStderr }: CommandOptions = {},
): Promise<CommandResult> {
  const stop = new AbortController();
  let [out, err] = ['', ''];
  const code = await run(words, {
    version: VERSION,
    folder,
    environment,
    signal: signal ?? stop.signal,
    ...(clock && { clock }),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      onStderr?.(text, () => stop.abort());
    },
  });
  return { code, out, err, json: out.startsWith('{') ? JSON.parse(out) : undefined };
}

/**
 * Await this before a command on the same SQLite file. A command that finds the file locked blocks its thread for
 * seconds. In a test that is also the service's thread, and the service then cannot finish its write.
 */
export async function waitForWrites({ engine }: TestApp): Promise<void> {
  await engine?.settled();
}

export interface CliTestApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs with the settings and the clock of the running service. */
  command(...words: string[]): Promise<CommandResult>;
}

/** A running service, and the command line on the same database. */
export async function startCliTestApp(
  engine: EngineName,
  settings: Readonly<Record<string, string>> = {},
  clock = new FakeClock(),
): Promise<CliTestApp> {
  const database = await createDatabase(engine);
  const environment = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests, long enough to be taken',
    ...(database.folder && { DATA_DIR: database.folder }),
    ...settings,
  };
  const app = await startTestApp(engine, { databaseUrl: database.url, settings: environment, clock });
  await waitForWrites(app);
  return {
    app,
    environment,
    command: (...words) => runCommand(words, environment, { clock: app.clock }),
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}
