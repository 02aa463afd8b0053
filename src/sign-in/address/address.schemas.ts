import { component, Type } from '../../lib/schema.ts';

const email = Type.String({ format: 'email', maxLength: 320, examples: ['ada@example.org'] });

export const AddressRequest = component('AddressRequest', Type.Object({ email }));

export const AddressConfirm = component(
  'AddressConfirm',
  Type.Object({ email, code: Type.String({ maxLength: 32, examples: ['123456'] }) }),
);
