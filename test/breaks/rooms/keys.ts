import type { RoomBreak } from '../room-break.ts';

const ROTATION = 'src/keys/rotation.service.ts';

export const KEYS: readonly RoomBreak[] = [
  {
    name: 'any key is taken for a database',
    promise: 'a service does not start with a key that opens nothing',
    file: 'src/keys/available-keys.ts',
    piece: 'usedKeyIds.length === 0 || usedKeyIds.some((id) => keyIds.includes(id));',
    replacement: 'usedKeyIds.length === 0 || keyIds.length > 0;',
    by: ['contract/keys-refused'],
  },
  {
    name: 'a lost key is replaced by a new one',
    promise: 'no key is made for a database that has one',
    file: 'src/keys/open-vault.ts',
    piece: 'found ?? (used.length === 0 ? readOrMakeSecretKeys(settings.DATA_DIR) : undefined)',
    replacement: 'found ?? readOrMakeSecretKeys(settings.DATA_DIR)',
    by: ['contract/keys-of-data'],
  },
  {
    name: 'a rotation stops after one page',
    promise: 'a rotation reseals every value',
    file: ROTATION,
    piece: 'if (page.length < PAGE_SIZE || after === undefined) return;',
    replacement: 'return;',
    by: ['contract/keys-rotate'],
  },
  {
    name: 'codes that need an older key are not reported',
    promise: 'a key that is still needed is not called superfluous',
    file: ROTATION,
    piece: 'keyIds: older.filter((id) => mayBeAny || needed.has(id)),',
    replacement: 'keyIds: older.filter((id) => mayBeAny && needed.has(id)),',
    by: ['contract/keys-rotate'],
  },
  {
    name: 'the key file is readable by everybody',
    promise: 'only the user of the service reads its keys',
    file: 'src/keys/key-file.ts',
    piece: '    chmodSync(file, 0o600);\n',
    replacement: '    void chmodSync;\n',
    by: ['src/keys/secret-key-file'],
  },
  {
    name: 'an older key may go while codes are in the mail',
    promise: 'a rotation refuses no code that was mailed before it',
    file: 'src/keys/rotation.service.ts',
    piece: ' || (await hasLiveEmailCode(this.#db, this.#clock.now()));',
    replacement: '; void hasLiveEmailCode;',
    by: ['contract/keys-rotate'],
  },
  {
    name: 'a rotation overwrites what was changed meanwhile',
    promise: 'a running service loses no change to a rotation',
    file: 'src/keys/sealed-values.store.ts',
    piece: 'and ${sql.ref(column)} = ${before}`.execute(db);',
    replacement: 'and ${before} is not null`.execute(db);',
    by: ['contract/keys-rotate'],
  },
];
