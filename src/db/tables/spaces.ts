/** Spaces, their members and invites. */

export interface SpaceTables {
  spaces: {
    id: string;
    name: string;
    creator_id: string | null;
    created_at: Date;
  };
  space_members: {
    space_id: string;
    user_id: string;
    role: string;
    joined_at: Date;
    /** By the database's clock, like every `changed_at`. Sync selects rows by it. */
    changed_at: Date;
  };
  /** When a person last left a space or was removed. Invites made before do not let that person in again. */
  space_departures: {
    space_id: string;
    user_id: string;
    left_at: Date;
  };
  invites: {
    id: string;
    space_id: string;
    inviter_id: string;
    accepted_by: string | null;
    contact: string | null;
    token_hash: string;
    status: string;
    created_at: Date;
    expires_at: Date;
  };
}
