/**
 * Finds the process that opened a connection, so that only what happened to the sender of a push explains its repetition.
 * Only Linux tells.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Each new connection to a server of this process. */
const CHANNEL = 'net.server.socket';
/** The columns of /proc/net/tcp. */
const LOCAL = 1;
const REMOTE = 2;
const INODE = 9;

export class Senders implements Disposable {
  readonly #pids = new Map<number, number>();
  /** The processes that may have opened a connection. */
  candidates: () => readonly number[] = () => [];

  constructor() {
    subscribe(CHANNEL, this.#note);
  }

  /** While the connection is new, because its process may be killed at any moment. */
  readonly #note = (message: unknown) => {
    const { remotePort = 0, localPort = 0 } = (message as { socket: Socket }).socket;
    const pid = findProcess(remotePort, localPort, this.candidates());
    if (pid === undefined) this.#pids.delete(remotePort);
    else this.#pids.set(remotePort, pid);
  };

  /** Undefined if nobody knows. */
  of(port = 0): number | undefined {
    return this.#pids.get(port);
  }

  [Symbol.dispose](): void {
    unsubscribe(CHANNEL, this.#note);
  }
}

function findProcess(port: number, serverPort: number, pids: readonly number[]): number | undefined {
  try {
    const link = `socket:[${inodeOf(port, serverPort)}]`;
    return pids.find((pid) => linksOf(pid).includes(link));
  } catch {
    return undefined;
  }
}

function inodeOf(port: number, serverPort: number): string | undefined {
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1, -1);
  const columns = rows.map((row) => row.trim().split(/\s+/));
  return columns.find((row) => portOf(row[LOCAL]) === port && portOf(row[REMOTE]) === serverPort)?.[INODE];
}

const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16);

function linksOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).flatMap((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      // Closed by now.
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The process has ended by now.
    return [];
  }
}
