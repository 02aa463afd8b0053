/** Assistants for tests: raw requests to the authorization server, and a server for their documents. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DocumentOptions } from '../../src/connections/client-documents.ts';
import type { Person } from './people.ts';
import { certificate, certificateKey } from './self-signed-certificate.ts';
import type { Answer, TestApp } from './test-app.ts';

export const CALLBACK = 'https://assistant.example/callback';
export const RAILS = { scopes: ['tasks:read', 'tasks:write'], max_stage: null, max_open_tasks: null, expires_at: null };

export type Fields = Readonly<Record<string, string | undefined>>;

export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
}

export const registerAt = (app: TestApp, body: object): Promise<Answer> =>
  app.ask({ method: 'POST', url: '/oauth/register', payload: body });

export async function register(app: TestApp, fields: object = {}): Promise<Registered> {
  const { status, body } = await registerAt(app, {
    client_name: 'Jeeves',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

/** A fresh verifier and its challenge. */
export function newProof(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

const toForm = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();

/** A valid request, with the given parameters replaced. */
export const queryOf = (clientId: string, challenge: string, fields: Fields = {}): string =>
  toForm({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: 'http://localhost:80/mcp',
    state: 'st4te',
    ...fields,
  });

export const decide = (person: Person, query: string, rails: object = RAILS, agrees = true): Promise<Answer> =>
  person.ask('POST', '/v1/connections', { query, agrees, rails });

/** Agrees in the name of the person, and returns the code. */
export async function agree(person: Person, query: string, rails: object = {}): Promise<string> {
  const { status, body } = await decide(person, query, { ...RAILS, ...rails });
  assert.equal(status, 200, JSON.stringify(body));
  const code = new URL(body.data.redirect_to).searchParams.get('code');
  assert.ok(code);
  return code;
}

export const postForm = (app: TestApp, url: string, fields: Fields, headers: object = {}): Promise<Answer> =>
  app.ask({
    method: 'POST',
    url,
    payload: toForm(fields),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

export const askToken = (app: TestApp, fields: Fields, headers: object = {}): Promise<Answer> =>
  postForm(app, '/oauth/token', fields, headers);

export interface Connected {
  readonly clientId: string;
  /** The id of the connection. */
  readonly id: string;
  readonly access: string;
  readonly refresh: string;
  readonly code: string;
}

/** Connects an assistant, from its registration to its first pair of secrets. */
export async function connect(app: TestApp, person: Person, rails: object = {}, known?: string): Promise<Connected> {
  const clientId = known ?? (await register(app)).client_id;
  const { verifier, challenge } = newProof();
  const code = await agree(person, queryOf(clientId, challenge), rails);
  const { status, body } = await askToken(app, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: clientId,
    code_verifier: verifier,
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [newest] = (await person.ask('GET', '/v1/tokens')).body.data;
  return { clientId, id: newest.id, access: body.access_token, refresh: body.refresh_token, code };
}

export const refreshWith = (app: TestApp, { clientId, refresh }: Pick<Connected, 'clientId' | 'refresh'>) =>
  askToken(app, { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId });

/** The status of a call to an MCP endpoint: 200 if the token counts there. */
export async function mcpStatus(app: TestApp, token: string, url = '/mcp'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { statusCode } = await app.fastify.inject({ method: 'POST', url, headers, payload });
  return statusCode;
}

type Reply = { readonly status?: number; readonly type?: string; readonly body: unknown; readonly headers?: object };

/** Serves documents over https, under the name for which the tests have a certificate. */
export class DocumentServer implements AsyncDisposable {
  readonly #server: Server;
  /** The answer of each path; a path without an entry never answers. */
  readonly replies = new Map<string, Reply>();
  readonly requested: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      const path = request.url ?? '/';
      this.requested.push(path);
      const reply = this.replies.get(path);
      if (!reply) return;
      const { status = 200, type = 'application/json', body, headers } = reply;
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  static async start(): Promise<DocumentServer> {
    const server = createServer({ key: certificateKey, cert: certificate });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DocumentServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For `extra.documents`: this server is called although its address is private. */
  get options(): DocumentOptions {
    return { hosts: [`localhost:${this.port}`], ca: certificate };
  }

  idOf(path: string): string {
    return `https://localhost:${this.port}${path}`;
  }

  /** Publishes a document at the path and returns the id of its client. */
  publish(path: string, fields: object = {}): string {
    const id = this.idOf(path);
    const document = { client_id: id, client_name: 'Jeeves', redirect_uris: [CALLBACK], ...fields };
    this.replies.set(path, { body: document });
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
