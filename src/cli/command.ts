/** The interface of a command, and what the command line passes to it. */
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

type OptionConfig = NonNullable<ParseArgsConfig['options']>[string];

/** An option of Node's `parseArgs`, with a line for the help. */
export type Option = OptionConfig & { readonly about: string };

export interface Command {
  /** The arguments after the name: `FILE`, `[EMAIL]`. One word each; brackets mark an optional one. */
  readonly parameters: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** What the operator should know before running it. */
  readonly explanation: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** False where there is nothing for `--json` to print. */
  readonly hasResult?: boolean;
  run(call: Call): Promise<Report | undefined>;
}

export interface Call {
  readonly version: string;
  /** The values of the command's parameters, in order. */
  readonly positionals: readonly string[];
  /** A list for an option that may be given several times (`multiple`). */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** Real time, not affected by CLOCK_SPEED. */
  readonly clock: Clock;
  /** Aborted when the operator stops the command. */
  readonly signal: AbortSignal;
  /** Warnings and errors, written to standard error. */
  readonly logger: Logger;
  /** The settings as written, not validated. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** The validated settings, read at the first call. Throws where one is wrong. */
  config(): Config;
  /** Prints progress or a warning to standard error; never part of the result. */
  printStatus(line: string): void;
}

export interface Report {
  /** What `--json` prints, in the envelope of the API. */
  readonly data: object;
  /** The text that is printed without `--json`. */
  readonly text: string;
  /** The command ran and found a problem: the exit code is 1. */
  readonly failed?: boolean;
}

/** A failure that the operator can act on. The message is one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export class UsageError extends CommandError {}
