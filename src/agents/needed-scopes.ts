/**
 * The scopes that a request needs, known before any of its messages is carried out. The HTTP status cannot be changed
 * once an answer has begun, and a batch must not be half done when its client asks its person for more.
 */
import { SCOPES, type Scope } from '../lib/caller.ts';
import { scopeOf } from './define-tool.ts';
import { type McpPath, TOOLS } from './tools.ts';

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

const READING = ['resources/read', 'subscriptions/listen'];

export function neededScopes(messages: unknown, path: McpPath): readonly Scope[] {
  const needed = [messages].flat().map((message) => neededScope({ ...(message as Message) }, path));
  return SCOPES.filter((scope) => needed.includes(scope));
}

function neededScope({ method, params }: Message, path: McpPath): Scope | undefined {
  if (method === 'tools/call') {
    const tool = TOOLS[path].find(({ name }) => name === params?.name);
    return tool && scopeOf(tool);
  }
  return path === '/mcp/all' && READING.includes(String(method)) ? 'tasks:read' : undefined;
}
