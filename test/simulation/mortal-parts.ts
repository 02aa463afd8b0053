/** The parts of a process that end with it: a dead process runs no statement, sends nothing, and gets no answer. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { DirectExecutor } from '../../src/db/direct-executor.ts';
import type { Mail, Mailer } from '../../src/lib/mailer.ts';
import type { ThrottleService } from '../../src/limits/throttle.service.ts';
import { MAIL_LIMITS } from '../../src/push/email/client.ts';
import type { Gateway, Gateways, MessageLimits } from '../../src/push/gateway.ts';
import { CHANNEL_PROVIDER } from './channels.ts';
import type { Holder } from './holder.ts';
import type { ProcessOptions, ServiceProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { gatewayOf, type Surroundings } from './server-gateway.ts';
import type { SharedDatabase } from './shared-database.ts';

/** A new promise for each call: a shared one would keep everything that ever waited for it in memory. */
const never = () => new Promise<never>(() => {});

/** Runs an operation, or never settles because the process is dead. */
type Guard = <T>(operation: () => Promise<T>) => Promise<T>;

export function mortalDriver(driver: Driver, process: ServiceProcess, runtime: Runtime): Driver {
  /** Where turns take time, the statements of a transaction are in different ones, and others run in between. */
  const inTurn = () =>
    runtime.isSlow
      ? new Promise<void>((resolve) => runtime.after(runtime.random.below(3), resolve, process))
      : undefined;
  const guard: Guard = (operation) => (process.mayGoOn() ? operation() : never());
  const innerOf = (connection: DatabaseConnection) => (connection as MortalConnection).inner;
  return {
    init: () => driver.init(),
    acquireConnection: async () => new MortalConnection(await driver.acquireConnection(), guard, inTurn),
    beginTransaction: (connection, settings) => guard(() => driver.beginTransaction(innerOf(connection), settings)),
    commitTransaction: (connection) => guard(() => driver.commitTransaction(innerOf(connection))),
    rollbackTransaction: (connection) => guard(() => driver.rollbackTransaction(innerOf(connection))),
    releaseConnection: (connection) => driver.releaseConnection(innerOf(connection)),
    destroy: () => driver.destroy(),
  };
}

class MortalConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guard: Guard;
  readonly #inTurn: () => Promise<void> | undefined;
  /** The statement before, if it waits for its turn. */
  #before: Promise<unknown> | undefined;

  constructor(inner: DatabaseConnection, guard: Guard, inTurn: () => Promise<void> | undefined) {
    this.inner = inner;
    this.#guard = guard;
    this.#inTurn = inTurn;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const run = () => this.#guard(() => this.inner.executeQuery<R>(query));
    const before = this.#before ?? this.#inTurn();
    if (!before) return run();
    const done = before.then(this.#inTurn).then(run);
    const over = done.catch(() => undefined);
    this.#before = over;
    void over.then(() => {
      if (this.#before === over) this.#before = undefined;
    });
    return done;
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number) {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

interface Reads {
  readonly process: ServiceProcess;
  readonly runtime: Runtime;
  readonly database: SharedDatabase;
  readonly read: <R>(query: CompiledQuery) => QueryResult<R>;
}

/**
 * Runs a read outside of a transaction without a connection, as the service does. Without a reader beside the writer, it
 * waits until the running commit is done.
 */
export class MortalExecutor extends DirectExecutor {
  readonly #reads: Reads;

  constructor(dialect: Dialect, driver: Driver, reads: Reads) {
    super(dialect, driver);
    this.#reads = reads;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!/^\s*select/i.test(query.sql)) return super.executeQuery<R>(query);
    const { process, runtime, database, read } = this.#reads;
    while (database.isTransaction && !database.reader && !process.isDead)
      await new Promise<void>((resolve) => runtime.immediately(resolve, process));
    return process.mayGoOn() ? read<R>(query) : never();
  }
}

interface GatewayParts extends Surroundings {
  readonly throttle: ThrottleService;
}

/** A dead process sends nothing, and receives no answer. */
export function mortalGateways(
  { gateways, servers, hasChannels, hasMail, holder }: ProcessOptions,
  process: ServiceProcess,
  { runtime, throttle, clock, logger }: GatewayParts,
): Gateways {
  const mortal = (gateway: Gateway, limits?: MessageLimits): Gateway => ({
    limits,
    capacity: () => gateway.capacity(),
    close: async () => undefined,
    send: async (push, signal) => {
      if (!process.mayGoOn()) return never();
      const result = await gateway.send(push, signal);
      // The answer arrives in its own turn, which belongs to the process.
      await new Promise<void>((resolve) => runtime.after(0, resolve, process));
      return process.mayGoOn() ? result : never();
    },
  });
  /** Like the gateway of channels: the server has counted a message even if its answer was lost. */
  const holding = (gateway: Gateway, { holds, findDayBudget }: Holder): Gateway => ({
    ...gateway,
    holds,
    findDayBudget,
    send: async (push, signal) => {
      const result = await gateway.send(push, signal);
      const budget = 'channelId' in push.target ? findDayBudget(push.target) : null;
      if (budget && !(result.kind === 'retry' && result.isUnsent))
        await throttle.countOfDay(budget.key, 1).catch(() => undefined);
      return result;
    },
  });
  const { email, [CHANNEL_PROVIDER]: channels, ...devices } = gateways;
  const mortalServers = new Map([...servers].map(([origin, server]) => [origin, mortal(server)]));
  const ofChannels = servers.size > 0 ? gatewayOf(mortalServers, { runtime, clock, logger }) : mortal(channels);
  return {
    ...Object.fromEntries(Object.entries(devices).map(([name, gateway]) => [name, mortal(gateway)])),
    ...(hasChannels && { [CHANNEL_PROVIDER]: holder ? holding(ofChannels, holder) : ofChannels }),
    ...(hasMail && { email: mortal(email, MAIL_LIMITS) }),
  };
}

/** A process that dies while the mail server answers may have sent the mail. */
export function mortalMailer({ send }: Pick<Mailer, 'send'>, process: ServiceProcess, runtime: Runtime): Mailer {
  const mortal = async (mail: Mail): Promise<void> => {
    if (!process.mayGoOn()) return never();
    await send(mail);
    await new Promise<void>((resolve) => runtime.after(0, resolve, process));
    if (!process.mayGoOn()) await never();
  };
  return { send: mortal, sendOnce: mortal, close: () => undefined };
}
