/** Composes channels. A provider is one line in `channelProviders`; `push/channel-provider.ts` says what it must do. */
import { actRoutes } from '../channels/act.routes.ts';
import { ActService } from '../channels/act.service.ts';
import { ActTokens } from '../channels/act-token.ts';
import { ChannelImportService } from '../channels/channel-import.service.ts';
import { ChannelSenders } from '../channels/channel-senders.ts';
import { ChannelTestsService } from '../channels/channel-tests.service.ts';
import { ChannelUpdates } from '../channels/channel-updates.ts';
import { channelRoutes } from '../channels/channels.routes.ts';
import { ChannelsService } from '../channels/channels.service.ts';
import { ConfirmationsService } from '../channels/confirmations.service.ts';
import { EventsService } from '../channels/events.service.ts';
import { addOwnMail } from '../channels/own-mail.store.ts';
import { RequestLinks } from '../channels/request-links.ts';
import { taskCode } from '../channels/task-code.ts';
import { baseUrlOf, type Config, isHttps } from '../config.ts';
import type { Db } from '../db/schema.ts';
import { ReachService } from '../deliveries/reach.service.ts';
import type { Routes } from '../http/app.ts';
import { channelContext } from '../keys/sealed-contexts.ts';
import { Audit } from '../lib/audit.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mailer } from '../lib/mailer.ts';
import { isOwnMachine, isPublicUrl } from '../lib/public-address.ts';
import { hostOf } from '../lib/server-of.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import { privateNameLog } from '../outbound/private-name-log.ts';
import { AppriseProvider } from '../push/apprise/client.ts';
import { ChannelGateway } from '../push/channel-gateway.ts';
import { ChannelHttp } from '../push/channel-http.ts';
import type { ChannelProvider, LinkedContent } from '../push/channel-provider.ts';
import { EmailProvider } from '../push/email/client.ts';
import type { Gateways } from '../push/gateway.ts';
import { NtfyProvider } from '../push/ntfy/client.ts';
import { PushoverProvider } from '../push/pushover/client.ts';
import { SmsProvider } from '../push/sms/client.ts';
import { countriesOf } from '../push/sms/countries.ts';
import { type TelegramOptions, TelegramProvider } from '../push/telegram/client.ts';
import { WebhookProvider } from '../push/webhook/client.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import type { SessionsService } from '../sign-in/sessions.service.ts';
import type { StandInLinks } from '../tasks/stand-ins/stand-in-links.ts';
import type { TasksService } from '../tasks/tasks.service.ts';
import type { Parts, Shared } from './parts.ts';

interface ProviderParts {
  readonly config: Config;
  readonly http: ChannelHttp;
  readonly mailer: Mailer;
  readonly baseUrl: string;
  /** Real time. */
  readonly clock: Clock;
  /** Counts text messages. */
  readonly throttle: Pick<ThrottleService, 'countMessages' | 'uncountMessages'>;
}

/** Providers that need no settings are always there; the others if the operator has configured them. */
export const channelProviders = (parts: ProviderParts): ChannelProvider[] => {
  const { config, http, mailer, baseUrl, clock } = parts;
  return [
    ...(config.SMTP_URL ? [new EmailProvider(mailer, new URL(baseUrl).hostname)] : []),
    new WebhookProvider(http, clock),
    new NtfyProvider(http, clock, config.NTFY_SERVER, config.NTFY_TOKEN, understudyOptions(config, baseUrl)),
    ...(config.TELEGRAM_BOT_TOKEN
      ? [new TelegramProvider(http, clock, telegramOptions(config.TELEGRAM_BOT_TOKEN, config))]
      : []),
    ...pushoverProviders(parts),
    ...smsProviders(parts),
    new AppriseProvider(http, clock),
  ];
};

const understudyOptions = ({ UNDERSTUDIES: where }: Config, baseUrl: string) => ({
  isOn: where !== 'off',
  anywhere: where === 'anywhere',
  ownHost: hostOf(baseUrl),
});

function telegramOptions(token: string, config: Config): TelegramOptions {
  const hookUrl = canBeCalled(config) ? `${config.BASE_URL}/v1/hooks/telegram` : null;
  return { token, origin: config.TELEGRAM_ORIGIN, hookUrl };
}

function pushoverProviders({ config, http, clock, baseUrl }: ProviderParts): PushoverProvider[] {
  const { PUSHOVER_TOKEN: token, PUSHOVER_SUBSCRIPTION_URL: subscriptionUrl, PUSHOVER_ORIGIN: origin } = config;
  if (!token || !subscriptionUrl) return [];
  const hookUrl = `${baseUrl}/v1/hooks/pushover`;
  const options = { token, origin, subscriptionUrl, hookUrl, canBeCalled: canBeCalled(config) };
  return [new PushoverProvider(http, clock, options)];
}

function smsProviders({ config, http, clock, baseUrl, throttle }: ProviderParts): SmsProvider[] {
  const { SMS_ACCOUNT_SID: accountSid, SMS_AUTH_TOKEN: authToken, SMS_FROM: from } = config;
  if (!accountSid || !authToken || !from) return [];
  const options = {
    origin: config.SMS_ORIGIN,
    accountSid,
    authToken,
    from,
    isHolding: config.SMS_UNDERSTUDIES === 'on' && config.UNDERSTUDIES !== 'off',
    segmentsPerDay: config.SMS_SEGMENTS_PER_DAY,
    countries: countriesOf(config.SMS_COUNTRIES, from),
    hookUrl: `${baseUrl}/v1/hooks/sms`,
    canBeCalled: canBeCalled(config),
  };
  const counters = {
    count: (counter: string, amount: number, windowMs: number) => throttle.countMessages(counter, amount, windowMs),
    uncount: (counter: string, amount: number) => throttle.uncountMessages(counter, amount),
  };
  return [new SmsProvider(http, clock, options, counters)];
}

/** Providers can call only an https address. */
const canBeCalled = ({ BASE_URL = '' }: Config): boolean => isHttps(BASE_URL) && isPublicUrl(BASE_URL);

/** The providers, and a gateway for each. */
export function composeChannelGateways(
  { config, wallClock: clock, logger, extra }: Parts,
  { vault, mailer, throttle }: Shared,
) {
  const baseUrl = baseUrlOf(config, config.PORT);
  const onPrivateName = privateNameLog(logger, clock, 'CHANNEL_HOSTS');
  const http = new ChannelHttp(config.CHANNEL_HOSTS, extra?.resolve, onPrivateName);
  const tokens = new ActTokens(vault, baseUrl);
  const providers = channelProviders({ config, http, mailer, baseUrl, clock, throttle });
  const parts = {
    clock,
    logger,
    openAddress: (id: string, sealed: string) => JSON.parse(vault.open(channelContext(id), sealed)),
    actionsFor: (content: LinkedContent) => tokens.actionsFor(content),
    codeOf: (taskId: string) => taskCode(vault, taskId),
    allowsUnproven: (userId: string, host: string) => throttle.allowsUnprovenNudge(userId, host),
    allowsToken: (userId: string, host: string, isConfirmed: boolean) =>
      throttle.allowsToken(userId, host, isConfirmed),
    countRefusedToken: (userId: string, host: string) => throttle.countRefusedToken(userId, host),
    countOfDay: async (key: string) => void (await throttle.countOfDay(key, 1)),
  };
  const gateways: Gateways = Object.fromEntries(
    providers.map((provider) => [provider.kind.provider, new ChannelGateway(provider, parts)]),
  );
  return { providers, gateways, tokens, baseUrl, codeOf: parts.codeOf, close: () => http.close() };
}

/** What reaches people, for forecasts and lists. */
export const composeReach = (
  { clock, wallClock }: Parts,
  db: Db,
  providers: readonly ChannelProvider[],
  gateways: Gateways,
): ReachService =>
  new ReachService({
    db,
    clock,
    wallClock,
    gateways,
    titleOf: (name) => providers.find(({ kind }) => kind.provider === name)?.kind.title,
    addOwnChannels: gateways.email ? addOwnMail : async () => false,
  });

export function composeChannels(
  { clock, wallClock, logger }: Parts,
  { db, schema, vault, throttle }: Shared,
  { providers, tokens, baseUrl }: ReturnType<typeof composeChannelGateways>,
  gateways: Gateways,
  { service: tasks, standInLinks: standIns }: { readonly service: TasksService; readonly standInLinks: StandInLinks },
  reach: ReachService,
  wakeUp: () => void,
  { notices, sessions }: { readonly notices: AccountNotices; readonly sessions: SessionsService },
  wasLate: (userId: string) => Promise<boolean>,
): {
  readonly service: ChannelsService;
  readonly tests: ChannelTestsService;
  readonly routes: Routes[];
  readonly updates: ChannelUpdates;
  readonly imports: ChannelImportService;
} {
  const senders = new ChannelSenders(providers, gateways, vault, wallClock);
  const codeOf = (taskId: string) => taskCode(vault, taskId);
  const confirmations = new ConfirmationsService({
    db,
    clock: wallClock,
    vault,
    senders,
    tokens,
    limits: {
      confirmations: (userId, address, isOwn) => throttle.limitConfirmations(userId, address, isOwn),
      challenges: (userId) => throttle.enforce('challenges', userId),
      unproven: (userId, host) => throttle.limitUnproven(userId, host),
    },
  });
  const channels = new ChannelsService({
    db,
    clock: wallClock,
    audit: new Audit(logger),
    senders,
    confirmations,
    addressEntered: ({ userId, sessionId }, { isNew, ...address }) =>
      notices.send(userId, { kind: isNew ? 'channel_added' : 'channel_moved', ...address }, sessionId),
    codeOf,
    hasLocalLinks: isOwnMachine(new URL(baseUrl).hostname),
    reach,
    wasLate,
  });
  const limitTests = (userId: string) => throttle.limitTestMessages(userId);
  const tests = new ChannelTestsService({ db, senders, confirmations, reach, limitTests });
  const limitActs = (link: string) => throttle.enforce('actsPerLink', link);
  const requests = new RequestLinks({ db, clock, tokens, tasks, standIns, codeOf });
  const acts = new ActService({ db, clock, tokens, tasks, confirmations, requests, standIns, codeOf, limitActs });
  const findUserOf = async (token: string) => (await sessions.authenticate(token))?.userId;
  const events = new EventsService({ db, clock, logger, senders, confirmations, acts, tokens, wakeUp });
  const updates = new ChannelUpdates({ db, schema, clock: wallClock, logger, providers, senders, events });
  const imports = new ChannelImportService({ db, clock: wallClock, senders, addOwnMail });
  return {
    service: channels,
    tests,
    routes: [channelRoutes(channels, tests, events), actRoutes(acts, findUserOf)],
    updates,
    imports,
  };
}
