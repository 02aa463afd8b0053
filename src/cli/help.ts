import type { Command, Option } from './command.ts';
import { commands } from './commands.ts';
import { formatTable } from './table.ts';

/** The commands whose names start with `prefix`, one line each. */
export async function helpForAll(prefix: string): Promise<string> {
  const names = Object.keys(commands).filter((name) => name.startsWith(prefix));
  const rows = await Promise.all(
    names.map(async (name) => {
      const { parameters, summary } = await (commands[name] as () => Promise<Command>)();
      return [[name, ...parameters].join(' '), summary];
    }),
  );
  return [
    `Usage: crescendo ${prefix}COMMAND [--json] [--help]`,
    '',
    formatTable(rows, '  '),
    '',
    'Settings are read from the environment and from the file .env in this folder; .env.example explains each one.',
    'Exit codes: 0 success, 1 failure or a problem was found, 2 wrong usage.',
  ].join('\n');
}

export function helpFor(name: string, command: Command, common: Readonly<Record<string, Option>>): string {
  const options = Object.entries({ ...command.options, ...common });
  const rows = options.map(([long, { type, short, about }]) => {
    const value = type === 'string' ? ` ${long.toUpperCase().replaceAll('-', '_')}` : '';
    return [`${short ? `-${short}, ` : ''}--${long}${value}`, about];
  });
  return [
    `Usage: crescendo ${[name, ...command.parameters].join(' ')}`,
    '',
    `${command.summary}.`,
    command.explanation,
    '',
    formatTable(rows, '  '),
  ].join('\n');
}
