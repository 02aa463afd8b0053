/**
 * The process: checks its runtime, starts the service, obeys signals. The only place that ends it.
 *
 * Nothing else is imported before the runtime is known to be new enough, since an older Node.js
 * cannot even load the rest. One too old to read TypeScript at all never gets here; the launcher
 * in `bin/` speaks for it.
 */
import { once } from 'node:events';

const OLDEST_NODE = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `Crescendo needs Node.js ${OLDEST_NODE} or newer and this is ${process.version}. "npm start" brings its own.`,
  );
  process.exit(1);
}
const { start, explain, version } = await import('./start.ts');

if (process.argv.includes('--version')) {
  console.log(version);
  process.exit(0);
}

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}
try {
  const service = await start();
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  await service.close();
  process.exit(0);
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}
