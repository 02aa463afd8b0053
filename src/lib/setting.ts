/**
 * The types of settings. Each parses the text of an environment variable, and describes valid values. An error
 * message never repeats a secret.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { findNormalEmail } from './email.ts';

interface SettingType<T> {
  /** Describes a valid value; completes the sentence "it must be …". */
  readonly expects: string;
  readonly secret?: boolean;
  /** Returns undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

export interface Setting<T> extends SettingType<T> {
  /** The default, as text. Undefined if the setting has none. */
  readonly defaultText: string | undefined;
}

/** The values of settings, as code reads them. */
export type ValuesOf<S extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

export const optional = <T>(type: SettingType<T>): Setting<T | undefined> => ({ ...type, defaultText: undefined });
export const withDefault = <T>(defaultText: string, type: SettingType<T>): Setting<T> => ({ ...type, defaultText });
export const secret = <T>(type: SettingType<T>): SettingType<T> => ({ ...type, secret: true });

export const text = (expects: string): SettingType<string> => ({ expects, parse: (raw) => raw });

export const matching = (pattern: RegExp, expects: string): SettingType<string> => ({
  expects,
  parse: (raw) => (pattern.test(raw) ? raw : undefined),
});

export const integer = (min: number, max: number): SettingType<number> => ({
  expects: `a whole number from ${min} to ${max}`,
  parse: (raw) => numberIn(min, max, /^\d{1,9}$/, raw),
});

export const decimal = (min: number, max: number): SettingType<number> => ({
  expects: `a number from ${min} to ${max}`,
  parse: (raw) => numberIn(min, max, /^\d{1,9}(\.\d{1,6})?$/, raw),
});

function numberIn(min: number, max: number, shape: RegExp, raw: string): number | undefined {
  const value = Number(raw);
  return shape.test(raw) && value >= min && value <= max ? value : undefined;
}

export const flag: SettingType<boolean> = {
  expects: 'true or false',
  parse: (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined),
};

export const oneOf = <const T extends string>(...values: readonly T[]): SettingType<T> => ({
  expects: `one of ${values.join(', ')}`,
  parse: (raw) => values.find((value) => value === raw),
});

export const list = (pattern: RegExp, expects: string): SettingType<readonly string[]> =>
  listOf((item) => (pattern.test(item) ? item : undefined), expects);

/** `read` returns an item in the form in which it is compared, or undefined if it is not valid. */
const listOf = (read: (item: string) => string | undefined, expects: string): SettingType<readonly string[]> => ({
  expects: `a comma-separated list of ${expects}`,
  parse: (raw) => {
    const items = raw.split(',').map((item) => read(item.trim()));
    return items.every((item) => item !== undefined) ? items : undefined;
  },
});

export const emailAddresses = listOf(findNormalEmail, 'email addresses');

export const emailDomains = listOf((domain) => {
  const host = findNormalEmail(`anyone@${domain}`)?.split('@')[1];
  return host && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host) ? host : undefined;
}, 'domains like example.org, without an @ or a *');

/** In the form in which a request names its host. */
export const hostNames = listOf((name) => {
  if (!/^[^\s/?#@:%*[\]\\]+$/.test(name)) return undefined;
  const host = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, '');
  // A name with an empty label, such as `.example.org`, would match no request.
  return host?.split('.').every((label) => /^[a-z0-9_-]+$/.test(label)) ? host : undefined;
}, 'host names like reminders.example.org, without a port, a * or a dot in front');

/** A comma-separated list, or a JSON array for items that contain a comma. */
export const listOrJson = (pattern: RegExp, expects: string): SettingType<readonly string[]> => {
  const plain = list(pattern, expects);
  return {
    expects: `${plain.expects}, or a JSON array of them`,
    parse: (raw) => (raw.startsWith('[') ? parseTexts(raw, pattern) : plain.parse(raw)),
  };
};

function parseTexts(raw: string, pattern: RegExp): string[] | undefined {
  try {
    const texts: unknown = JSON.parse(raw);
    const isFine = Array.isArray(texts) && texts.every((text) => typeof text === 'string' && pattern.test(text));
    return isFine ? texts : undefined;
  } catch {
    return undefined;
  }
}

export const url = (...schemes: readonly string[]): SettingType<string> => ({
  expects: `a URL with ${schemes.join(':// or ')}://`,
  parse: (raw) => (parseUrl(raw, schemes) ? raw : undefined),
});

/** Scheme, host and port, without a path. */
export const httpOrigin: SettingType<string> = {
  expects: 'an origin like https://example.org or http://localhost:8080, without a path',
  parse: (raw) => {
    const parsed = parseUrl(raw, ['http', 'https']);
    const bare =
      parsed && parsed.pathname === '/' && !parsed.search && !parsed.hash && !parsed.username && !parsed.password;
    return bare ? parsed.origin : undefined;
  },
};

/** The same, without the final dot of a host, so that links, passkeys and requests all have one spelling of the name. */
export const ownOrigin: SettingType<string> = {
  expects: httpOrigin.expects,
  parse: (raw) => httpOrigin.parse(raw)?.replace(/\.(?=:\d+$|$)/, ''),
};

function parseUrl(raw: string, schemes: readonly string[]): URL | undefined {
  const parsed = URL.parse(raw);
  return parsed && parsed.host !== '' && schemes.includes(parsed.protocol.slice(0, -1)) ? parsed : undefined;
}

export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** The rest of a password after one of these characters would be read as another part of the URL. */
const IN_PASSWORDS = 'with %40 for @, %23 for #, %3A for :, %2F for /, %3F for ? and %25 for % in the password';

/** A URL with a user and a password, both spelt so that the server gets what its operator meant. */
function parseLogin(raw: string, schemes: readonly string[]): URL | undefined {
  const parsed = parseUrl(raw, schemes);
  if (parsed?.hash !== '' || `${parsed.pathname}${parsed.search}`.includes('@')) return undefined;
  const isEncoded = ![parsed.username, parsed.password].some((part) => /%(?![0-9a-f]{2})/i.test(part));
  return isEncoded ? parsed : undefined;
}

export const mailServer: SettingType<string> = {
  expects: `smtp://USER:PASSWORD@HOST:PORT or smtps://…, ${IN_PASSWORDS}`,
  parse: (raw) => (parseLogin(raw, ['smtp', 'smtps']) ? raw : undefined),
};

export const databaseLocation: SettingType<DatabaseLocation> = {
  expects: `sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, ${IN_PASSWORDS}`,
  parse: (raw) => {
    if (/^sqlite:(?!\/\/|:memory:).*[^/]$/.test(raw)) return { engine: 'sqlite', file: raw.slice('sqlite:'.length) };
    return parseLogin(raw, ['postgres', 'postgresql']) ? { engine: 'postgres', url: raw } : undefined;
  },
};

/** A P-256 private key as PEM, in the variable itself (newlines may be written as \n) or as the path of a file. */
export const signingKey: SettingType<string> = {
  expects: 'a P-256 private key in PEM form, or the path of a readable file that holds one',
  secret: true,
  parse: (raw) => {
    const pem = inlineOrFile(raw, '-----BEGIN')?.replaceAll('\\n', '\n');
    if (pem === undefined) return undefined;
    try {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
      return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1' ? pem : undefined;
    } catch {
      return undefined;
    }
  },
};

/** A file with certificates, for servers whose certificate comes from an authority of the operator's own. */
export const certificates: SettingType<readonly string[]> = {
  expects: 'the path of a readable file with certificates in PEM form',
  parse: (raw) => {
    try {
      const found = readFileSync(raw, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
      for (const pem of found) new X509Certificate(pem);
      return found.length > 0 ? found : undefined;
    } catch {
      return undefined;
    }
  },
};

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly tokenUri: string;
}

export const serviceAccount: SettingType<ServiceAccount> = {
  expects: 'a Google service account as JSON, or the path of a readable file that holds one',
  secret: true,
  parse: (raw) => {
    try {
      const account = JSON.parse(inlineOrFile(raw, '{') ?? '');
      const { project_id, client_email, private_key, token_uri = 'https://oauth2.googleapis.com/token' } = account;
      createPrivateKey(private_key);
      const complete = [project_id, client_email, token_uri].every((part) => typeof part === 'string' && part !== '');
      if (!complete) return undefined;
      return { projectId: project_id, clientEmail: client_email, privateKey: private_key, tokenUri: token_uri };
    } catch {
      return undefined;
    }
  },
};

function inlineOrFile(raw: string, marker: string): string | undefined {
  if (raw.trimStart().startsWith(marker)) return raw;
  try {
    return readFileSync(raw, 'utf8');
  } catch {
    return undefined;
  }
}

/** How many proxies in front of the service are trusted, or which addresses; `false` trusts none. */
export const trustedProxies: SettingType<false | number | string[]> = {
  expects: 'false, a number of hops from 1 to 10, or a comma-separated list of addresses or CIDR ranges',
  parse: (raw) => {
    if (raw === 'false') return false;
    if (/^([1-9]|10)$/.test(raw)) return Number(raw);
    const ranges = raw.split(',').map((range) => range.trim());
    return ranges.every(isAddressRange) ? ranges : undefined;
  },
};

function isAddressRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
