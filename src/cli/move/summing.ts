import { createHash } from 'node:crypto';
import type { TableSum } from './table-sum.ts';

/** Takes the rows of a table one by one, so that none has to be kept. */
export class Summing {
  readonly #hash = createHash('sha256');
  #rows = 0;

  /** Returns how many there are now. */
  add(form: string): number {
    // A form is JSON, which never has a bare newline in it.
    this.#hash.update(`${form}\n`);
    this.#rows += 1;
    return this.#rows;
  }

  done(name: string): TableSum {
    return { name, rows: this.#rows, checksum: this.#hash.digest('hex') };
  }
}
