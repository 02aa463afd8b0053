/**
 * One spelling for each server, host and address, so that a limit cannot be passed by writing the same one in another
 * way. The URL parser settles case, default ports, IDN, and IPv4 in hex or octal; this file settles the rest. Pure.
 */

/** The server of a URL: scheme, host and port. Places are counted by it, since another port is another program. */
export function serverOf(url: string): string {
  const { protocol, port } = new URL(url);
  return `${protocol}//${hostOf(url)}${port === '' ? '' : `:${port}`}`;
}

/** Null if the text is not a URL. */
export const findServer = (url: string): string | null => (URL.canParse(url) ? serverOf(url) : null);

/** The host of a URL, without its port: what is sent to any port of a machine reaches the same machine. */
export function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? unmapped(hostname) : withoutTrailingDots(hostname);
}

/** The address that a request goes to: without a fragment, credentials and escapes that mean the same. */
export function addressOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${serverOf(url)}${unescaped(pathname)}${unescaped(search)}`;
}

/** A pattern such as `/\.+$/` would take time that grows with the square of the length of the name. */
function withoutTrailingDots(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end -= 1;
  return name.slice(0, end);
}

/** `[::ffff:7f00:1]` is 127.0.0.1. */
function unmapped(host: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

/** RFC 3986, 6.2.2: an escaped letter is the letter, and the digits of an escape have no case. */
const unescaped = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
