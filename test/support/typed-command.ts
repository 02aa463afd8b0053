/** A command as it is typed, in this process: for what needs no process of its own. */
import { tmpdir } from 'node:os';
import { run } from '../../src/cli/cli.ts';
import { VERSION } from './bed.ts';

export interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string>>;

/** `heard` is called with each line of standard error, and may press Ctrl-C. */
export async function typeCommand(
  words: readonly string[],
  environment: Environment,
  heard?: (line: string, interrupt: () => void) => void,
): Promise<Typed> {
  const stop = new AbortController();
  let [out, err] = ['', ''];
  const code = await run(words, {
    ...{ version: VERSION, folder: tmpdir(), environment, signal: stop.signal },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      heard?.(text, () => stop.abort());
    },
  });
  return { code, out, err };
}
