/**
 * An invented language: every vowel of the catalogue is doubled and accented. So a sentence is at least 40 % longer,
 * and plain vowels show a text that is not in the catalogue. Dates are written in Greek letters.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WEB_FOLDER } from '../../src/compose/service.ts';
import { WebApp } from '../../src/http/web-app/web-app.ts';
import { createLogger } from '../../src/lib/logger.ts';

/** Uses nothing from outside of itself: its source is put into the build of the app. */
export function translate<T>(value: T): T {
  const accented: Readonly<Record<string, string>> = {
    ...{ a: 'áá', e: 'ëë', i: 'íí', o: 'öö', u: 'ûû' },
    ...{ A: 'ÁÁ', E: 'ËË', I: 'ÍÍ', O: 'ÖÖ', U: 'ÛÛ' },
  };
  const say = (text: string) =>
    text === '' ? '' : text.replace(/[aeiou]/gi, (vowel) => accented[vowel] ?? vowel).padEnd(text.length * 1.4, 'ÿ');
  // Inserted values are not part of the catalogue, so they must stay unchanged.
  const around =
    (sentence: (...values: unknown[]) => unknown) =>
    (...values: unknown[]) => {
      const marks = values.map((inserted, index) =>
        typeof inserted === 'string' && inserted !== '' ? String.fromCharCode(0xe000 + index) : inserted,
      );
      const said = sentence(...marks);
      if (typeof said !== 'string') return translateAny(said);
      return say(said).replace(/[\ue000-\ue0ff]/g, (mark) => String(values[mark.charCodeAt(0) - 0xe000]));
    };
  const translateAny = (any: unknown): unknown => {
    if (typeof any === 'string') return say(any);
    if (typeof any === 'function') return around(any as (...values: unknown[]) => unknown);
    if (Array.isArray(any)) return any.map(translateAny);
    if (typeof any !== 'object' || any === null) return any;
    return Object.fromEntries(Object.entries(any).map(([key, inner]) => [key, translateAny(inner)]));
  };
  return translateAny(value) as T;
}

const CATALOGUES = [
  ['claim-strings.ts', 'claimStrings'],
  ['screen-strings.ts', 'screenStrings'],
  ['settings/apps-strings.ts', 'appsStrings'],
  ['ladders/ladder-strings.ts', 'ladderStrings'],
  ['move-in/move-in-strings.ts', 'moveInStrings'],
  ['stand-ins/stand-in-strings.ts', 'standInStrings'],
  ['strings.ts', 'strings'],
] as const;

/** Builds the app into the folder with its catalogue translated, and nothing else changed. */
export async function buildTranslatedApp(folder: string): Promise<WebApp> {
  const vite = createRequire(join(WEB_FOLDER, 'package.json')).resolve('vite');
  const { build } = (await import(pathToFileURL(vite).href)) as { build(options: object): Promise<unknown> };
  const inventLanguage = {
    name: 'invented-language',
    enforce: 'pre',
    transform: (code: string, id: string) => {
      const name = CATALOGUES.find(([file]) => id.endsWith(`/web/src/${file}`))?.[1];
      if (name === undefined) return undefined;
      const english = code
        .replace(`export const ${name} =`, 'const english =')
        .replace("LOCALE = 'en-GB'", "LOCALE = 'el'");
      return `${english}\n${translate}\nexport const ${name} = translate(english);`;
    },
  };
  const outDir = join(folder, 'dist');
  const configFile = join(WEB_FOLDER, 'vite.config.ts');
  const output = { outDir, emptyOutDir: true, minify: false };
  await build({ root: WEB_FOLDER, configFile, logLevel: 'warn', plugins: [inventLanguage], build: output });
  writeFileSync(join(outDir, '.sources'), 'invented');
  return new WebApp(folder, createLogger('error'));
}
