/** Moves from other apps. */
import type { Generated } from 'kysely';

/**
 * `reading`: the file is being read. `preview`: its tasks wait for the person's choice. `importing`, `undoing`: a
 * follow-up works on it. `stopped`: the account reached a limit. `done`, `undone`.
 */
export type MoveInState = 'reading' | 'preview' | 'importing' | 'stopped' | 'done' | 'undoing' | 'undone';

export interface MoveInTables {
  move_ins: {
    id: string;
    user_id: string;
    state: MoveInState;
    /** JSON: what the preview showed; null while the file is read. */
    contents: string | null;
    /** JSON: what the person chose; null before. */
    choices: string | null;
    pages: Generated<number>;
    /** The page and the place in it where the next slice continues. */
    page: Generated<number>;
    offset_in_page: Generated<number>;
    /** Tasks of the file that an import has looked at. */
    processed: Generated<number>;
    imported: Generated<number>;
    already_there: Generated<number>;
    refused: Generated<number>;
    /** Imported tasks that were overdue, so that they wait for a decision. */
    overdue: Generated<number>;
    /** What Undo took back, and what it left because somebody had changed it. */
    removed: Generated<number>;
    kept: Generated<number>;
    /** The sentence for its owner if it was stopped. */
    problem: string | null;
    created_at: Date;
    /** By the service's clock; null before the import starts. */
    started_at: Date | null;
    /** In real time: then everything of it but its tasks is deleted. */
    expires_at: Date;
  };
  /** Tasks of a file that wait to be imported, as JSON. A page is deleted once it is imported. */
  move_in_pages: {
    move_in_id: string;
    page: number;
    tasks: string;
  };
}
