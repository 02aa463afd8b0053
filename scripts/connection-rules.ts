/**
 * Who may open a connection. An address that somebody chose is called by `src/outbound/guarded-http.ts` alone, so every
 * other file that can open a connection is listed here with the reason why its address is nobody's choice but the
 * operator's. `check-connections.ts` enforces it and fails the build.
 */
import { parseSync } from '@swc/core';

/** A file, or a folder with a slash at its end; what it opens connections with; and where its addresses come from. */
export const OPENERS: readonly (readonly [path: string, by: readonly string[], why: string])[] = [
  ['src/outbound/http-sender.ts', ['node:http', 'node:https'], 'the connections that the files below use'],
  ['src/outbound/guarded-http.ts', ['HttpSender'], 'the one way to an address that somebody chose'],
  ['src/outbound/endpoint.ts', ['node:dns'], 'looks up names that the operator listed'],
  ['src/outbound/name-resolver.ts', ['node:dns/promises'], 'asks the name servers of this machine'],
  [
    'src/push/channel-http.ts',
    ['HttpSender', 'postJson', 'requestOnce', 'requestTrusted'],
    'passes on to the providers below',
  ],
  ['src/push/ntfy/elsewhere.ts', ['node:dns'], 'looks up names that the operator listed'],
  ['src/push/ntfy/client.ts', ['requestTrusted'], 'NTFY_SERVER; the servers of people are guarded'],
  ['src/push/pushover/client.ts', ['requestTrusted'], 'PUSHOVER_ORIGIN'],
  ['src/push/sms/client.ts', ['requestOnce', 'requestTrusted'], 'SMS_ORIGIN'],
  ['src/push/telegram/client.ts', ['postJson'], 'TELEGRAM_ORIGIN'],
  ['src/push/fcm/client.ts', ['HttpSender'], 'FCM_ORIGIN, and the token address of FCM_SERVICE_ACCOUNT'],
  ['src/push/apns/connection.ts', ['node:http2'], "Apple's hosts, or APNS_ORIGIN"],
  ['src/sign-in/provider/discovery.ts', ['fetch'], 'IDP_ISSUER'],
  ['src/sign-in/provider/identity-provider.ts', ['fetch', 'createRemoteJWKSet'], 'IDP_ISSUER and IDP_JWKS_URL'],
  ['src/sign-in/provider/relying-party.ts', ['openid-client'], 'the endpoints that IDP_ISSUER names'],
  ['src/watch/heartbeat.ts', ['fetch'], 'HEARTBEAT_URL'],
  ['src/watch/tracing.ts', ['@opentelemetry/exporter-trace-otlp-proto'], 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ['src/lib/mailer.ts', ['nodemailer'], 'SMTP_URL'],
  ['src/lib/try-mail.ts', ['nodemailer'], 'SMTP_URL'],
  ['src/db/', ['pg'], 'DATABASE_URL'],
  ['src/http/web-app/web-app.ts', ['node:child_process'], 'builds the web app, with fixed arguments'],
  ['bin/crescendo.js', ['node:module'], 'for the compile cache alone'],
  ['src/cli/doctor/address.ts', ['fetch'], 'BASE_URL'],
  ['src/cli/doctor/outside.ts', ['fetch'], 'the origins of the configured providers'],
];

/** What these modules of Node.js export that opens no connection and asks no name server. Everything else may. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  child_process: [],
  dgram: [],
  dns: ['ADDRCONFIG', 'getDefaultResultOrder'],
  'dns/promises': [],
  http: ['METHODS', 'STATUS_CODES', 'createServer'],
  http2: ['constants', 'createSecureServer', 'createServer', 'sensitiveHeaders'],
  https: ['createServer'],
  inspector: [],
  module: ['enableCompileCache', 'register'],
  net: ['BlockList', 'createServer', 'isIP', 'isIPv4', 'isIPv6'],
  tls: ['createServer', 'getCACertificates', 'rootCertificates', 'setDefaultCACertificates'],
};

/** Packages that open connections. A test compares both lists with package.json. */
export const CONNECTING_PACKAGES = ['@opentelemetry/exporter-trace-otlp-proto', 'nodemailer', 'openid-client', 'pg'];
export const SILENT_PACKAGES = [
  '@fastify/fast-json-stringify-compiler',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  '@fastify/type-provider-typebox',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  // Asked for no attestation (ADR 24), so it has no certificates with addresses in them.
  '@simplewebauthn/server',
  'ajv',
  'fastify',
  'http_ece',
  'ical.js',
  // Its one function that connects is among the names below.
  'jose',
  'kysely',
  'marked',
  'otpauth',
  'pino',
  'prom-client',
  'saxes',
  'typebox',
];

/** Globals, and ways to get a module without naming it in an import. */
const GLOBALS = new Set(['EventSource', 'WebSocket', 'XMLHttpRequest', 'fetch', 'require']);
/** Wherever they stand: they connect, or bring a module that does. */
const NAMES = new Set([
  'createRemoteJWKSet',
  'createRequire',
  'getBuiltinModule',
  'postJson',
  'requestOnce',
  'requestTrusted',
]);
const SENDER = /(^|\/)http-sender\.ts$/;

interface Node {
  readonly type?: string;
  readonly [field: string]: unknown;
}

/** What a source text opens connections with; empty for most. */
export function findOpeners(source: string): string[] {
  const found = new Set<string>();
  visit(parseSync(source, { syntax: 'typescript' }) as unknown as Node, found);
  return [...found].toSorted();
}

function visit(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) for (const one of node) visit(one, found);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const opener = findOpener(node as Node);
  if (opener !== undefined) found.add(opener);
  for (const value of Object.values(node)) if (typeof value === 'object') visit(value, found);
}

function findOpener(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      return node.typeOnly ? undefined : ofModule(textOf(node.source), node.specifiers as Node[]);
    case 'ExportAllDeclaration':
      return ofModule(textOf(node.source), undefined);
    case 'TsExternalModuleReference':
      return ofModule(textOf(node.expression), undefined);
    case 'CallExpression':
      return (node.callee as Node).type === 'Import' ? ofDynamicImport(node) : undefined;
    case 'MemberExpression':
      return ofMember(node);
    case 'Identifier':
      return ofIdentifier(node);
    default:
      return undefined;
  }
}

const textOf = (node: unknown): string => String((node as Node | null)?.value ?? '');

/** `specifiers` is undefined if everything of the module is imported. */
function ofModule(module: string, specifiers: readonly Node[] | undefined): string | undefined {
  const names = specifiers?.filter(({ isTypeOnly }) => !isTypeOnly).map(importedName);
  if (names?.length === 0 && specifiers?.length !== 0) return undefined;
  if (SENDER.test(module)) return names === undefined || names.includes('HttpSender') ? 'HttpSender' : undefined;
  const builtIn = module.replace(/^node:/, '');
  const harmless = HARMLESS[builtIn];
  if (harmless) return names?.every((name) => harmless.includes(name)) ? undefined : `node:${builtIn}`;
  return CONNECTING_PACKAGES.find((name) => module === name || module.startsWith(`${name}/`));
}

/** A default or namespace import has no name of its own, so it can be everything. */
const importedName = ({ type, imported, local, orig }: Node): string => {
  if (type === 'ExportSpecifier') return textOf(orig);
  return type === 'ImportSpecifier' ? textOf(imported ?? local) : '*';
};

function ofDynamicImport({ arguments: given }: Node): string | undefined {
  const { type, value } = (given as { expression: Node }[])[0]?.expression ?? {};
  return type === 'StringLiteral' ? ofModule(String(value), undefined) : 'a computed import';
}

/** `globalThis.fetch`, also with brackets. */
function ofMember({ object, property }: Node): string | undefined {
  const { type, value, expression } = property as Node;
  const name = type === 'Computed' ? textOf(expression) : String(value);
  if (NAMES.has(name)) return name;
  const isOfGlobal = ['globalThis', 'global'].includes(textOf(object));
  return isOfGlobal && GLOBALS.has(name) ? name : undefined;
}

/** The parser marks names that no scope of the file declares with context 1. */
function ofIdentifier({ value, ctxt }: Node): string | undefined {
  const name = String(value);
  return NAMES.has(name) || (ctxt === 1 && GLOBALS.has(name)) ? name : undefined;
}
