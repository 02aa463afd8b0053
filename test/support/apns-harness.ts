import assert from 'node:assert/strict';
import { createLogger } from '../../src/lib/logger.ts';
import { ApnsGateway, type ApnsOptions } from '../../src/push/apns/client.ts';
import type { Push } from '../../src/push/gateway.ts';
import { nudgeTo } from './apns-pushes.ts';
import { FakeApns } from './apns-server.ts';
import { FakeClock } from './fake-clock.ts';

/** A gateway and a fake APNs server. At the end the gateway must not have broken any rule of the connection. */
export class ApnsHarness implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly apns: FakeApns;
  readonly gateway: ApnsGateway;
  readonly logLines: string[] = [];

  private constructor(clock: FakeClock, apns: FakeApns, options: Partial<ApnsOptions>) {
    this.clock = clock;
    this.apns = apns;
    const logger = createLogger('info', { write: (line) => this.logLines.push(line) });
    this.gateway = new ApnsGateway({ ...apns.options, ...options }, clock, logger);
  }

  static async open(
    options: Partial<ApnsOptions> = {},
    server: Parameters<typeof FakeApns.start>[1] = {},
  ): Promise<ApnsHarness> {
    const clock = new FakeClock();
    return new ApnsHarness(clock, await FakeApns.start(clock, server), options);
  }

  send(push: Push, signal = new AbortController().signal) {
    return this.gateway.send(push, signal);
  }

  /** Sends one nudge to each of `count` devices, all at once. */
  burst(count: number, first = 0) {
    return Array.from({ length: count }, (_, index) => this.send(nudgeTo(first + index)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
    await this.apns[Symbol.asyncDispose]();
    assert.deepEqual(this.apns.violations, []);
  }
}
