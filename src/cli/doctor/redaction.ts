/** The last word before anything is printed: what a server or a library said may repeat what it was told. */
import { settings } from '../../config.ts';
import type { Finding } from './check.ts';

/** Shorter ones would turn ordinary words into dots. */
const SHORTEST = 6;

export function withoutSecrets<T extends Finding>(
  finding: T,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const secrets = Object.entries(settings).flatMap(([name, setting]) => {
    const value = environment[name]?.trim();
    return value && setting.secret ? [value, ...passwordsIn(value)] : [];
  });
  const clean = (text: string) =>
    secrets.filter(({ length }) => length >= SHORTEST).reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  return { ...finding, says: clean(finding.says), ...(finding.remedy && { remedy: clean(finding.remedy) }) };
}

function passwordsIn(value: string): string[] {
  const password = URL.parse(value)?.password;
  return password ? [password, decoded(password)] : [];
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
