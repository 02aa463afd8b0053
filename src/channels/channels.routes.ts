import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { includesStage, STAGES } from '../escalation/ladder.ts';
import type { App, Routes } from '../http/app.ts';
import { callerOf, sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { findRememberedLink, rememberLink } from '../http/web-app/link-cookie.ts';
import { sendStaticPage } from '../http/web-app/static-page.ts';
import { named, Type } from '../lib/schema.ts';
import { words } from '../lib/words.ts';
import type { ChannelTestsService } from './channel-tests.service.ts';
import {
  ChannelCreate,
  ChannelKindOut,
  ChannelMade,
  ChannelOut,
  ChannelParams,
  ChannelsOut,
  ChannelsUpdate,
  ChannelTestOut,
  ChannelUpdate,
  ChannelVerify,
} from './channels.schemas.ts';
import type { ChannelsService, Made } from './channels.service.ts';
import type { EventsService } from './events.service.ts';
import { explainProblem, toTestOut } from './problem-text.ts';

const route = describeRoutes('channels');

export const channelRoutes =
  (channels: ChannelsService, tests: ChannelTestsService, events: EventsService): Routes =>
  (app) => {
    for (const schema of [
      ChannelCreate,
      ChannelUpdate,
      ChannelsUpdate,
      ChannelVerify,
      ChannelOut,
      ChannelsOut,
      ChannelMade,
      ChannelKindOut,
      ChannelTestOut,
    ])
      app.addSchema(schema);
    addListing(app, channels);
    addManagement(app, channels);
    addConfirmation(app, channels, tests);
    addHooks(app, events);
  };

function addListing(app: App, channels: ChannelsService): void {
  app.get(
    '/v1/channels',
    route('list_channels', 'List your channels, and whether nudges can reach you', { data: named(ChannelsOut) }),
    async (request) => {
      const caller = callerOf(request);
      const { channels: all, ...reach } = await channels.list(caller);
      return ok({ ...reach, channels: all.map((channel) => toOut(channels, channel, caller.kind === 'session')) });
    },
  );
  app.patch(
    '/v1/channels',
    route('change_fallback', 'Set how long each tier waits for an answer to the one before it', {
      body: named(ChannelsUpdate),
      data: Type.Object({ fallback_minutes: Type.Integer() }),
    }),
    async (request) => {
      const { fallback_minutes } = request.body;
      await channels.setFallback(sessionOf(request), fallback_minutes);
      return ok({ fallback_minutes });
    },
  );
  app.get(
    '/v1/channels/kinds',
    route('list_channel_kinds', 'List the kinds of channels that this service offers, and what each asks for', {
      data: Type.Array(named(ChannelKindOut)),
    }),
    async () =>
      ok(
        channels.kinds.map((kind) => ({
          ...kind,
          fields: kind.fields.map((field) => ({ ...field, generated: field.generated ?? false })),
          strengths: [...kind.strengths],
        })),
      ),
  );
}

function made(channels: ChannelsService, request: FastifyRequest, reply: FastifyReply, result: Made) {
  rememberLink(request, reply, result.link);
  return ok({ ...result, set_up: result.set_up && { ...result.set_up }, channel: toOut(channels, result.channel) });
}

function addManagement(app: App, channels: ChannelsService): void {
  app.post(
    '/v1/channels',
    route('create_channel', 'Set up a channel; it is used once you have confirmed that it is yours', {
      body: named(ChannelCreate),
      data: named(ChannelMade),
      refuses: ['channel_known', 'too_many_channels', 'idempotency_key_spent'],
      needsRecentSignIn: true,
      showsSecret: true,
    }),
    async (request, reply) =>
      made(channels, request, reply, await channels.create(sessionOf(request), request.body, request.ip)),
  );
  app.patch(
    '/v1/channels/:channel_id',
    route('change_channel', 'Change a channel, or switch it off and on', {
      params: ChannelParams,
      body: named(ChannelUpdate),
      data: named(ChannelMade),
      refuses: ['channel_known'],
      // Only the fields change where the channel sends.
      needsRecentSignIn: (body) => (body as Static<typeof ChannelUpdate>).fields !== undefined,
    }),
    async (request, reply) => {
      const { channel_id } = request.params;
      return made(
        channels,
        request,
        reply,
        await channels.change(sessionOf(request), channel_id, request.body, request.ip),
      );
    },
  );
  app.delete(
    '/v1/channels/:channel_id',
    route('remove_channel', 'Remove a channel', {
      params: ChannelParams,
      data: Type.Object({ removed: Type.Boolean() }),
    }),
    async (request) => {
      await channels.remove(sessionOf(request), request.params.channel_id, request.ip);
      return ok({ removed: true });
    },
  );
}

function addConfirmation(app: App, channels: ChannelsService, tests: ChannelTestsService): void {
  app.post(
    '/v1/channels/:channel_id/verify',
    route('verify_channel', 'Confirm a channel by its code; without one, ask for a code or send the challenge', {
      params: ChannelParams,
      body: named(ChannelVerify),
      data: named(ChannelMade),
      refuses: ['wrong_channel_code', 'channel_not_reached', 'channel_crowded', 'idempotency_key_spent'],
      // It can begin anew, and a link lets whoever opens it decide where the channel sends.
      needsRecentSignIn: true,
      showsSecret: true,
    }),
    async (request, reply) => {
      const { channel_id } = request.params;
      const result = await channels.verify(sessionOf(request), channel_id, request.body.code ?? undefined, request.ip);
      return made(channels, request, reply, result);
    },
  );
  app.post(
    '/v1/channels/:channel_id/test',
    route('test_channel', 'Send a test message through a channel', {
      params: ChannelParams,
      data: named(ChannelTestOut),
    }),
    async (request) => {
      const result = await tests.test(sessionOf(request), request.params.channel_id);
      return ok(toTestOut(result));
    },
  );
}

const provider = Type.String({ minLength: 1, maxLength: 40 });
const token = Type.String({ minLength: 1, maxLength: 200 });
const HIDDEN = { schema: { hide: true } };

/** Each provider sends a body of its own shape, so the body stays text, whatever its content type. */
function addHooks(app: App, events: EventsService): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: 65_536 },
      async (_request: unknown, body: string) => body,
    );
    const receive = async (request: FastifyRequest, params: { provider: string; token?: string }) =>
      events.receive(params.provider, {
        headers: request.headers,
        query: request.query as Record<string, string>,
        body: typeof request.body === 'string' ? request.body : '',
        token: params.token,
        browserState: findRememberedLink(request),
        networkAddress: request.ip,
      });
    scope.post(
      '/v1/hooks/:provider',
      { schema: { ...HIDDEN.schema, params: Type.Object({ provider }) } },
      async (request) => {
        await receive(request, request.params);
        return ok({});
      },
    );
    const withToken = { schema: { ...HIDDEN.schema, params: Type.Object({ provider, token }) } };
    scope.post('/v1/hooks/:provider/:token', withToken, async (request) => {
      await receive(request, request.params);
      return ok({});
    });
    // Where a provider sends the person back to.
    scope.get('/v1/hooks/:provider/:token', withToken, async (request, reply) => {
      const state = await receive(request, request.params);
      const { heading, text } = words.connectedPage[state];
      const back = `<p>${text} <a href="/app/settings/channels">${words.connectedPage.back}</a></p>`;
      return sendStaticPage(reply.code(state === 'expired' ? 410 : 200), heading, `<h1>${heading}</h1>\n${back}`);
    });
  });
}

type Stored = Made['channel'];

function toOut(channels: ChannelsService, channel: Stored, showsAddress = true): Static<typeof ChannelOut> {
  const reason = channel.invalid_reason ?? channel.last_error;
  return {
    id: channel.id,
    provider: channel.provider,
    name: channel.name,
    label: showsAddress ? channel.label : null,
    state: channels.stateOf(channel),
    problem: reason && explainProblem(reason),
    reason,
    stages: STAGES.filter((stage) => includesStage(channel.stages, stage)),
    tier: channel.tier,
    private_title: channel.private_title,
    automatic: channel.automatic,
    verified_at: channel.verified_at,
    proven_by: channel.proven_by,
    created_at: channel.created_at,
  };
}
