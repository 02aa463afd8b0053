/** Which address a request comes from, behind the proxies that TRUST_PROXY names. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** `hop` is 0 for the peer itself, 1 for the address that the peer passed on, and so on. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** A number means: trust this many proxies in front of the service. */
export function trustedProxies(setting: false | number | string[]): IsTrustedProxy {
  if (setting === false) return () => false;
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  const trusted = new BlockList();
  for (const range of setting) {
    const [address = '', bits] = withoutZone(range).split('/');
    trusted.addSubnet(address, Number(bits ?? (familyOf(address) === 'ipv4' ? 32 : 128)), familyOf(address));
  }
  return (text) => {
    const address = withoutZone(text);
    return isIP(address) !== 0 && trusted.check(address, familyOf(address));
  };
}

const withoutZone = (address: string): string => address.replace(/%[^/]*/, '');

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** The same as `ip` of Fastify's requests, for code that runs before there is one. */
export function clientAddressOf({ headers, socket }: IncomingMessage, isTrusted: IsTrustedProxy): string {
  let address = socket.remoteAddress ?? '';
  const passedOn = String(headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = 0; isTrusted(address, hop); hop += 1) {
    let next = '';
    while (next === '' && passedOn.length > 0) next = passedOn.pop()?.trim() ?? '';
    if (next === '') break;
    address = next;
  }
  return address;
}
