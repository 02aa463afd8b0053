/**
 * Checks the imports of the code against `import-rules.ts`. Fails on any violation, and if it read too few
 * modules: a check that reads nothing would always pass.
 */
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import { rules } from './import-rules.ts';

const ROOTS = ['src', 'web', 'bench', 'scripts'].filter((root) => existsSync(root));
const MIN_MODULES = 20;

const { output } = await cruise(ROOTS, {
  ruleSet: { forbidden: rules },
  validate: true,
  parser: 'swc',
  // Type imports count too: a cycle of types couples files as much as a cycle of values.
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  // The build output is made from the checked sources.
  exclude: { path: '^web/dist' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
});
if (typeof output === 'string') throw new Error('dependency-cruiser returned text instead of a result.');

const ours = output.modules.filter(({ source }) => ROOTS.some((root) => source.startsWith(`${root}/`)));
const followed = ours.filter(({ dependencies }) => dependencies.length > 0);
if (ours.length < MIN_MODULES || followed.length < MIN_MODULES / 2) {
  console.error(`The import check read ${ours.length} modules, ${followed.length} of them with imports: too few.`);
  process.exit(1);
}
for (const { rule, from, to } of output.summary.violations) {
  const why = rules.find(({ name }) => name === rule.name)?.comment ?? '';
  console.error(`${from} → ${to}\n  ${rule.name}: ${why}`);
}
const count = output.summary.violations.length;
console.log(`${ours.length} modules, ${count} forbidden import${count === 1 ? '' : 's'}`);
process.exit(count === 0 ? 0 : 1);
