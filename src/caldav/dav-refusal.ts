/** A refusal that WebDAV has a name for, so that apps can tell their users why. */
import { AppError } from '../lib/errors.ts';
import { caldav, dav, href } from './xml-writer.ts';

export class DavRefusal extends Error {
  override readonly name = 'DavRefusal';
  readonly status: number;
  /** The condition that does not hold, as XML. */
  readonly condition: string;

  constructor(status: number, condition: string, message: string) {
    super(message);
    this.status = status;
    this.condition = condition;
  }
}

/** The text is not what a list of tasks can hold. */
export const notCalendarData = (message: string): DavRefusal =>
  new DavRefusal(403, caldav('valid-calendar-data'), message);
export const notOneTask = (message: string): DavRefusal =>
  new DavRefusal(403, caldav('valid-calendar-object-resource'), message);
export const notATask = (): DavRefusal =>
  new DavRefusal(403, caldav('supported-calendar-component'), 'These lists hold tasks (VTODO) only');
export const tooLong = (bytes: number): DavRefusal =>
  new DavRefusal(403, caldav('max-resource-size'), `A task has at most ${bytes} bytes`);
export const uidTaken = (path: string): DavRefusal =>
  new DavRefusal(409, caldav('no-uid-conflict', href(path)), 'A task with this UID is at another address');
export const nameTaken = (): DavRefusal =>
  new DavRefusal(409, dav('resource-must-be-null'), 'Another list has a task under this name');
export const otherUid = (): DavRefusal =>
  new DavRefusal(409, caldav('no-uid-conflict'), 'The task at this address has another UID');
export const lostToken = (): DavRefusal =>
  new DavRefusal(403, dav('valid-sync-token'), 'The sync token is too old or unknown: sync without one');
export const unknownReport = (): DavRefusal =>
  new DavRefusal(403, dav('supported-report'), 'This address does not answer that report');
export const unknownFilter = (): DavRefusal =>
  new DavRefusal(403, caldav('supported-filter'), 'This filter is not supported');
export const infiniteDepth = (): DavRefusal =>
  new DavRefusal(403, dav('propfind-finite-depth'), 'Ask with Depth 0 or 1');
export const notAllowed = (message: string): DavRefusal => new DavRefusal(403, dav('need-privileges'), message);
export const changedMeanwhile = (): DavRefusal => new DavRefusal(412, '', 'The task is not as the precondition has it');

export const nothingHere = (): AppError => new AppError('not_found');
