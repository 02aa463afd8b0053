import { Type } from 'typebox';
import { component } from '../lib/schema.ts';

/** Only what an event cannot do without; its other fields are as the provider describes them. */
export const BillingWebhook = component(
  'BillingWebhook',
  Type.Object(
    {
      event: Type.Object({
        id: Type.String({ minLength: 1, maxLength: 255, description: 'The same whenever the event is told again.' }),
        type: Type.String({ minLength: 1, maxLength: 255, examples: ['INITIAL_PURCHASE'] }),
      }),
    },
    { description: "An event in RevenueCat's form. Whatever else it holds is kept as it comes." },
  ),
);

export const BillingReceipt = Type.Object({
  event_id: Type.String(),
  result: Type.Unsafe<'applied' | 'recorded' | 'repeated'>({
    ...Type.String({ enum: ['applied', 'recorded', 'repeated'] }),
    description: 'Applied to an account; recorded, since no account is known for it; or known already.',
  }),
});
