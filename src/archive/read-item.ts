import type { Arrival } from '../tasks/restoration.service.ts';

/** One task of a file: as it can be stored, or the reason why not. */
export type ReadItem =
  | {
      readonly title: string;
      readonly arrival: Arrival;
      readonly wasInSpace: boolean;
      readonly wasAssigned: boolean;
      /** It comes in without a nudge. */
      readonly isQuiet: boolean;
    }
  | { readonly title: string | null; readonly reason: string };
