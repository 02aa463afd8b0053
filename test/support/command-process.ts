/** Runs a command as a person does: in its own process, which knows only the environment it is given. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;
/** Called whenever standard error has more output, with all of it so far. */
type Listener = (child: ChildProcess, said: string) => void;

export async function spawnCommand(words: readonly string[], env: Environment, listener?: Listener): Promise<Ended> {
  const child = spawn(process.execPath, [ENTRY, ...words], {
    cwd: tmpdir(),
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
    listener?.(child, stderr);
  });
  const [code, signal] = await once(child, 'close');
  process.off('exit', end);
  return { code, signal, stdout, stderr };
}
