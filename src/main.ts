/**
 * The process: checks its runtime, runs the command line, handles signals. Only this file ends the process.
 *
 * Nothing else is imported before the version check, because an older Node.js cannot load the rest. A Node.js
 * that cannot read TypeScript at all fails before this file; `bin/crescendo.js` does the check for it.
 */
const OLDEST_NODE = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `Crescendo needs Node.js ${OLDEST_NODE} or newer and this is ${process.version}. "npm start" brings its own.`,
  );
  process.exit(1);
}
const { run } = await import('./cli/cli.ts');
const { stopwatch } = await import('./lib/clock.ts');
const { version } = (await import('../package.json', { with: { type: 'json' } })).default;
// `npm ci` runs "crescendo --version". The whole service is imported, which fills the compile cache for the first start.
if (process.argv.includes('--version')) await import('./start.ts');

/** A Ctrl+C under `npm start` arrives twice: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 500;
const CHECK_PARENT_MS = 1_000;

const stop = new AbortController();
let sinceFirstSignalMs: (() => number) | undefined;
// SIGHUP means that the terminal was closed.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second signal ends the process at once.
    if (sinceFirstSignalMs && sinceFirstSignalMs() > SAME_SIGNAL_MS) process.exit(1);
    sinceFirstSignalMs ??= stopwatch();
    stop.abort();
  });
}
// npm forwards SIGTERM and SIGINT, but after a SIGKILL of npm the service would keep the port for ever. The npm
// script replaces its shell with this process (`exec`), so npm is the parent.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && stop.abort(), CHECK_PARENT_MS).unref();
}
process.exit(
  await run(process.argv.slice(2), {
    version,
    folder: process.cwd(),
    environment: process.env,
    signal: stop.signal,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  }),
);
