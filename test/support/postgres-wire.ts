/** Counts the messages between a service and PostgreSQL. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Traffic {
  /** How often the client waited for the server: it answers each time that it is ready for the next statement. */
  readonly roundTrips: number;
  readonly statements: number;
  readonly commits: number;
}

const NONE: Traffic = { roundTrips: 0, statements: 0, commits: 0 };

/** How the pool checks a connection that was idle for a second. It is not counted: a busy machine causes it. */
const CHECK = 'select 1\0';

/** Whether the next answer of the server on this connection belongs to a check. */
interface Connection {
  isChecked: boolean;
}

export class PostgresWire implements AsyncDisposable {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #listener = createServer((client) => this.#join(client));
  /** The texts of the statements that the service prepares under a name, because they repeat. */
  readonly prepared = new Set<string>();
  #traffic = NONE;

  private constructor(url: string) {
    this.#target = new URL(url);
  }

  static async to(url: string): Promise<PostgresWire> {
    const wire = new PostgresWire(url);
    wire.#listener.listen(0, '127.0.0.1');
    await once(wire.#listener, 'listening');
    return wire;
  }

  /** The same database, through this proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.port = String((this.#listener.address() as AddressInfo).port);
    return url.href;
  }

  /** What passed since the last call. */
  take(): Traffic {
    const traffic = this.#traffic;
    this.#traffic = NONE;
    return traffic;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const connection = { isChecked: false };
    const fromClient = messageReader((type, body) => this.#countFromClient(connection, type, body), {
      hasStartup: true,
    });
    const fromServer = messageReader((type, body) => this.#countFromServer(connection, type, body), {
      hasStartup: false,
    });
    client.on('data', fromClient).pipe(server);
    server.on('data', fromServer).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }

  #countFromClient(connection: Connection, type: string, body: Buffer): void {
    const { statements } = this.#traffic;
    connection.isChecked = type === 'Q' && body.toString() === CHECK;
    if (connection.isChecked) return;
    // Execute, and a query of the simple protocol.
    if (type === 'E' || type === 'Q') this.#traffic = { ...this.#traffic, statements: statements + 1 };
    if (type !== 'P') return;
    const [name = '', text = ''] = body.toString().split('\0');
    if (name !== '') this.prepared.add(text);
  }

  #countFromServer(connection: Connection, type: string, body: Buffer): void {
    const { roundTrips, commits } = this.#traffic;
    if (connection.isChecked) return;
    if (type === 'Z') this.#traffic = { ...this.#traffic, roundTrips: roundTrips + 1 };
    if (type === 'C' && body.toString() === 'COMMIT\0') this.#traffic = { ...this.#traffic, commits: commits + 1 };
  }
}

const LENGTH_BYTES = 4;

/** Calls back for each message: a type of one byte, and a length. The first one of a client has no type. */
function messageReader(
  onMessage: (type: string, body: Buffer) => void,
  { hasStartup }: { readonly hasStartup: boolean },
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = hasStartup ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < end) return;
      onMessage(rest.toString('latin1', 0, typeBytes), rest.subarray(typeBytes + LENGTH_BYTES, end));
      rest = rest.subarray(end);
      typeBytes = 1;
    }
  };
}
