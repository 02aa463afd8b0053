import type { RoomBreak } from '../room-break.ts';

const SESSIONS = 'src/sign-in/sessions.store.ts';
const CODES = 'src/sign-in/email-codes.store.ts';
const mail = ['contract/email-sign-in.test'];
const factor = ['contract/second-factor.test'];

export const SIGN_IN: readonly RoomBreak[] = [
  {
    name: 'an account keeps one session too many',
    promise: 'an account has at most 100 sessions',
    file: SESSIONS,
    piece: '.offset(kept - 1);',
    replacement: '.offset(kept);',
    by: mail,
  },
  {
    name: 'a session of another account can be renamed',
    promise: 'only its owner changes a session',
    file: SESSIONS,
    piece: ".where('id', '=', id).where('user_id', '=', userId),\n  );\n}\n\nexport async function listSessions",
    replacement: ".where('id', '=', userId && id),\n  );\n}\n\nexport async function listSessions",
    by: mail,
  },
  {
    name: 'a code has a sixth try',
    promise: 'a code is compared with few guesses',
    file: CODES,
    piece: ".where(triedBy, '<', maxTries)",
    replacement: ".where(triedBy, '<=', maxTries)",
    by: mail,
  },
  {
    name: 'asking again with the token of a request leaves its first code',
    promise: 'only the newest code of a request works',
    file: 'src/sign-in/email-codes.ts',
    piece: 'if (requester.token !== undefined) await deleteCodeOfRequest(trx, hashToken(requester.token));',
    replacement: 'if (requester.token === undefined) await deleteCodeOfRequest(trx, hashToken(token));',
    by: mail,
  },
  {
    name: 'turning the second factor on leaves other sessions',
    promise: 'an intruder is out once the second factor is on',
    file: 'src/sign-in/second-factor.service.ts',
    piece: 'await replaceRecoveryCodes(trx, userId, rows);\n    await deleteOtherSessions(trx, userId, sessionId);',
    replacement: 'await replaceRecoveryCodes(trx, userId, rows);\n    void sessionId;',
    by: factor,
  },
  {
    name: 'an address that another account can have back is given away',
    promise: 'the old address can take its account back for seven days',
    file: 'src/sign-in/address/address-change.service.ts',
    piece: 'return [holder?.id, kept?.user_id].some(',
    replacement: 'return [holder?.id, kept && userId].some(',
    by: ['contract/address-change'],
  },
  {
    name: 'a passkey of one account signs for another',
    promise: 'a passkey opens only the account that it was made for',
    file: 'src/sign-in/passkeys/passkey-proofs.ts',
    piece: 'if (response.response.userHandle !== userHandle) return undefined;',
    replacement: "if (response.response.userHandle === '') return undefined;",
    by: ['contract/passkeys'],
  },
  {
    name: 'a request for a code takes the network from the codes of others',
    promise: 'a code is tried in the network that asked for it',
    file: 'src/sign-in/email-codes.store.ts',
    piece: "    .where('email', '=', code.email)\n    .where('network_hash', '=', code.network_hash)",
    replacement: "    .where('network_hash', '=', code.network_hash)",
    by: ['contract/email-sign-in'],
  },
  {
    name: 'a code for a new address outlives the one who asked for it',
    promise: 'who takes an account back has it alone',
    file: 'src/sign-in/email-codes.store.ts',
    piece: "or([eb('email', '=', address), eb('email', 'like', `${addressSubject(userId, '')}%`)])",
    replacement: "or([eb('email', '=', address)])",
    by: ['contract/address-change'],
  },
];
