/** What a command of the command line is, and what it is handed. */
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

type OptionConfig = NonNullable<ParseArgsConfig['options']>[string];

/** As `parseArgs` of Node wants it, with a line for the help. */
export type Option = OptionConfig & { readonly about: string };

export interface Command {
  /** What follows the name: `FILE`, `[EMAIL]`. One word per argument; brackets mean that it may be missing. */
  readonly parameters: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** The rest that its reader wants to know before pressing return. */
  readonly explanation: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** False where there is nothing that `--json` could print. */
  readonly hasResult?: boolean;
  run(call: Call): Promise<Report | undefined>;
}

export interface Call {
  readonly version: string;
  /** What was given for each of the parameters. */
  readonly given: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Real time. */
  readonly clock: Clock;
  /** Aborted when the person at the terminal wants to stop. */
  readonly signal: AbortSignal;
  /** For what goes wrong on the way; written to standard error. */
  readonly logger: Logger;
  /** The settings as they are written, for whoever wants to know what is wrong with them. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** The settings, read when they are first asked for; a wrong one throws. */
  config(): Config;
  /** The same settings with some of them replaced. */
  configWith(settings: Readonly<Record<string, string>>): Config;
  /** Tells the person at the terminal how far it has come; never part of the result. */
  tell(line: string): void;
}

export interface Report {
  /** For programs: what `--json` prints, in the envelope of the API. */
  readonly data: object;
  /** For people. */
  readonly text: string;
  /** The work was done, and what it found is bad news: the exit code says so. */
  readonly failed?: boolean;
}

/** What was asked for makes no sense, or cannot be had as things are: one line for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** It was called wrongly. */
export class UsageError extends CommandError {}
