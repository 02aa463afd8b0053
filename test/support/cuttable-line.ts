/** A connection to the service that can be cut and mended, as a real network is: what is under way breaks off. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export class CuttableLine implements AsyncDisposable {
  readonly #open = new Set<Socket>();
  readonly #target: number;
  readonly #server = createServer((client) => this.#join(client));
  #isCut = false;

  private constructor(target: number) {
    this.#target = target;
  }

  static async to(port: number): Promise<CuttableLine> {
    const line = new CuttableLine(port);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    if (this.#isCut) return void client.destroy();
    const service = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(service).pipe(client);
  }
}
