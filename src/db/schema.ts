/**
 * The tables, as TypeScript sees them. Instants are `Date`, ids are UUID strings; the engines'
 * own ways of storing them end in `db/`.
 */
export interface Database {
  releases: ReleasesTable;
}

/** Every release that has prepared this database, so that an older one can say which it must give way to. */
interface ReleasesTable {
  version: string;
  first_started_at: Date;
}
