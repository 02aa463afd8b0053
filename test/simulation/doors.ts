/**
 * The doors of the service, without HTTP: sign-in by mail, sessions, access tokens, connections of assistants, and
 * imports.
 */
import { type ArchivedApps, ImportService } from '../../src/archive/import.service.ts';
import { readDocument } from '../../src/archive/read-document.ts';
import type { ReadItem } from '../../src/archive/read-task.ts';
import type { ReadRequest } from '../../src/archive/reading.worker.ts';
import { CaldavSettingsService } from '../../src/caldav/caldav-settings.service.ts';
import type { CalendarService } from '../../src/calendar/calendar.service.ts';
import type { Parts, Shared } from '../../src/compose/parts.ts';
import type { composeDomain } from '../../src/compose/service.ts';
import { composeSignOut } from '../../src/compose/sign-out.ts';
import { RegisteredClients } from '../../src/connections/registered-clients.ts';
import type { DevicesService } from '../../src/devices/devices.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import type { TaskImportService } from '../../src/tasks/task-import.service.ts';

interface Used {
  readonly imports: TaskImportService;
  readonly devices: DevicesService;
  readonly calendar: CalendarService;
  readonly wakeUp: () => void;
}

export function composeDoors(
  parts: Pick<Parts, 'clock' | 'wallClock' | 'logger'>,
  { db, vault }: Shared,
  { accounts, tasks, spaces }: ReturnType<typeof composeDomain>,
  { imports, devices, calendar, wakeUp }: Used,
) {
  const caldav = new CaldavSettingsService(db);
  const restore = {
    channels: async () => [],
    ladders: (...archived: Parameters<typeof tasks.ladders.restore>) => tasks.ladders.restore(...archived),
    labels: (...archived: Parameters<typeof tasks.labels.restore>) => tasks.labels.restore(...archived),
    caldav: (userId: string, archived: ArchivedApps) => caldav.restore(userId, archived),
  };
  const { email, sessions, tokens, connections, consent, authenticate } = accounts;
  const lasting = { accounts, devices, channels: NO_CHANNELS, calendar, invites: spaces.invites };
  return {
    email,
    sessions,
    tokens,
    connections,
    consent,
    registered: new RegisteredClients(vault),
    authenticate,
    signOut: composeSignOut(parts, db, lasting, wakeUp).service,
    imports: new ImportService(parts.clock, new Audit(parts.logger), READER, imports, restore),
  };
}

/** Channels of this world are rows that nobody has entered. */
const NO_CHANNELS = { listEntered: async () => [], end: async () => 0 };

/** The service reads files in a thread, which would answer in real time. */
const READER = {
  read: async ({ document, context }: ReadRequest) => {
    const items: ReadItem[] = [];
    const reading = readDocument(document, context);
    let step = reading.next();
    for (; !step.done; step = reading.next()) items.push(step.value);
    return { items, ...step.value };
  },
};
