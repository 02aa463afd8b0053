/**
 * A proxy that fails as a real network does. Connections can be cut, reset, or fall silent: a silent connection
 * stays open and transfers nothing, as if the host had vanished without a word. New connections can be led to
 * another server.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class TcpProxy implements AsyncDisposable {
  readonly #pairs = new Set<Pair>();
  readonly #silent = new Set<Pair>();
  readonly #listener = createServer((client) => this.#join(client));
  #target: number;
  #state: 'open' | 'cut' | 'frozen' = 'open';

  private constructor(target: number) {
    this.#target = target;
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The same address, through this proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.port = String(this.port);
    return proxied.href;
  }

  /** Closes every connection, and each new one at once. */
  cut(): void {
    this.#state = 'cut';
    for (const { client, server } of this.#pairs) for (const socket of [client, server]) socket.destroy();
  }

  /** Resets every connection (RST). New connections work. */
  reset(): void {
    for (const { client, server } of this.#pairs) for (const socket of [client, server]) socket.resetAndDestroy();
  }

  /** From now on no byte passes, on open and on new connections. Neither end is told. */
  freeze(): void {
    this.#state = 'frozen';
    for (const pair of this.#pairs) this.#silence(pair);
  }

  /** Ends `cut` and `freeze`: silent connections transfer again. */
  restore(): void {
    this.#state = 'open';
    for (const pair of this.#silent) forward(pair);
    this.#silent.clear();
  }

  /** New connections reach this port. Connections that fell silent stay silent, because their host is gone. */
  switchTo(port: number): void {
    this.#target = port;
    this.#state = 'open';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(client: Socket): void {
    if (this.#state === 'cut') return void client.destroy();
    const server = connect(this.#target, '127.0.0.1');
    const pair = { client, server };
    this.#pairs.add(pair);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        this.#silent.delete(pair);
        other.destroy();
      });
    }
    if (this.#state === 'frozen') this.#silence(pair);
    else forward(pair);
  }

  #silence(pair: Pair): void {
    this.#silent.add(pair);
    pair.client.unpipe(pair.server).pause();
    pair.server.unpipe(pair.client).pause();
  }
}

function forward({ client, server }: Pair): void {
  client.pipe(server).pipe(client);
}
