/**
 * Decides where a code may be sent. Pure.
 *
 * Addresses are compared letter by letter. Only the port of a program on the person's own machine may differ, even from
 * a registered one, because the program listens on any free port (RFC 8252, section 7.3).
 */
export type RedirectKind = 'web' | 'own_machine' | 'app';

const MAX_LENGTH = 512;
/** Characters that browsers and parsers read differently: white space, fragments, wildcards, backslashes, non-ASCII. */
const UNSAFE = /[^!-~]|[#*\\<>"`{}|^]/;
const WEB = /^https:\/\/[^/?@]+(?:[/?]|$)/;
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/;
/** One slash is the form of RFC 8252, section 7.1, and only for a domain turned around. */
const APP = /^([a-z][a-z0-9+.-]*):(\/\/?)[^/?@:]+(?:[/?]|$)/;
/**
 * The schemes of known assistants, and those that begin with a domain turned around (RFC 8252, section 7.1). Any other
 * may start a program of the system, such as `ms-msdt` or `search-ms` on Windows, with what the client wrote behind it.
 */
const KNOWN_ASSISTANTS = /^(?:cursor|vscode|vscode-insiders|windsurf|warp|raycast)$/;
const TURNED_DOMAIN = /^[a-z]{2,63}(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
/** A browser would resolve these before it sends the code. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Undefined for an address that no code is ever sent to. */
export function redirectKindOf(uri: string): RedirectKind | undefined {
  if (uri.length > MAX_LENGTH || UNSAFE.test(uri) || DOT_SEGMENT.test(uri) || !URL.canParse(uri)) return undefined;
  if (LOOPBACK.test(uri)) return 'own_machine';
  if (WEB.test(uri)) return 'web';
  const [, scheme = '', slashes] = APP.exec(uri) ?? [];
  const isKnown = KNOWN_ASSISTANTS.test(scheme) && slashes === '//';
  return isKnown || TURNED_DOMAIN.test(scheme) ? 'app' : undefined;
}

const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, '$1');

export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some((one) => one === uri || withoutLoopbackPort(one) === withoutLoopbackPort(uri));

/** The host, or the scheme of an app, as the person sees it. */
export const redirectTarget = (uri: string, kind: RedirectKind): string =>
  kind === 'app' ? `${APP.exec(uri)?.[1]}:` : new URL(uri).host;

/** Keeps the address as it was registered; an address may have a query of its own. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const parameters = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;
}
