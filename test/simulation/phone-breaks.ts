/** Deliberate breaks of what people are promised whose phone changes hands. */
import type { Break } from './break.ts';

export const PHONE_BREAKS: readonly Break[] = [
  {
    name: 'a phone that changes hands keeps what waits for its retry',
    from: 2,
    file: 'src/devices/devices.service.ts',
    piece: 'if (known && !isOwn) await this.#delete(trx, known.id);',
    replacement: '',
    also: {
      piece:
        'const device = isOwn\n          ? await updateDevice(trx, known.id, this.#registrationFields(registered))',
      replacement:
        'const device = known\n          ? await updateDevice(trx, known.id, { ...this.#registrationFields(registered), user_id: caller.userId })',
    },
    noticedBy: ['recipients'],
  },
];
