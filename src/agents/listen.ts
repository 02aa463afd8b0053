/**
 * Answers `subscriptions/listen` with a stream that stays open and names the resources that have changed, never what
 * changed about them: the client reads them again, by the rules of reading.
 */
import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { callerOf, isStillAuthenticated } from '../http/authentication.ts';
import { extendHandlerTime } from '../http/handler-timeout.ts';
import { AppError } from '../lib/errors.ts';
import type { McpRequest, openSubscription } from './mcp-server.ts';
import { isResource } from './resources.ts';
import { LONGEST_MS, type Subscriptions } from './subscriptions.ts';
import { ToolFailure } from './tool-failure.ts';
import { WatchedResources } from './watched-resources.ts';

/** A comment, which clients ignore. */
const KEEP_ALIVE = ': still here\n\n';
/** More than a client asks for, and few enough to look through after each change. */
const MOST_RESOURCES = 100;
/** With more than this unread, the client does not read. It connects again and reads its resources anew. */
const MOST_UNREAD_BYTES = 65_536;

interface ListenMessage {
  readonly method: 'subscriptions/listen';
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } };
}

export const isListening = (message: unknown): message is ListenMessage =>
  (message as ListenMessage | null | undefined)?.method === 'subscriptions/listen';

/** Returns the stream, and sets the headers of its answer. */
export async function openStream(
  reply: FastifyReply,
  { message, ...call }: McpRequest & { readonly message: ListenMessage },
  subscriptions: Subscriptions,
  open: typeof openSubscription,
): Promise<Readable> {
  subscriptions.requireRoom();
  const uris = knownResources(message);
  const watched = new WatchedResources(uris, async () => ({ ...(await call.loadAgent()), ask: undefined }));
  if (uris.length > 0) await watched.start().catch(toRefusal);
  const messages = new Readable({ read: () => undefined });
  const isRead = () => messages.readableLength < MOST_UNREAD_BYTES;
  const asked = { ...call, message: withResources(message, uris) };
  const { response, end } = await open(asked, (notify) => {
    const look = async () => {
      if (!isRead() || !(await isStillAuthenticated(reply.request))) return false;
      for (const uri of await watched.findChanged()) notify({ kind: 'resource_updated', uri });
      return true;
    };
    return subscriptions.open({
      userId: callerOf(reply.request).userId,
      // A change is told from the request that made it. The look belongs to this request.
      look: AsyncResource.bind(look),
      keepAlive: () => void (isRead() && messages.push(KEEP_ALIVE)),
      end: () => end(),
    });
  });
  reply.raw.once('close', end);
  if (reply.raw.destroyed) end();
  extendHandlerTime(reply, 2 * LONGEST_MS);
  response.headers.forEach((value, name) => void reply.header(name, value));
  // The socket of a stream that ended must not keep a stopping process waiting.
  reply.code(response.status).header('cache-control', 'no-store').header('connection', 'close');
  reply.server.observeAnswer(reply.request, reply);
  void pass(response, messages);
  return messages;
}

async function pass({ body }: Response, messages: Readable): Promise<void> {
  for await (const chunk of body ?? []) if (!messages.destroyed) messages.push(chunk);
  if (!messages.destroyed) messages.push(null);
}

/** What the client asked for and can be told of. Whether a task exists is not said. */
function knownResources({ params }: ListenMessage): readonly string[] {
  const asked = params?.notifications?.resourceSubscriptions;
  if (!Array.isArray(asked)) return [];
  return [...new Set(asked)].filter((uri) => typeof uri === 'string' && isResource(uri)).slice(0, MOST_RESOURCES);
}

/** Anything but a list is left to the SDK, which refuses it. */
function withResources(message: ListenMessage, uris: readonly string[]): ListenMessage {
  const { params } = message;
  if (!Array.isArray(params?.notifications?.resourceSubscriptions)) return message;
  return { ...message, params: { ...params, notifications: { ...params.notifications, resourceSubscriptions: uris } } };
}

function toRefusal(error: unknown): never {
  if (!(error instanceof ToolFailure) || error.code === 'invalid_input') throw error;
  const { code, message: sentence, retryAfterSeconds } = error;
  throw new AppError(code, { sentence, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
