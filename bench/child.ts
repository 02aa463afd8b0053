/**
 * A part of the benchmark in a process of its own, so that its CPU time and memory are its own. The module calls
 * `serveParent` with its methods, and the benchmark calls them through `startChild`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import packageJson from '../package.json' with { type: 'json' };

export interface Usage {
  readonly cpuSeconds: number;
  readonly rssMb: number;
  /** The most since the process started. */
  readonly peakRssMb: number;
}

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The flags of `npm start`, so that the benchmark measures what an owner runs. */
export const START_FLAGS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

export interface Child<M extends Methods> {
  call<K extends keyof M & string>(method: K, ...args: Parameters<M[K]>): Promise<Awaited<ReturnType<M[K]>>>;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts the module and resolves when it serves calls. `settings` is what its `open` is given. */
export async function startChild<M extends Methods>(module: URL, settings: object): Promise<Child<M>> {
  const child = fork(module, [JSON.stringify(settings)], { execArgv: START_FLAGS });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  child.on('message', ({ id, result, error }: Answer) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${module.pathname} ended with exit code ${code}.`));
  });
  const send = (method: string, args: readonly unknown[]): Promise<unknown> => {
    calls += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(calls, answer);
    child.send({ id: calls, method, args } satisfies Call);
    return answer.promise;
  };
  await send('usage', []);
  return {
    call: (method, ...args) => send(method, args) as ReturnType<Child<M>['call']> as never,
    usage: () => send('usage', []) as Promise<Usage>,
    stop: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** To be called by the module. `open` gets the settings, and returns the methods and what ends them. */
export async function serveParent<S>(
  open: (settings: S) => Promise<{ readonly methods: Methods; readonly close: () => Promise<void> }>,
): Promise<void> {
  const { methods, close } = await open(JSON.parse(process.argv[2] ?? '{}') as S);
  const all: Methods = { ...methods, usage };
  process.on('message', async ({ id, method, args }: Call) => {
    try {
      process.send?.({ id, result: await all[method]?.(...(args as never[])) } satisfies Answer);
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? '') : String(error) } satisfies Answer);
    }
  });
  process.once('disconnect', () => void close().then(() => process.exit(0)));
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    peakRssMb: maxRSS / 1_024,
  };
}
