/** Every command. Each is loaded when it is called, so that a server does not carry them all. */
import type { Command } from './command.ts';

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrate,
  prepare: async () => (await import('./prepare.ts')).prepare,
  'keys make': async () => (await import('./make-keys.ts')).makeKeys,
};
