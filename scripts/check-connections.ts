/**
 * Checks that only the files in `connection-rules.ts` open connections. Fails on any other, on a row that nothing needs
 * any more, and if it read too few files: a check that reads nothing would always pass.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { findOpeners, OPENERS } from './connection-rules.ts';

const MIN_FILES = 20;
const wrong: string[] = [];
const needed = new Set<string>();
let files = 0;

for await (const path of glob('{src,bin}/**/*.{ts,js,mjs,cjs}')) {
  if (path.endsWith('.test.ts')) continue;
  files += 1;
  for (const opener of findOpeners(readFileSync(path, 'utf8'))) {
    const row = OPENERS.find(([where, by]) => isAt(path, where) && by.includes(opener));
    if (row) needed.add(`${row[0]} ${opener}`);
    else wrong.push(`${path} opens connections with ${opener}: use GuardedHttp, or list it with its reason.`);
  }
}
for (const [where, by] of OPENERS)
  for (const opener of by)
    if (!needed.has(`${where} ${opener}`)) wrong.push(`${where} does not use ${opener}: remove it from the table.`);
if (files < MIN_FILES) wrong.push(`The check of connections read ${files} files: too few.`);

for (const line of wrong) console.error(line);
console.log(`${files} files, ${needed.size} openers of connections, ${wrong.length} wrong`);
process.exit(wrong.length === 0 ? 0 : 1);

function isAt(path: string, where: string): boolean {
  return where.endsWith('/') ? path.startsWith(where) : path === where;
}
