import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { settings } from '../../src/config.ts';
import { accessTable } from '../../src/http/access.ts';
import { errorCatalogue } from '../../src/lib/errors.ts';

const DOCUMENTS = globSync(['*.md', 'docs/**/*.md']);

const read = (file: string) => readFileSync(file, 'utf8');
const found = (file: string, pattern: RegExp) => [...read(file).matchAll(pattern)].map(([, first = '']) => first);

test('every path that a document names exists', () => {
  assert.ok(DOCUMENTS.length >= 12);
  for (const file of DOCUMENTS) {
    for (const link of found(file, /\]\((?!https?:)([^)#]+)\)/g)) {
      assert.ok(existsSync(join(dirname(file), link)), `${file} links to ${link}`);
    }
    for (const path of found(file, /`((?:src|test|bench|scripts|docs|bin|web|deploy)\/[\w./-]*)`/g)) {
      assert.ok(existsSync(path), `${file} names ${path}`);
    }
  }
});

test('every test that docs/asvs.md names exists', () => {
  const table = read('docs/asvs.md').split('| item |')[1]?.split('\n\n')[0] ?? '';
  const cells = [...table.matchAll(/^\|.*\|([^|]*)\|$/gm)].map(([, last = '']) => last.replaceAll(/`[^`]*`/g, ''));
  const names = cells.flatMap((cell) => cell.match(/[a-z-]{4,}/g) ?? []).filter((name) => /\w/.test(name));
  assert.ok(names.length > 80, 'the table was not found');
  for (const name of names)
    assert.ok(existsSync(`test/contract/${name}.test.ts`), `docs/asvs.md names the test ${name}`);
});

const GUARANTEES = read('docs/guarantees.md');
const rows = [...GUARANTEES.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
const promises = rows.filter(([first, , , last]) => last !== undefined && first !== 'promise' && first !== '---');
const proofsOf = ([, proof = '']: readonly string[]) => [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Each has a file in `invariants`, or is checked by the steps themselves. */
const worldPromises = new Set([
  ...globSync('test/simulation/invariants/*.ts').flatMap((file) => found(file, /^ {2}name: '(.+)',$/gm)),
  ...globSync('test/simulation/**/*.ts').flatMap((file) =>
    found(file, /(?:world\.fail|this\.fail|new Violation)\(\s*'([^']+)'/g),
  ),
]);

test('every promise in docs/guarantees.md has proofs that exist, how often they run, and what they cannot show', () => {
  const often = rows.filter(({ length }) => length === 2).map(([word]) => word);
  assert.ok(promises.length > 80, 'the tables were not found');
  for (const row of promises) {
    const [promise = '', , runs = '', limit] = row;
    assert.ok(proofsOf(row).length > 0 && limit !== '', promise);
    for (const word of runs.split(', ')) assert.ok(often.includes(word), `${promise} runs ${word}`);
    for (const name of proofsOf(row)) {
      const file = /\.\w+$/.test(name) ? name : `test/${name}.test.ts`;
      assert.ok(name.includes('/') ? existsSync(file) : worldPromises.has(name), `${promise} names ${name}`);
    }
  }
});

test('every promise that simulated worlds check is in docs/guarantees.md', () => {
  assert.ok(worldPromises.size > 20, 'the invariants were not found');
  const named = promises.flatMap(proofsOf);
  for (const name of worldPromises) assert.ok(named.includes(name), name);
});

test('every document, and every paragraph of SECURITY.md that promises something, has its place in docs/guarantees.md', () => {
  const [, places = ''] = GUARANTEES.split('\n## Where the promises of each document stand\n');
  const linked = [...places.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => join('docs', link));
  const documents = globSync(['*.md', 'docs/*.md']);
  const others = ['CHANGELOG.md', 'docs/guarantees.md'];
  assert.deepEqual(linked.sort(), documents.filter((file) => !others.includes(file)).sort());
  const [security = ''] = /^## What is promised\n.*?^## /ms.exec(read('SECURITY.md')) ?? [];
  const paragraphs = [...security.matchAll(/^\*\*([^*.]+)/gm)].map(([start]) => start);
  assert.ok(paragraphs.length > 10, 'the paragraphs were not found');
  for (const start of paragraphs) assert.ok(GUARANTEES.includes(start), start);
});

test('every npm command that a document names exists', () => {
  const scripts = Object.keys(packageJson.scripts);
  const builtIn = ['audit', 'ci', 'cit', 'run', 'sbom', 'start', 'test'];
  for (const file of DOCUMENTS) {
    for (const name of found(file, /npm run (?:-s )?([\w:-]+)/g))
      assert.ok(scripts.includes(name), `${file}: npm run ${name}`);
    for (const name of found(file, /(?:`|^|&& )npm (?!run)([a-z]+)/gm)) {
      assert.ok(builtIn.includes(name), `${file}: npm ${name}`);
    }
  }
});

test('every setting, path and error code that a document names exists', () => {
  const routes = Object.keys(accessTable);
  for (const file of DOCUMENTS.filter((name) => !name.includes('adr'))) {
    for (const name of found(file, /`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g)) {
      assert.ok(name in settings || name.startsWith('CRESCENDO_') || name === 'CHROME_PATH', `${file}: ${name}`);
    }
    for (const route of found(file, /`((?:GET|POST|PATCH|DELETE) \/[\w/:.]*)`/g))
      assert.ok(routes.includes(route), `${file}: ${route}`);
    for (const code of found(file, /code `([a-z_]+)`/g)) assert.ok(code in errorCatalogue, `${file}: ${code}`);
  }
});

test('ambient state is in the files that docs/invariants.md lists, and nowhere else', () => {
  const [section = ''] = /^## Ambient state\n.*?^## /ms.exec(read('docs/invariants.md')) ?? [];
  const listed = [...section.matchAll(/^\| `(src\/[^`]+)`/gm)].map(([, file]) => file);
  const kinds = { AsyncLocalStorage: 3, 'Weak(?:Map|Set|Ref)': 5 };
  const inCode = Object.entries(kinds).flatMap(([kind, most]) => {
    const files = globSync('src/**/*.ts').flatMap((file) =>
      Array.from(read(file).matchAll(new RegExp(`new ${kind}\\b`, 'g')), () => file),
    );
    assert.ok(files.length <= most, `${files.length} of ${kind}: ${files.join(', ')}`);
    return files;
  });
  assert.deepEqual(inCode.sort(), listed.sort());
});

/** Packages of this repository have no integrity hash. */
const isWorkspace = (path: string) =>
  packageJson.workspaces.some((folder) => path === folder || path === 'node_modules/crescendo-web');

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

test('the lockfile is complete, names no host, and only listed packages may run install scripts', () => {
  const lock = read('package-lock.json');
  assert.doesNotMatch(lock, /"resolved": "\w+:/);
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    // npm drops the entries of other platforms when it updates the file: then delete the file and create it again.
    if (path !== '' && !isWorkspace(path))
      assert.ok(version && integrity, `${path} has no version or hash: remove the lockfile and install again`);
  }
  const withScripts = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && path !== '' ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  const listed = Object.keys(packageJson.allowScripts);
  for (const name of withScripts) assert.ok(listed.includes(name), name);
});
