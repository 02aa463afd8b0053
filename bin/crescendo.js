#!/usr/bin/env node
// Plain JavaScript that any Node.js can read, so that even one too old for TypeScript can say so.
if (Number.parseInt(process.versions.node, 10) < 26) {
  console.error(`Crescendo needs Node.js 26 or newer and this is ${process.version}. "npm start" brings its own.`);
  process.exit(1);
}
await import('../src/main.ts');
