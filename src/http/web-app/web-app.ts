/**
 * The built files of the web app. They are built when they are missing or their sources changed, in a separate
 * process, and are put into place at once; the first request waits for it. If the build fails, the files of an
 * earlier build are served; without one, the app answers with a 503 page and the API keeps working.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../lib/logger.ts';

/** The build writes the hash of its sources into this file. */
const SOURCES_FILE = '.sources';
/** Relative to the folder of the web app. `words` is the one folder of the service that the app imports. */
const SOURCES = ['src', '../src/words', 'public', 'index.html', 'build.ts', 'vite.config.ts', 'package.json'];
const BUILD_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

interface WebAppFile {
  readonly body: Buffer;
  readonly etag: string;
}

/** By their names below `/app/`. */
type Files = ReadonlyMap<string, WebAppFile>;

export class WebApp {
  readonly #folder: string;
  readonly #logger: Logger;
  #prepared: Promise<Files> | undefined;

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /**
   * Loads the files once; later calls get the same result. All files are read into memory, about a megabyte, so a later
   * build cannot take them away from this process, and no URL is ever turned into a file path.
   */
  prepare(): Promise<Files> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  async #prepare(): Promise<Files> {
    const built = join(this.#folder, 'dist');
    try {
      if (!(await this.#isCurrent(built))) await this.#build(built);
    } catch (error) {
      this.#logger.error({ err: error }, 'the web app could not be built');
    }
    const names = existsSync(built) ? listFiles(built) : [];
    return new Map(await Promise.all(names.map(async (name) => [name, await readOne(join(built, name))] as const)));
  }

  /** An installation without the sources serves the build it came with. */
  async #isCurrent(built: string): Promise<boolean> {
    const isBuilt = existsSync(join(built, SOURCES_FILE));
    if (!existsSync(join(this.#folder, 'build.ts'))) return isBuilt;
    return isBuilt && (await readFile(join(built, SOURCES_FILE), 'utf8')) === (await hashSources(this.#folder));
  }

  /** Builds into a temporary folder, since another process may serve or build at the same time. */
  async #build(built: string): Promise<void> {
    const fresh = `${built}.${process.pid}`;
    this.#logger.info('building the web app');
    try {
      const options = { cwd: this.#folder, timeout: BUILD_TIMEOUT_MS, env: { ...process.env, NODE_ENV: 'production' } };
      const sources = await hashSources(this.#folder);
      const building = run(process.execPath, [join(this.#folder, 'build.ts'), fresh, sources], options);
      // If the service stops first, the build is stopped too.
      const stop = () => void building.child.kill();
      process.once('exit', stop);
      await building.finally(() => process.off('exit', stop));
      await rm(built, { recursive: true, force: true });
      await rename(fresh, built);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
}

async function readOne(path: string): Promise<WebAppFile> {
  const body = await readFile(path);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Hashes contents, not dates: a checkout or a copy changes every date. */
async function hashSources(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((source) => {
    const path = join(folder, source);
    if (!existsSync(path)) return [];
    return /\.\w+$/.test(source) ? [source] : listFiles(path).map((name) => `${source}/${name}`);
  });
  for (const file of files) hash.update(`${file}\0`).update(await readFile(join(folder, file)));
  return hash.digest('hex');
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .sort();
}
