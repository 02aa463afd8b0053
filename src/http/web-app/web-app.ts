/**
 * The built files of the web app. They are built when they are missing or their sources changed, in a separate
 * process, and are put into place at once; the first request waits for it. If the build fails, the files of an
 * earlier build are served; without one, the app answers with a 503 page and the API keeps working.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Logger } from '../../lib/logger.ts';

/** The build writes the hash of its sources into this file. */
const SOURCES_FILE = '.sources';
/** Relative to the folder of the web app. `words` is the one folder of the service that the app imports. */
const SOURCES = ['src', '../src/words', 'public', 'index.html', 'build.ts', 'vite.config.ts', 'package.json'];
const BUILD_TIMEOUT_MS = 120_000;
const MAX_REASON_LENGTH = 300;
/** For every reason: the service may lack a permission or the memory that a command of the operator has. */
export const PREPARE_REMEDY = 'Run "crescendo prepare" as the owner of the installation, and restart the service.';

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
    const built = this.#built;
    try {
      if ((await this.state()) !== 'current') await this.#build(built);
    } catch (error) {
      // The library's own trace says nothing to an operator.
      this.#logger.error({ reason: reasonOf(error) }, `${this.#describeFailure()}. ${PREPARE_REMEDY}`);
    }
    const names = existsSync(built) ? listFiles(built) : [];
    return new Map(await Promise.all(names.map(async (name) => [name, await readOne(join(built, name))] as const)));
  }

  /** Whether the build is of these sources. An installation without the sources serves the build it came with. */
  async state(): Promise<'current' | 'stale' | 'missing'> {
    const file = join(this.#built, SOURCES_FILE);
    if (!existsSync(file)) return 'missing';
    if (!existsSync(join(this.#folder, 'build.ts'))) return 'current';
    return (await readFile(file, 'utf8')) === (await hashSources(this.#folder)) ? 'current' : 'stale';
  }

  /** Throws unless this user may put a build into place. */
  requireWritable(): void {
    accessSync(this.#folder, constants.W_OK);
  }

  get #built(): string {
    return join(this.#folder, 'dist');
  }

  #describeFailure(): string {
    return existsSync(join(this.#built, SOURCES_FILE))
      ? 'people get the web app of an earlier release, because that of this one could not be built'
      : 'the web app could not be built';
  }

  /** Builds into a temporary folder, since another process may serve or build at the same time. */
  async #build(built: string): Promise<void> {
    const fresh = `${built}.${process.pid}`;
    this.requireWritable();
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

/** One line: what the build printed first about its error, or why it could not begin. */
function reasonOf(error: unknown): string {
  const { stderr, message } = Object(error) as { stderr?: unknown; message?: unknown };
  const lines = String(stderr || message).split('\n');
  const line = lines.find((text) => /error/i.test(text)) ?? lines[0] ?? '';
  return stripVTControlCharacters(line).trim().slice(0, MAX_REASON_LENGTH);
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
