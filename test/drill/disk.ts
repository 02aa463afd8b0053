/** A small file system in memory that can be filled up. Only root can mount one. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class Disk implements Disposable {
  readonly folder: string;
  readonly #ballast: string;
  readonly isSmall: boolean;

  /** Where it cannot be mounted, it is a folder that nobody can fill up. */
  constructor(mebibytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'crescendo-drill-'));
    this.#ballast = join(this.folder, 'ballast');
    this.isSmall = mount(this.folder, mebibytes);
    // Where this is root, PostgreSQL runs as another user.
    chmodSync(this.folder, 0o755);
    process.on('exit', this.#unmount);
  }

  readonly #unmount = () => {
    if (this.isSmall) spawnSync('umount', ['--lazy', this.folder]);
  };

  async fill(): Promise<void> {
    // It ends with an error, because there is no room left.
    await run('dd', ['if=/dev/zero', `of=${this.#ballast}`, 'bs=64k']).catch(() => undefined);
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#unmount);
    this.#unmount();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function mount(folder: string, mebibytes: number): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
