/**
 * Holds the code's imports against `import-rules.ts`. Fails on any violation, and on a tree in which
 * it read nothing: a checker that sees no module approves of everything.
 */
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import { rules } from './import-rules.ts';

const ROOTS = ['src', 'web', 'bench', 'scripts'].filter((root) => existsSync(root));
const FEWEST_MODULES = 20;

const { output } = await cruise(ROOTS, {
  ruleSet: { forbidden: rules },
  validate: true,
  parser: 'swc',
  // Types are imports too: a cycle of types ties files together as much as one of values.
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  // What was built is made of what is checked.
  exclude: { path: '^web/dist' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
});
if (typeof output === 'string') throw new Error('The checker answered with text instead of a result.');

const ours = output.modules.filter(({ source }) => ROOTS.some((root) => source.startsWith(`${root}/`)));
const followed = ours.filter(({ dependencies }) => dependencies.length > 0);
if (ours.length < FEWEST_MODULES || followed.length < FEWEST_MODULES / 2) {
  console.error(`The import check read ${ours.length} modules, ${followed.length} of them with imports: it is blind.`);
  process.exit(1);
}
for (const { rule, from, to } of output.summary.violations) {
  const why = rules.find(({ name }) => name === rule.name)?.comment ?? '';
  console.error(`${from} → ${to}\n  ${rule.name}: ${why}`);
}
const count = output.summary.violations.length;
console.log(`${ours.length} modules, ${count} forbidden import${count === 1 ? '' : 's'}`);
process.exit(count === 0 ? 0 : 1);
