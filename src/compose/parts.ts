/** The inputs of the composition, and the parts that the others share. */
import type { Migration } from 'kysely/migration';
import type { Config } from '../config.ts';
import type { DocumentOptions } from '../connections/client-documents.ts';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import type { AccessTable } from '../http/access.ts';
import type { AppOptions, Routes } from '../http/app.ts';
import type { WebApp } from '../http/web-app/web-app.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Mailer } from '../lib/mailer.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import type { Resolve } from '../outbound/name-resolver.ts';
import type { Gateways } from '../push/gateway.ts';

export interface Parts {
  readonly config: Config;
  /** The release, which is not the version of the API. */
  readonly version: string;
  /** The time of reminders. A demonstration may run it faster than real time. */
  readonly clock: Clock;
  /** Real time: for secrets and their limits, and for other systems. */
  readonly wallClock: Clock;
  readonly logger: Logger;
  /** The files of the web app. By default they are found, and built if needed, at the first request for them. */
  readonly webApp?: WebApp;
  /** Shows mails if no mail server is configured. */
  readonly print: (text: string) => void;
  /** Set by tests only: routes of their own, and tighter limits. */
  readonly extra?: {
    readonly routes?: readonly Routes[];
    readonly access?: AccessTable;
    readonly limits?: AppOptions['limits'];
    /** Used instead of the configured push providers. */
    readonly gateways?: Gateways;
    /** How the names of servers behind channels are looked up. */
    readonly resolve?: Resolve;
    /** How the documents of assistants are fetched. */
    readonly documents?: DocumentOptions;
    /** How many rows a request changes by itself before the rest becomes a follow-up. */
    readonly rowsAtOnce?: number;
    /** How many rows a slice of a follow-up has, and whether one may run now. */
    readonly followUps?: { readonly rows: number; readonly mayRun: () => boolean };
    /** The migrations of another release. */
    readonly migrations?: Readonly<Record<string, Migration>>;
    /** The time between two signs of life of this process. */
    readonly beatEveryMs?: number;
    /** The clock by which the engine notices that its machine was suspended. */
    readonly machineClock?: Clock;
    readonly checkStreamsEveryMs?: number;
    /** The time between two looks of a subscription at what changed. */
    readonly pauseSubscriptionsMs?: number;
    /** The clock of the checks that run every minute; real time by default. */
    readonly checksClock?: Clock;
  };
}

export interface Shared {
  readonly db: Db;
  readonly schema: SchemaWatch;
  readonly vault: Vault;
  readonly mailer: Mailer;
  readonly throttle: ThrottleService;
}
