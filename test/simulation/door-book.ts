/** What the world knows about the doors of the service: exports that people keep, and who has imported what. */

import { Mailbox } from './mailbox.ts';
import type { LadderBook } from './model/ladders.ts';
import type { ModelTask, Outcome } from './model/task.ts';
import type { Runtime } from './runtime.ts';

/** An export that its owner has kept, and what the model says is in it. */
export interface Archive {
  readonly owner: string;
  readonly text: string;
  readonly zone: string;
  /** In the order of the document. */
  readonly tasks: readonly ModelTask[];
  readonly outcomes: readonly Outcome[];
  readonly ladders: LadderBook;
}

export class DoorBook {
  readonly mailbox: Mailbox;
  readonly archives: Archive[] = [];
  /** Tasks of an import are nudged before the import is answered. */
  isImporting = false;
  /** By person: the ids that tasks had where they came from, and have here. */
  readonly #origins = new Map<string, Map<string, string>>();

  constructor(runtime: Runtime) {
    this.mailbox = new Mailbox(runtime);
  }

  originsOf(person: string): Map<string, string> {
    return this.#origins.getOrInsertComputed(person, () => new Map());
  }
}
