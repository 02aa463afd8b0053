/** The faults of a fake push provider, in the order in which a test asks for them. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** `drop`: the connection ends without an answer. `silence`: it stays open and nothing comes. */
export type Fault = ScriptedAnswer | 'drop' | 'silence';

export class Faults {
  #script: Fault[] = [];
  #held: PromiseWithResolvers<void> | undefined;
  /** The fault for requests after the scripted ones. */
  always: Fault | undefined;

  /** One fault for each of the next requests. */
  next(...faults: readonly Fault[]): void {
    this.#script.push(...faults);
  }

  /** Every request waits until the returned function is called. */
  hold(): () => void {
    const held = Promise.withResolvers<void>();
    this.#held = held;
    return () => {
      this.#held = undefined;
      held.resolve();
    };
  }

  /** Applies the next fault. Returns false if there is none, and the fake answers like the real provider. */
  async strike(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    await this.#held?.promise;
    const fault = this.#script.shift() ?? this.always;
    if (fault === undefined) return false;
    if (fault === 'drop') request.socket.destroy();
    else if (fault === 'silence') await once(request.socket, 'close');
    else answer(response, fault);
    return true;
  }
}

export function answer(response: ServerResponse, { status, headers = {}, body }: ScriptedAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
