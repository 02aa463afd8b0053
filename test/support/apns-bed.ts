import assert from 'node:assert/strict';
import { createLogger } from '../../src/lib/logger.ts';
import { ApnsGateway, type ApnsOptions } from '../../src/push/apns/client.ts';
import type { Push } from '../../src/push/gateway.ts';
import { nudgeTo } from './apns-pushes.ts';
import { FakeApns } from './apns-server.ts';
import { FakeClock } from './fake-clock.ts';

/** A gateway and an Apple to talk to. When the test is over, it must not have broken any rule of the connection. */
export class ApnsBed implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly apns: FakeApns;
  readonly gateway: ApnsGateway;

  private constructor(clock: FakeClock, apns: FakeApns, options: Partial<ApnsOptions>) {
    this.clock = clock;
    this.apns = apns;
    this.gateway = new ApnsGateway({ ...apns.options, ...options }, clock, createLogger('silent'));
  }

  static async open(
    options: Partial<ApnsOptions> = {},
    server: Parameters<typeof FakeApns.start>[1] = {},
  ): Promise<ApnsBed> {
    const clock = new FakeClock();
    return new ApnsBed(clock, await FakeApns.start(clock, server), options);
  }

  send(push: Push, signal = new AbortController().signal) {
    return this.gateway.send(push, signal);
  }

  /** Nudges to so many devices, all at once, each to another one. */
  burst(count: number, first = 0) {
    return Array.from({ length: count }, (_, index) => this.send(nudgeTo(first + index)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
    await this.apns[Symbol.asyncDispose]();
    assert.deepEqual(this.apns.offences, []);
  }
}
