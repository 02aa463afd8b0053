/** A request whose last byte of the body is kept back, so that something can happen while the service reads it. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from './test-app.ts';

export class HalfSent {
  readonly #port: number;
  readonly #token: string;

  private constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
  }

  static async by(app: TestApp, token: string): Promise<HalfSent> {
    await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    return new HalfSent((app.fastify.server.address() as AddressInfo).port, token);
  }

  /** The returned function sends the rest and gives the status of the answer. */
  begin(path: string, fields: object): () => Promise<number | undefined> {
    const body = JSON.stringify(fields);
    const asking = request({
      port: this.#port,
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
      agent: false,
    });
    const answered = once(asking, 'response');
    asking.write(body.slice(0, -1));
    return async () => {
      asking.end(body.slice(-1));
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    };
  }

  /** The service has looked up the tokens of the requests before by the time it answers this one. */
  async areRead(): Promise<void> {
    const looked = request({ port: this.#port, path: '/health', agent: false }).end();
    (await once(looked, 'response'))[0].resume();
  }
}
