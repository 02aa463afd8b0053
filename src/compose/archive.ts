/** Composes archives and the calendar feed. */
import type { SettingsService } from '../accounts/settings.service.ts';
import { archiveRoutes } from '../archive/archive.routes.ts';
import { ArchiveReader } from '../archive/archive-reader.ts';
import { ExportService } from '../archive/export.service.ts';
import { ImportService, type Restore } from '../archive/import.service.ts';
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
import type { Parts } from './parts.ts';

export function composeArchive(
  { config, clock, wallClock, logger }: Parts,
  db: Db,
  settings: SettingsService,
  wakeUp: WakeUp,
  restore: Restore,
  notices: AccountNotices,
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
  const imports = new ImportService(clock, audit, new ArchiveReader(), taskImports, restore);
  const calendar = new CalendarService(db, { clock, wallClock }, audit, tell('feed_made'));
  const archive = archiveRoutes(exports, imports, new UploadSlots(wallClock));
  return { calendar, routes: [archive, calendarRoutes(calendar, config.BASE_URL)] };
}
