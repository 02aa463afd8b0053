/**
 * Builds the app into a folder: first the app, then its service worker, which contains the names of all
 * files, then a compressed copy of every file that compression makes smaller.
 *
 * `node build.ts [folder] [hash of the sources]`, both optional.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = import.meta.dirname;
const outDir = process.argv[2] ?? join(root, 'dist');
const sources = process.argv[3] ?? 'unknown';

await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn', build: { outDir, emptyOutDir: true } });

const files = listFiles();
await build({
  root,
  base: '/app/',
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  define: {
    __SHELL__: JSON.stringify(files.map((file) => `/app/${file}`).filter((file) => !file.endsWith('index.html'))),
    __BUILD__: JSON.stringify(hashFiles().slice(0, 12)),
  },
  build: {
    outDir,
    emptyOutDir: false,
    target: 'es2022',
    reportCompressedSize: false,
    // One file without imports: not every browser supports a service worker that is a module.
    lib: { entry: join(root, 'src/worker/worker.ts'), formats: ['iife'], name: 'worker', fileName: () => 'sw.js' },
  },
});

for (const file of listFiles().filter((name) => /\.(js|css|html|svg|webmanifest)$/.test(name))) {
  const path = join(outDir, file);
  const body = readFileSync(path);
  const brotli = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const gzip = gzipSync(body, { level: 9 });
  if (brotli.length < body.length) writeFileSync(`${path}.br`, brotli);
  if (gzip.length < body.length) writeFileSync(`${path}.gz`, gzip);
}
writeFileSync(join(outDir, '.sources'), sources);

/** Names the worker's cache, so that a changed app is never served from an old one. */
function hashFiles(): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(join(outDir, file)));
  return hash.digest('hex');
}

function listFiles(): string[] {
  return readdirSync(outDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(outDir.length + 1));
}
