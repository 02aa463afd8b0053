/** Removes secrets from a finding before it is printed: an error of a server or a library may quote a setting. */
import { settings } from '../../config.ts';
import type { Finding } from './check.ts';

/** Replacing shorter secrets would garble ordinary words. */
const MIN_SECRET_LENGTH = 6;

export function withoutSecrets<T extends Finding>(
  finding: T,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const secrets = Object.entries(settings).flatMap(([name, setting]) => {
    const value = environment[name]?.trim();
    return value && setting.secret ? [value, ...passwordsIn(value)] : [];
  });
  const clean = (text: string) =>
    secrets
      .filter(({ length }) => length >= MIN_SECRET_LENGTH)
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  return { ...finding, says: clean(finding.says), ...(finding.remedy && { remedy: clean(finding.remedy) }) };
}

function passwordsIn(value: string): string[] {
  const password = URL.parse(value)?.password;
  return password ? [password, decode(password)] : [];
}

function decode(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
