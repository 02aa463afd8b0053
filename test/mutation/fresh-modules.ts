/**
 * Imports files of a folder as if for the first time, again and again: what a module keeps, such as a table that it made
 * while a mutant was active, must not reach the next mutant.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const TESTS = new URL('./collected-tests.ts', import.meta.url).href;

export interface FreshImports {
  /** What is imported from now on is not what was imported before. */
  begin(): void;
  import(file: string): Promise<void>;
}

/** In a process that calls this, `node:test` is `collected-tests.ts` for the files of the folder. */
export function importsFrom(folder: string): FreshImports {
  const within = pathToFileURL(`${folder}/`).href;
  const sources = new Map<string, string>();
  let round = 0;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:test' && context.parentURL?.startsWith(within)) return { url: TESTS, shortCircuit: true };
      const found = next(specifier, context);
      return found.url.startsWith(within) ? { ...found, url: `${found.url}?round=${round}` } : found;
    },
    load(url, context, next) {
      const [path = ''] = url.split('?');
      if (!path.startsWith(within) || !path.endsWith('.ts')) return next(url, context);
      let source = sources.get(path);
      source ??= stripTypeScriptTypes(readFileSync(fileURLToPath(path), 'utf8'));
      sources.set(path, source);
      return { format: 'module', source, shortCircuit: true };
    },
  });
  return {
    begin() {
      round += 1;
    },
    async import(file) {
      await import(pathToFileURL(file).href);
    },
  };
}
