/** Events of the billing provider, and the accounts that its customer names belong to. */

export interface BillingTables {
  /** Every event once, as received. */
  billing_events: {
    /** The provider's id of the event. */
    id: string;
    type: string;
    environment: string | null;
    app_user_id: string | null;
    event_at: Date;
    received_at: Date;
    /** Null for an event without a customer name. */
    group_id: string | null;
    /** Null as long as no account is known for it. */
    user_id: string | null;
    payload: string;
  };
  /** The provider's names for its customers. Names of one group appeared in the same event, or in one transfer. */
  billing_names: {
    app_user_id: string;
    group_id: string;
  };
}
