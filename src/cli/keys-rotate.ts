import type { Command, Report } from './command.ts';
import { countUnreadable, type Rotation } from './key-rotation.ts';
import { rotateConfiguredKeys } from './rotate-configured-keys.ts';
import { rotateKeyFile } from './rotate-key-file.ts';

export const keysRotate: Command = {
  parameters: [],
  summary: 'Seal everything with a new key, so that the former one can be given up',
  explanation:
    'Without SECRET_KEY, where the key lies in DATA_DIR: stop the service first; a new key is put in front of\n' +
    'secret.key, and the old ones leave it for secret.key.former once nothing needs them.\n' +
    'With SECRET_KEY: set it to a new key and SECRET_KEY_OLD to the former one, restart every process, then run\n' +
    'this beside them; it says when SECRET_KEY_OLD may go.\n' +
    'Refuses, before anything is changed, while something needs a key that is not at hand. Interrupted, it is run\n' +
    'again and finishes. Recovery codes keep working for as long as their key is known.',
  async run(call) {
    const outcome = await (call.config().SECRET_KEY === undefined ? rotateKeyFile(call) : rotateConfiguredKeys(call));
    return reportOf(outcome);
  },
};

function reportOf({ keyId, tallies, dependence, isUnfinished, forgotten, advice }: Rotation): Report {
  const unreadable = countUnreadable(tallies);
  const counted = Object.entries(tallies).map(([name, { resealed }]) => `${resealed} ${name.replaceAll('_', ' ')}`);
  const lines = [
    `Sealed anew with key ${keyId}: ${counted.join(', ')}.`,
    ...(unreadable > 0 ? [unreadableLine(unreadable)] : []),
    ...(forgotten > 0 ? [`Left as they are: ${forgotten} of keys that were declared lost.`] : []),
    ...(isUnfinished ? ['A process still seals with an old key: restart every one of them, then run this again.'] : []),
    ...(dependence.accounts > 0 ? [dependenceLine(dependence.accounts)] : []),
    advice,
  ];
  const data = {
    ...{ key_id: keyId, places: tallies, unreadable, forgotten, unfinished: isUnfinished },
    accounts_depending_on_old_keys: dependence.accounts,
    old_keys_needed: isUnfinished || unreadable > 0 || dependence.keyIds.length > 0,
    old_key_ids_needed: dependence.keyIds,
  };
  return { data, text: lines.join('\n'), ...((unreadable > 0 || isUnfinished) && { failed: true }) };
}

const unreadableLine = (unreadable: number) =>
  `${unreadable} ${unreadable === 1 ? 'is' : 'are'} damaged: no key opens ${unreadable === 1 ? 'it' : 'them'}. The old ` +
  'keys are kept meanwhile. Restore a backup, or turn off the second factor of whom it concerns.';

const dependenceLine = (accounts: number) =>
  `${accounts === 1 ? 'One account has' : `${accounts} accounts have`} recovery codes of an older key. Without that key ` +
  'those codes stop working, while the authenticator app goes on; turning the second factor off and on again makes new ones.';
