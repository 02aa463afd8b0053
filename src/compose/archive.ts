/** Composes archives and the calendar feed. */
import type { AccountListener, SettingsService } from '../accounts/settings.service.ts';
import { archiveRoutes } from '../archive/archive.routes.ts';
import { ArchiveReader } from '../archive/archive-reader.ts';
import { ExportService } from '../archive/export.service.ts';
import { ImportService, type Restore } from '../archive/import.service.ts';
import { moveInRoutes } from '../archive/move-in.routes.ts';
import { deletePagesSlice, MoveInService } from '../archive/move-in.service.ts';
import { MoveInOverdueService } from '../archive/move-in-overdue.service.ts';
import { MoveInPreviewService } from '../archive/move-in-preview.service.ts';
import { UploadSlots } from '../archive/upload-slots.ts';
import { calendarRoutes } from '../calendar/calendar.routes.ts';
import { CalendarService } from '../calendar/calendar.service.ts';
import type { Db } from '../db/schema.ts';
import type { Routes } from '../http/app.ts';
import { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import type { WakeUp } from '../tasks/task-changes.ts';
import { TaskImportService } from '../tasks/task-import.service.ts';
import type { TasksService } from '../tasks/tasks.service.ts';
import type { Parts } from './parts.ts';

export function composeArchive(
  { config, clock, wallClock, logger }: Parts,
  db: Db,
  settings: SettingsService,
  wakeUp: WakeUp,
  restore: Restore,
  notices: AccountNotices,
  moveIn: ReturnType<typeof composeMoveIn>,
): { readonly calendar: CalendarService; readonly routes: Routes[] } {
  const audit = new Audit(logger);
  const tell =
    (kind: 'exported' | 'feed_made') =>
    ({ userId, sessionId }: SessionCaller) =>
      notices.send(userId, { kind }, sessionId);
  const readSettings = async (caller: SessionCaller) => {
    return { ...(await settings.get(caller)), planned_pause: await settings.getPlannedPause(caller) };
  };
  const exports = new ExportService(db, clock, audit, readSettings, tell('exported'));
  const taskImports = new TaskImportService(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const imports = new ImportService(clock, audit, moveIn.reader, taskImports, restore);
  const calendar = new CalendarService(db, { clock, wallClock }, audit, tell('feed_made'));
  const uploads = new UploadSlots(wallClock);
  const archive = archiveRoutes(exports, imports, uploads);
  return { calendar, routes: [archive, moveInRoutes(moveIn, uploads), calendarRoutes(calendar, config.BASE_URL)] };
}

/** Moves from other apps. The command line uses this too. */
export function composeMoveIn(
  { config, clock, wallClock, logger, extra }: Parts,
  db: Db,
  tasks: TasksService,
  wakeUp: WakeUp,
) {
  const reader = new ArchiveReader();
  const imports = new TaskImportService(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const moveIns = new MoveInService({
    db,
    clock,
    wallClock,
    audit: new Audit(logger),
    imports,
    wakeUp: () => wakeUp(),
    rowsAtOnce: extra?.rowsAtOnce,
  });
  const previews = new MoveInPreviewService(db, { clock, wallClock }, reader, imports);
  const zoneOf = async (userId: string) => (await imports.getAccount(userId)).owner.timezone;
  const overdue = new MoveInOverdueService(db, clock, tasks, zoneOf);
  const listener: AccountListener = {
    deleteSlice: (trx, userId, limit) => deletePagesSlice(trx, userId, limit),
  };
  return { reader, moveIns, previews, overdue, listener };
}
