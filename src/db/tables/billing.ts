/** What the billing provider told, and who its names stand for. */

/** Every event once, as it came. */
export interface BillingEventsTable {
  /** The provider's own id. */
  id: string;
  type: string;
  environment: string | null;
  app_user_id: string | null;
  event_at: Date;
  received_at: Date;
  /** Null for an event that names nobody. */
  group_id: string | null;
  /** Null while no account of ours is known for it. */
  user_id: string | null;
  payload: string;
}

/** The provider's names for its customers. Those of a group were named together, or in one transfer. */
export interface BillingNamesTable {
  app_user_id: string;
  group_id: string;
}
