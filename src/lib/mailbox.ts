/**
 * Which mailbox an address is delivered to, for limits: a limit per address would be a limit per spelling, and one
 * mailbox has thousands. Never for finding an account, because on other servers the two addresses belong to different
 * people.
 *
 * What follows a plus is ignored everywhere, as most servers do. The rest of the table is what these providers document.
 */
import { domainToASCII } from 'node:url';

interface Provider {
  /** The domain that stands for all domains of the mailbox. */
  readonly domain: string;
  /** What begins the part that the owner appends at will. */
  readonly tag?: RegExp;
  readonly normalizeName?: (name: string) => string;
}

const TAG = /\+/;
/** A Yahoo name has no hyphen: `name-keyword` is a disposable address of the mailbox. */
const YAHOO_TAG = /[+-]/;
const YAHOO = /^(?:yahoo\.(?!co\.jp$)(?:[a-z]{2,3}|com?\.[a-z]{2})|ymail\.com|rocketmail\.com|myyahoo\.com)$/;
/** Fastmail delivers `anything@name.fastmail.com` to `name@fastmail.com`. */
const FASTMAIL_SUBDOMAIN = /^([^.]+)\.(fastmail\.(?:com|fm))$/;

const gmail: Provider = { domain: 'gmail.com', normalizeName: (name) => name.replaceAll('.', '') };
const proton: Provider = { domain: 'proton.me', normalizeName: (name) => name.replaceAll(/[._-]/g, '') };
const icloud: Provider = { domain: 'icloud.com' };
/** A dot and a hyphen are the same letter there. */
const yandex: Provider = { domain: 'yandex.ru', normalizeName: (name) => name.replaceAll('.', '-') };

const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ...['gmail.com', 'googlemail.com'].map((domain) => [domain, gmail] as const),
  ...['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'].map((domain) => [domain, proton] as const),
  ...['icloud.com', 'me.com', 'mac.com'].map((domain) => [domain, icloud] as const),
  ...['ru', 'com', 'by', 'kz', 'com.tr'].map((end) => [`yandex.${end}`, yandex] as const),
  ['ya.ru', yandex],
]);

/** The same text for all addresses of a mailbox. A text that is no address is returned as it is. */
export function mailboxOf(address: string): string {
  const { name, domain, provider } = read(address);
  if (domain === '') return address;
  const untagged = withoutTag(name, provider);
  return `${provider.normalizeName?.(untagged) || untagged}@${provider.domain}`;
}

/** Whether the owner of the mailbox, or anybody else, appended something to its name. */
export function isTagged(address: string): boolean {
  const { name, domain, provider } = read(address);
  return withoutTag(name, provider) !== name || FASTMAIL_SUBDOMAIN.test(domain);
}

/** No domain is longer, and a longer text takes `domainToASCII` a time that grows with its square. */
const LONGEST_DOMAIN = 255;

function read(address: string): { name: string; domain: string; provider: Provider } {
  const at = address.lastIndexOf('@');
  const written = at === -1 ? '' : address.slice(at + 1).toLowerCase();
  const domain = written.length > LONGEST_DOMAIN ? written : toHost(written);
  const [, owner, host] = FASTMAIL_SUBDOMAIN.exec(domain) ?? [];
  const name = owner ?? address.slice(0, Math.max(at, 0)).toLowerCase();
  const provider = PROVIDERS.get(domain) ?? { domain: host ?? domain, ...(YAHOO.test(domain) && { tag: YAHOO_TAG }) };
  return { name, domain, provider };
}

function toHost(domain: string): string {
  const host = domain.replace(/\.+$/, '');
  return domainToASCII(host) || host;
}

/** A name that is nothing but a tag stays as it is. */
const withoutTag = (name: string, { tag = TAG }: Provider): string => name.slice(0, tagStart(name, tag));

function tagStart(name: string, tag: RegExp): number | undefined {
  const start = name.search(tag);
  return start > 0 ? start : undefined;
}
