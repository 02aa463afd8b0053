/** What `--help` prints. */
import type { Command, Option } from './command.ts';
import { commands } from './commands.ts';

/** The commands whose names begin like this, one line each. */
export async function overview(prefix: string): Promise<string> {
  const names = Object.keys(commands).filter((name) => name.startsWith(prefix));
  const rows = await Promise.all(
    names.map(async (name) => {
      const { parameters, summary } = await (commands[name] as () => Promise<Command>)();
      return [[name, ...parameters].join(' '), summary] as const;
    }),
  );
  return [
    `Usage: crescendo ${prefix}COMMAND [--json] [--help]`,
    '',
    ...columns(rows),
    '',
    'Settings come from the environment and from a file .env in this folder; .env.example explains each.',
    'Exit codes: 0 done, 1 not done or bad news, 2 called wrongly.',
  ].join('\n');
}

export function helpFor(name: string, command: Command, common: Readonly<Record<string, Option>>): string {
  const options = Object.entries({ ...command.options, ...common });
  const rows = options.map(([long, { type, short, about }]) => {
    const value = type === 'string' ? ` ${long.toUpperCase().replaceAll('-', '_')}` : '';
    return [`${short ? `-${short}, ` : ''}--${long}${value}`, about] as const;
  });
  return [
    `Usage: crescendo ${[name, ...command.parameters].join(' ')}`,
    '',
    `${command.summary}.`,
    command.explanation,
    '',
    ...columns(rows),
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
