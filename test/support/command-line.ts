/** The command line as a person or a program uses it, in this process. */
import { run } from '../../src/cli/cli.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Bed, startBed, VERSION } from './bed.ts';
import { createDatabase, type EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a program without our types would.
  readonly json: any;
}

interface Circumstances {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Where it is called; without a `.env` unless told. */
  readonly folder?: string;
}

export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  { clock, signal = new AbortController().signal, folder = import.meta.dirname }: Circumstances = {},
): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(words, {
    ...{ version: VERSION, folder, environment, signal, ...(clock && { clock }) },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  });
  const said = out.join('');
  return { code, out: said, err: err.join(''), json: said.startsWith('{') ? JSON.parse(said) : undefined };
}

export interface Town extends AsyncDisposable {
  readonly bed: Bed;
  readonly environment: Readonly<Record<string, string>>;
  /** With the settings and the clock of the service that is running. */
  command(...words: string[]): Promise<Outcome>;
}

/** A running service, and the command line beside it. */
export async function startTown(
  engine: EngineName,
  settings: Readonly<Record<string, string>> = {},
  clock = new FakeClock(),
): Promise<Town> {
  const database = await createDatabase(engine);
  const environment = {
    ...{ DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, long enough to be taken' },
    ...(database.folder && { DATA_DIR: database.folder }),
    ...settings,
  };
  const bed = await startBed(engine, { databaseUrl: database.url, settings: environment, clock });
  return {
    ...{ bed, environment },
    command: (...words) => runCommand(words, environment, { clock: bed.clock }),
    [Symbol.asyncDispose]: async () => {
      await bed[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}
