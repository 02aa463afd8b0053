/** The part of the wiring that is about what goes out of the service and comes in again: archives and the feed. */
import type { Kysely } from 'kysely';
import { Audit } from './accounts/audit.ts';
import type { SettingsService } from './accounts/settings.service.ts';
import { archiveRoutes } from './archive/archive.routes.ts';
import { ArchiveReader } from './archive/archive-reader.ts';
import { ExportService } from './archive/export.service.ts';
import { ImportService } from './archive/import.service.ts';
import { calendarRoutes } from './calendar/calendar.routes.ts';
import { CalendarService } from './calendar/calendar.service.ts';
import type { Database } from './db/schema.ts';
import type { Routes } from './http/app.ts';
import type { Parts } from './parts.ts';
import { RestorationService } from './tasks/restoration.service.ts';
import type { WakeUp } from './tasks/tasks.service.ts';

export function composeArchive(
  { config, clock, wallClock, logger }: Parts,
  db: Kysely<Database>,
  settings: SettingsService,
  wakeUp: WakeUp,
): Routes[] {
  const audit = new Audit(logger);
  const exports = new ExportService(db, clock, audit, (caller) => settings.get(caller));
  const imports = new ImportService(clock, audit, new ArchiveReader(), new RestorationService(db, clock, wakeUp));
  const calendar = new CalendarService(db, { clock, wallClock }, audit);
  return [archiveRoutes(exports, imports), calendarRoutes(calendar, config.BASE_URL)];
}
