/** What the rig of every channel provider offers to the contract suite, and what a person does with a channel. */
import assert from 'node:assert/strict';
import type { ScriptedAnswer } from './faults.ts';
import { HttpRecorder, type Recorded } from './http-recorder.ts';
import type { Person } from './people.ts';
import type { TestApp } from './test-app.ts';

export interface ShownMessage {
  readonly title: string;
  /** The path of the page with the buttons. */
  readonly page: string;
  readonly stage: number | undefined;
}

/** An answer of the provider, and its expected meaning. */
export interface Refusal {
  readonly name: string;
  readonly means: 'retry' | 'gone' | 'rejected' | 'misconfigured' | 'credentials_refused';
}

/** The answers of a provider, by what they must mean. */
export const refusalsBy = (names: Partial<Record<Refusal['means'], readonly string[]>>): readonly Refusal[] =>
  Object.entries(names).flatMap(([means, all]) => all.map((name) => ({ name, means: means as Refusal['means'] })));

export interface ChannelRig extends AsyncDisposable {
  /** The service that the rig's server reports to. */
  app?: TestApp;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly abilities: { readonly retracts: boolean };
  readonly stages: readonly number[];
  readonly refusals: readonly Refusal[];
  /** Sets the channel up and confirms it; returns its id. */
  connect(person: Person, fields?: object): Promise<string>;
  /** The messages about tasks since the last call. */
  take(): ShownMessage[];
  /** How many messages were retracted since the last call. */
  takeRetracted(): number;
  /** The next messages get this answer. */
  refuse(refusal: Refusal, times?: number): void;
  /** Changes what the person and the provider agreed on. */
  rotate?(person: Person, channelId: string): Promise<void>;
}

/** A rig behind an HTTP server, which answers by `respond`. */
export abstract class HttpRig implements AsyncDisposable {
  app?: TestApp;
  readonly server: HttpRecorder;

  constructor(server: HttpRecorder) {
    this.server = server;
  }

  static async start<T extends HttpRig>(this: new (server: HttpRecorder) => T): Promise<T> {
    let rig: T | undefined;
    const server = await HttpRecorder.start((request) => rig?.respond(request) ?? { status: 500 });
    rig = new this(server);
    return rig;
  }

  respond(_request: Recorded): ScriptedAnswer {
    return { status: 200 };
  }

  /** For providers that cannot retract. */
  takeRetracted(): number {
    return 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}

export async function create(person: Person, body: object): Promise<{ id: string; made: Made }> {
  const { status, body: answer } = await person.ask('POST', '/v1/channels', body);
  assert.equal(status, 200, JSON.stringify(answer));
  return { id: answer.data.channel.id, made: answer.data };
}

/** The answer of a receiver that proves a webhook: it returns the challenge. */
export const echo = ({ body }: Pick<Recorded, 'body'>): ScriptedAnswer => {
  const challenge = JSON.parse(body).data?.challenge;
  return { status: 200, body: challenge === undefined ? {} : { challenge } };
};

export interface Made {
  readonly channel: { readonly id: string; readonly state: string };
  readonly confirmation: string;
  readonly set_up: Readonly<Record<string, string>> | null;
  readonly link: string | null;
  readonly sent: string | null;
}

export async function verify(person: Person, id: string, code?: string) {
  return person.ask('POST', `/v1/channels/${id}/verify`, code === undefined ? {} : { code });
}
