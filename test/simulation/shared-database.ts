/** The database, which outlives the processes that use it. A process can die before and after each commit. */
import { DatabaseSync } from 'node:sqlite';
import type { ServiceProcess } from './process.ts';

/** Logs nudges by their insertion, so that the world does not depend on what the service says about them. */
export const LOG_NUDGES = `
  create table sim_nudges (number integer primary key autoincrement, entry_id text, task_id text, at integer, stage integer);
  create trigger sim_log_nudges after insert on timeline when new.kind = 'nudge' begin
    insert into sim_nudges (entry_id, task_id, at, stage) values (new.id, new.task_id, new.at, new.stage);
  end`;

export class SharedDatabase extends DatabaseSync {
  user: ServiceProcess | undefined;
  /** How many commits there were, so that the world knows when to look. */
  commits = 0;
  /** The last nudge that is committed. */
  committedNudge = 0;
  readonly #lastNudge;

  constructor(image: Uint8Array) {
    super(':memory:');
    this.deserialize(image);
    super.exec('pragma foreign_keys = on; pragma journal_mode = memory');
    this.#lastNudge = this.prepare('select max(number) as number from sim_nudges');
  }

  override exec(sql: string): void {
    if (this.user?.isDead) throw new Error('The process is dead.');
    super.exec(sql);
    if (sql !== 'commit') return;
    this.commits += 1;
    this.committedNudge = Number(this.#lastNudge.get()?.number ?? 0);
    this.user?.mayGoOn();
  }

  /** What a dead process had not committed is gone. */
  rollBack(): void {
    if (this.isTransaction) super.exec('rollback');
  }
}
