/**
 * The command line: finds the command, parses its arguments, prints its report.
 *
 * Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 failure or a
 * problem was found, 2 wrong usage.
 */
import { parseArgs } from 'node:util';
import { type Config, loadConfig, readEnvironment } from '../config.ts';
import { failure, ok } from '../http/envelope.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createLogger } from '../lib/logger.ts';
import { trustCertificates } from '../lib/trusted-certificates.ts';
import { type Call, type Command, type Option, type Report, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { toErrorLine } from './error-line.ts';
import { helpFor, helpForAll } from './help.ts';

export interface Terminal {
  readonly version: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The system clock by default; tests pass their own. */
  readonly clock?: Clock;
  out(text: string): void;
  err(text: string): void;
}

const HELP: Option = { type: 'boolean', short: 'h', about: 'Show this help' };
const JSON_OPTION: Option = { type: 'boolean', about: 'Print the result as JSON' };

const commonOptions = ({ hasResult = true }: Command): Readonly<Record<string, Option>> => ({
  help: HELP,
  ...(hasResult && { json: JSON_OPTION }),
});

const FAILED = 1;
const MISUSED = 2;

/** Resolves with the exit code. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  // Words after "--" are values, even if they look like options.
  const options = words.slice(0, words.indexOf('--') >>> 0);
  const isJson = options.includes('--json');
  const { version } = terminal;
  if (options.includes('--version')) return print(terminal, { data: { version }, text: version }, isJson);
  try {
    return print(terminal, await runCommand(words, terminal), isJson);
  } catch (error) {
    const isMisuse = error instanceof UsageError;
    const line = toErrorLine(error);
    if (isJson) terminal.out(`${JSON.stringify(failure(isMisuse ? 'usage' : 'failed', line))}\n`);
    else terminal.err(`${line}\n`);
    return isMisuse ? MISUSED : FAILED;
  }
}

async function runCommand(words: readonly string[], terminal: Terminal): Promise<Report | undefined> {
  const found = await findCommand(words);
  if (!found) return listCommands(words);
  const { name, command, rest } = found;
  const { options, positionals } = parseWords(command, rest);
  if (options.help) return helpReport(helpFor(name, command, commonOptions(command)));
  checkParameters(command, positionals);
  return command.run(createCall(terminal, options, positionals));
}

/** A command's name is one word or two. Without any words, the command is `serve`. */
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

/** For `crescendo --help`, `crescendo user --help`, and words that are not a command. */
async function listCommands(words: readonly string[]): Promise<Report> {
  const [first = ''] = words;
  const isGroup = Object.keys(commands).some((name) => name.startsWith(`${first} `));
  const isHelp = first === 'help' || words.includes('--help') || words.includes('-h');
  const isKnown = first.startsWith('-') || first === 'help' || isGroup;
  if (isKnown && isHelp) return helpReport(await helpForAll(isGroup ? `${first} ` : ''));
  if (isGroup) throw new UsageError(`"${first}" needs a subcommand: see "crescendo ${first} --help".`);
  throw new UsageError(`There is no command "${first}": see "crescendo --help".`);
}

const helpReport = (help: string): Report => ({ data: { help }, text: help });

function parseWords(command: Command, words: readonly string[]) {
  const known = { ...commonOptions(command), ...command.options };
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: known, allowPositionals: true });
    return { options: values as Call['options'], positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function checkParameters({ parameters }: Command, positionals: readonly string[]): void {
  const required = parameters.filter((parameter) => !parameter.startsWith('['));
  const missing = required[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const empty = required.find((_, index) => positionals[index] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty.`);
  const surplus = positionals[parameters.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many.`);
}

function createCall(terminal: Terminal, options: Call['options'], positionals: readonly string[]): Call {
  let config: Config | undefined;
  const environment = () => readEnvironment(terminal.folder, terminal.environment);
  return {
    version: terminal.version,
    options,
    positionals,
    signal: terminal.signal,
    environment,
    clock: terminal.clock ?? systemClock(),
    logger: createLogger('warn', { write: (line) => terminal.err(line) }),
    config: () => {
      if (!config) {
        config = loadConfig(environment());
        trustCertificates(config.EXTRA_CA_FILE);
      }
      return config;
    },
    printStatus: (line) => terminal.err(`${line}\n`),
  };
}

function print(terminal: Terminal, report: Report | undefined, isJson: boolean): number {
  if (!report) return 0;
  const text = isJson ? JSON.stringify(ok(report.data)) : report.text;
  terminal.out(text.endsWith('\n') ? text : `${text}\n`);
  return report.failed ? FAILED : 0;
}
