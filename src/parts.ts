/** What the wiring is handed, and what its parts share. */
import type { Kysely } from 'kysely';
import type { ThrottleService } from './accounts/throttle.service.ts';
import type { Config } from './config.ts';
import type { Database } from './db/schema.ts';
import type { AccessTable } from './http/access.ts';
import type { AppOptions, Routes } from './http/app.ts';
import type { WebApp } from './http/web-app.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/logger.ts';
import type { Mailer } from './lib/mailer.ts';
import type { Vault } from './lib/secrets.ts';
import type { Gateways } from './push/gateway.ts';

export interface Parts {
  readonly config: Config;
  readonly version: string;
  /** What reminders live by; a demonstration may let it run fast. */
  readonly clock: Clock;
  /** Real time, for what guards a secret or is read by an outside protocol. */
  readonly wallClock: Clock;
  readonly logger: Logger;
  /** The files of the web app; found, and built, when somebody first asks for them unless it is given. */
  readonly webApp?: WebApp;
  /** Where mail is shown when no mail server is configured. */
  readonly print: (text: string) => void;
  /** Tests add routes of their own and tighten limits to reach the edges of the shell. */
  readonly extra?: {
    readonly routes?: readonly Routes[];
    readonly access?: AccessTable;
    readonly limits?: AppOptions['limits'];
    /** Takes the place of the configured push providers. */
    readonly gateways?: Gateways;
    /** What the rounds of a minute are counted by: real time, which a test that is about them moves itself. */
    readonly roundsClock?: Clock;
  };
}

export interface Shared {
  readonly db: Kysely<Database>;
  readonly vault: Vault;
  readonly mailer: Mailer;
  readonly throttle: ThrottleService;
}
