/** Deliberate breaks of what people are promised whose phone changes hands. */
import type { Break } from '../break.ts';

const REMOVED = `if (isTaken) {
          await this.#delete(trx, known.id);
          announce(trx, [known.user_id]);
        }
        const device = isOwn
          ? await updateDevice(trx, known.id, this.#registrationFields(registered))`;

export const PHONE_BREAKS: readonly Break[] = [
  {
    name: 'a phone that changes hands keeps what waits for its retry',
    file: 'src/devices/devices.service.ts',
    piece: REMOVED,
    replacement: `const device = known
          ? await updateDevice(trx, known.id, { ...this.#registrationFields(registered), user_id: caller.userId })`,
    also: {
      file: 'src/deliveries/outbox.ts',
      piece: 'if (!device?.valid || device.user_id !== delivery.recipient_id) return undefined;',
      replacement: 'if (!device?.valid) return undefined;',
    },
    noticedBy: ['recipients'],
  },
];
