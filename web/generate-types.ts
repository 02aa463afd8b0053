/**
 * Generates the types of the API from its description: `npm run web:types -- [address or file]`.
 * A test fails when the generated file and the current description differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTypes } from './describe-types.ts';

const source = process.argv[2] ?? 'http://localhost:8080/openapi.json';
const text = source.startsWith('http') ? await (await fetch(source)).text() : readFileSync(source, 'utf8');
writeFileSync(join(import.meta.dirname, 'src/api/openapi.d.ts'), await describeTypes(JSON.parse(text)));
