/**
 * The process: checks its runtime, does what the command line says, obeys signals. The only place that ends it.
 *
 * Nothing else is imported before the runtime is known to be new enough, since an older Node.js
 * cannot even load the rest. One too old to read TypeScript at all never gets here; the launcher
 * in `bin/` speaks for it.
 */
const OLDEST_NODE = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `Crescendo needs Node.js ${OLDEST_NODE} or newer and this is ${process.version}. "npm start" brings its own.`,
  );
  process.exit(1);
}
const { run } = await import('./cli/cli.ts');
// With the service itself: whoever asks for the version also fills the compile cache for the first start.
const { version } = await import('./start.ts');

const stop = new AbortController();
// A hang-up is a terminal that went away: what is under way is cleared up as when somebody stops it.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
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
