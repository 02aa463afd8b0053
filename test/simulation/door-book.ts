/** What the world knows about the doors of the service: exports that people keep, and who has imported what. */

import type { Scope } from '../../src/lib/caller.ts';
import { Mailbox } from './mailbox.ts';
import type { LadderBook } from './model/ladders.ts';
import type { ModelTask, Outcome } from './model/task.ts';

/** How often in a week of a world with doors. */
export const DOOR_STEPS = {
  create: 1,
  keepExport: 3,
  importExport: 6,
  mintToken: 4,
  useAccess: 10,
  revokeAccess: 4,
  signIn: 10,
  signOut: 4,
  signOutEverywhere: 2,
  connect: 6,
  refresh: 8,
  disconnect: 2,
} as const;

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

/** What a person lets an agent or an assistant do, and until when. */
export interface Rails {
  readonly scopes: Scope[];
  readonly max_stage: number | null;
  readonly max_open_tasks: number | null;
  readonly expires_at: string | null;
}

/** Something that opens an account, as its holder got it. */
export interface Access {
  readonly kind: 'session' | 'token' | 'connection';
  readonly owner: string;
  /** Of the session or the token. All access of a connection has one. */
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
  readonly maxStage: number | null;
  readonly maxOpenTasks: number | null;
  /** By the clock of the service; infinite for a session, which lasts longer than any world. */
  readonly endsAt: number;
  isEnded: boolean;
}

/** What an assistant gets the next access with. */
export interface Refresh {
  readonly secret: string;
  readonly access: Access;
  readonly rails: Rails;
  readonly endsAt: number;
  /** When it was first exchanged, as far as the assistant knows. */
  usedAt: number | null;
  /** How often it was exchanged. */
  times: number;
}

export class DoorBook {
  readonly mailbox = new Mailbox();
  readonly access: Access[] = [];
  readonly refreshes: Refresh[] = [];
  readonly archives: Archive[] = [];
  /** By person: the ids that tasks had where they came from, and have here. */
  readonly #origins = new Map<string, Map<string, string>>();

  /** Everything that this id opens has ended. */
  end(id: string): void {
    for (const access of this.access) if (access.id === id) access.isEnded = true;
  }

  originsOf(person: string): Map<string, string> {
    return this.#origins.getOrInsertComputed(person, () => new Map());
  }
}
