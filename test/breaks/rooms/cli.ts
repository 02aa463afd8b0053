import type { RoomBreak } from '../room-break.ts';

const people = ['contract/user-commands'];

export const CLI: readonly RoomBreak[] = [
  {
    name: 'a wrong usage ends like a failure',
    promise: 'a script can tell a mistyped command from one that failed',
    file: 'src/cli/cli.ts',
    piece: 'return isMisuse ? MISUSED : FAILED;',
    replacement: 'return isMisuse && !line ? MISUSED : FAILED;',
    by: ['contract/command-line'],
  },
  {
    name: 'the next page of accounts begins after one that was not shown',
    promise: 'the pages of the list together show every account',
    file: 'src/cli/user/list.ts',
    piece: 'const next = found.length > limit ? (users.at(-1)?.id ?? null) : null;',
    replacement: 'const next = found.length > limit ? (found.at(-1)?.id ?? null) : null;',
    by: people,
  },
  {
    name: 'a part of an address that only one account has selects it',
    promise: 'a command changes no other account than the one that was named',
    file: 'src/cli/user/people.ts',
    piece: 'if (similar.length === 0) throw notFound(reference);',
    replacement:
      'if (similar.length === 0) throw notFound(reference);\n  if (similar.length === 1) return similar[0] as Person;',
    by: people,
  },
  {
    name: 'a command that cannot be undone asks for nothing',
    promise: 'nothing is lost by a command that was typed in haste',
    file: 'src/cli/user/people.ts',
    piece: 'if (!options.yes) throw',
    replacement: 'if (options.yes === false) throw',
    by: people,
  },
  {
    name: 'the doctor shows a password that is escaped in an address',
    promise: 'no secret is printed',
    file: 'src/cli/doctor/redaction.ts',
    piece: 'return password ? [password, decode(password)] : [];',
    replacement: 'return password ? [password, decode("")] : [];',
    by: ['src/cli/doctor'],
  },
  {
    name: 'keys of JSON are compared in the order in which they came',
    promise: 'a move to PostgreSQL that changed nothing is taken',
    file: 'src/cli/move/canonical-row.ts',
    piece: "return type === 'jsonb' ? sortKeys(value) : value;",
    replacement: "return type === 'json' ? sortKeys(value) : value;",
    by: ['src/cli/move'],
  },
  {
    name: 'a rotation that was interrupted makes another key',
    promise: 'running an interrupted rotation again finishes it and leaves one key',
    file: 'src/cli/keys/rotate-key-file.ts',
    piece: 'const keys = before.older > 0 ? found : addKey(newSecretKey(), found, DATA_DIR);',
    replacement: 'const keys = before.older < 0 ? found : addKey(newSecretKey(), found, DATA_DIR);',
    by: ['contract/keys-rotate'],
  },
];
