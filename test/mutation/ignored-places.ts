/**
 * Places where a mutant mostly says nothing: a fallback that TypeScript asks for. Behind `??` and as the default of a
 * destructured group, an empty text stands for a group of a pattern that has matched, and `groups?.` for groups that the
 * pattern has.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** As far as it is looked at here. */
interface Path {
  readonly node: { readonly type: string; readonly value?: unknown; readonly object?: { readonly name?: string } };
  readonly parent?: { readonly type: string; readonly operator?: string; readonly right?: unknown };
}

function shouldIgnore(path: object): string | undefined {
  const { node, parent } = path as Path;
  const isDefault =
    parent?.type === 'AssignmentPattern' || (parent?.type === 'LogicalExpression' && parent.operator === '??');
  const isFallback = isDefault && parent.right === node;
  if (isFallback && node.type === 'StringLiteral' && node.value === '') return 'an empty text for TypeScript';
  if (node.type === 'OptionalMemberExpression' && node.object?.name === 'groups') return 'groups that the pattern has';
  return undefined;
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'fallbacks', { shouldIgnore })];
