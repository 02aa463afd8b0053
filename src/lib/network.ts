import { isIPv6 } from 'node:net';

/** Whether a request comes from this machine. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';

/** The /64 of an IPv6 address: one household has a whole /64, and could otherwise try from each address in it. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = tail?.split(':').filter(Boolean) ?? [];
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
