/** Composes the CalDAV server. */
import { caldavRoutes } from '../caldav/caldav.routes.ts';
import { CaldavReadingService } from '../caldav/caldav-reading.service.ts';
import { caldavSettingsRoutes } from '../caldav/caldav-settings.routes.ts';
import { CaldavSettingsService } from '../caldav/caldav-settings.service.ts';
import { CaldavWritingService } from '../caldav/caldav-writing.service.ts';
import type { Db } from '../db/schema.ts';
import type { Routes } from '../http/app.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import { readChangedIds, readHorizon } from '../tasks/sync/sync.store.ts';
import type { WakeUp } from '../tasks/task-changes.ts';
import { TaskImportService } from '../tasks/task-import.service.ts';
import type { TasksService } from '../tasks/tasks.service.ts';
import { findOwner, lockTask } from '../tasks/tasks.store.ts';
import type { Parts } from './parts.ts';

export function composeCaldav(
  { config, clock }: Parts,
  db: Db,
  tasks: TasksService,
  wakeUp: WakeUp,
  notices: AccountNotices,
): { readonly settings: CaldavSettingsService; readonly routes: Routes[] } {
  const reading = new CaldavReadingService(db, clock, { findOwner, readHorizon, readChangedIds });
  const imports = new TaskImportService(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const tellEmptied = (userId: string, count: number) => notices.send(userId, { kind: 'list_emptied', count });
  const writing = new CaldavWritingService({ db, clock, tasks, imports, reading, lockTask, tellEmptied });
  const settings = new CaldavSettingsService(db);
  return { settings, routes: [caldavRoutes(reading, writing), caldavSettingsRoutes(settings, config.BASE_URL)] };
}
