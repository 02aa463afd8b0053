/**
 * The command line: finds the command, reads what was given to it, prints what it reports.
 *
 * Results go to standard output, everything else to standard error. Exit codes: 0 it was done,
 * 1 it was not or what it found is bad, 2 it was called wrongly.
 */
import { parseArgs } from 'node:util';
import { type Config, loadConfig, readEnvironment } from '../config.ts';
import { explain } from '../explain.ts';
import { failure, ok } from '../http/envelope.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createLogger } from '../lib/logger.ts';
import { type Call, type Command, type Option, type Report, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { helpFor, overview } from './help.ts';

export interface Terminal {
  readonly version: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Real time, unless a test brings its own. */
  readonly clock?: Clock;
  out(text: string): void;
  err(text: string): void;
}

const HELP: Option = { type: 'boolean', short: 'h', about: 'Show this' };
const JSON_OPTION: Option = { type: 'boolean', about: 'Print the result for programs' };

/** Understood by every command that has a result. */
const commonFor = ({ hasResult = true }: Command): Readonly<Record<string, Option>> => ({
  help: HELP,
  ...(hasResult && { json: JSON_OPTION }),
});

const FAILED = 1;
const MISUSED = 2;

/** Resolves with the exit code. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  // What stands behind "--" is meant literally, whatever it looks like.
  const options = words.slice(0, words.indexOf('--') >>> 0);
  const isForPrograms = options.includes('--json');
  const { version } = terminal;
  if (options.includes('--version')) return print(terminal, { data: { version }, text: version }, isForPrograms);
  try {
    const found = await findCommand(words);
    if (!found) return print(terminal, await listCommands(words), isForPrograms);
    const { name, command, rest } = found;
    const call = readWords(command, rest);
    if (call.options.help) return print(terminal, helpOf(helpFor(name, command, commonFor(command))), isForPrograms);
    requireParameters(command, call.given);
    const report = await command.run(callOf(terminal, call.options, call.given));
    return print(terminal, report, isForPrograms);
  } catch (error) {
    const line = explain(error);
    if (isForPrograms) terminal.out(`${JSON.stringify(failure(codeOf(error), line))}\n`);
    else terminal.err(`${line}\n`);
    return error instanceof UsageError ? MISUSED : FAILED;
  }
}

/** A command's name is one word or two. Without any, the service is meant. */
async function findCommand(words: readonly string[]) {
  const names = words.slice(0, words.findIndex((word) => word.startsWith('-')) >>> 0);
  if (words.length === 0) return load('serve', []);
  for (const length of [2, 1]) {
    const name = names.slice(0, length).join(' ');
    if (names.length >= length && Object.hasOwn(commands, name)) return load(name, words.slice(length));
  }
  return undefined;
}

async function load(name: string, rest: readonly string[]) {
  const command = await (commands[name] as () => Promise<Command>)();
  return { name, command, rest };
}

/** `crescendo --help`, `crescendo user --help`, or something that is no command. */
async function listCommands(words: readonly string[]): Promise<Report> {
  const [first = ''] = words;
  const isFamily = Object.keys(commands).some((name) => name.startsWith(`${first} `));
  const wantsHelp = first === 'help' || words.includes('--help') || words.includes('-h');
  const isKnown = first.startsWith('-') || first === 'help' || isFamily;
  if (isKnown && wantsHelp) return helpOf(await overview(isFamily ? `${first} ` : ''));
  const unknown = isFamily ? `"${first}" wants to be followed by more` : `There is no command "${first}"`;
  throw new UsageError(`${unknown}: see "crescendo ${isFamily ? `${first} ` : ''}--help".`);
}

const helpOf = (help: string): Report => ({ data: { help }, text: help });

function readWords(command: Command, rest: readonly string[]) {
  const known = { ...commonFor(command), ...command.options };
  try {
    const { values, positionals } = parseArgs({ args: [...rest], options: known, allowPositionals: true });
    return { options: values as Call['options'], given: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function requireParameters({ parameters }: Command, given: readonly string[]): void {
  const needed = parameters.filter((parameter) => !parameter.startsWith('['));
  const missing = needed[given.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const empty = needed.find((_, index) => given[index] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty.`);
  const surplus = given[parameters.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many.`);
}

function callOf(terminal: Terminal, options: Call['options'], given: readonly string[]): Call {
  let config: Config | undefined;
  const environment = () => readEnvironment(terminal.folder, terminal.environment);
  const configWith = (settings: Readonly<Record<string, string>>) => loadConfig({ ...environment(), ...settings });
  return {
    ...{ version: terminal.version, options, given, signal: terminal.signal, environment, configWith },
    clock: terminal.clock ?? systemClock(),
    logger: createLogger('warn', { write: (line) => terminal.err(line) }),
    config: () => {
      config ??= loadConfig(environment());
      return config;
    },
    tell: (line) => terminal.err(`${line}\n`),
  };
}

function print(terminal: Terminal, report: Report | undefined, isForPrograms: boolean): number {
  if (!report) return 0;
  const text = isForPrograms ? JSON.stringify(ok(report.data)) : report.text;
  terminal.out(text.endsWith('\n') ? text : `${text}\n`);
  return report.failed ? FAILED : 0;
}

const codeOf = (error: unknown) => (error instanceof UsageError ? 'usage' : 'failed');
