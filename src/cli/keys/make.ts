import { newSecretKey } from '../../keys/secret-key-file.ts';
import { makeVapidKeys } from '../../keys/vapid-keys.ts';
import type { Command } from '../command.ts';

export const makeKeys: Command = {
  parameters: [],
  summary: 'Generate the keys for a service on PostgreSQL, as lines for .env',
  explanation:
    'On SQLite the service makes its own keys at the first start and keeps them in DATA_DIR. On PostgreSQL every\n' +
    'process needs the same keys. The command stores nothing. If you lose the keys, second factors and browser\n' +
    'subscriptions stop working.',
  async run() {
    const { publicKey, privateKey } = makeVapidKeys();
    const data = {
      SECRET_KEY: newSecretKey(),
      VAPID_PUBLIC_KEY: publicKey,
      VAPID_PRIVATE_KEY: privateKey,
    };
    const lines = Object.entries(data).map(([name, value]) => `${name}=${value}`);
    return { data, text: lines.join('\n') };
  },
};
