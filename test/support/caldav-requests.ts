/**
 * What apps ask, in the order in which they ask it. `{…}` stands for a part of an address, and `{tag}` for the tag of the
 * task before the request. Each answer has the status and every text that its app depends on.
 */
export interface AppRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The properties that a PROPFIND asks for, with the prefixes D, C, CS and A; or a whole body. */
  readonly asks?: string;
  readonly body?: string;
  readonly status: number;
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

const NAMESPACES =
  'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/" xmlns:A="http://apple.com/ns/ical/"';

export const propfind = (asks: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><D:propfind ${NAMESPACES}><D:prop>${elements(asks)}</D:prop></D:propfind>`;

const elements = (names: string): string =>
  names
    .split(' ')
    .map((name) => `<${name}/>`)
    .join('');

const query = (asks: string, filter = ''): string =>
  `<C:calendar-query ${NAMESPACES}><D:prop>${elements(asks)}</D:prop><C:filter><C:comp-filter name="VCALENDAR">` +
  `<C:comp-filter name="VTODO">${filter}</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;

const multiget = (asks: string, path: string): string =>
  `<C:calendar-multiget ${NAMESPACES}><D:prop>${elements(asks)}</D:prop><D:href>${path}</D:href></C:calendar-multiget>`;

const sync = (asks: string, token = ''): string =>
  `<D:sync-collection ${NAMESPACES}><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop>${elements(asks)}</D:prop></D:sync-collection>`;

const todo = (...lines: string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//App//EN',
    'BEGIN:VTODO',
    ...lines,
    'END:VTODO',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const PRINCIPAL = '<D:current-user-principal><D:href>/caldav/principals/{user}/</D:href></D:current-user-principal>';
const HOME = '<C:calendar-home-set><D:href>/caldav/calendars/{user}/</D:href></C:calendar-home-set>';
const LIST = [
  '<D:href>{list}</D:href>',
  '<C:calendar/>',
  '<C:comp name="VTODO"/>',
  '<D:displayname>Crescendo</D:displayname>',
];
const IOS = {
  'user-agent': 'iOS/26.4.1 (23E254) remindd/2871.1',
  prefer: 'return=minimal',
  brief: 't',
  accept: '*/*',
};
const IOS_TASK = todo(
  'CREATED:20260825T143426Z',
  'DTSTAMP:20260825T143443Z',
  'DTSTART;VALUE=DATE:20260919',
  'DUE;VALUE=DATE:20260919',
  'LAST-MODIFIED:20260825T143442Z',
  'RRULE:FREQ=MONTHLY',
  'STATUS:NEEDS-ACTION',
  'SUMMARY:Water filter',
  'UID:FCC55C22-6C52-432C-8684-D82A49F77590',
  'X-APPLE-SORT-ORDER:809274883',
);
const IOS_NAME = 'FCC55C22-6C52-432C-8684-D82A49F77590.ics';

const ios: AppRequest[] = [
  {
    method: 'PROPFIND',
    path: '/.well-known/caldav',
    headers: { ...IOS, depth: '0' },
    asks: 'D:current-user-principal D:principal-URL D:resourcetype',
    status: 301,
  },
  {
    method: 'PROPFIND',
    path: '/',
    headers: { ...IOS, depth: '0' },
    asks: 'D:current-user-principal D:principal-URL D:resourcetype',
    status: 207,
    has: [PRINCIPAL],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/',
    headers: { ...IOS, depth: '0' },
    asks: 'D:current-user-principal D:principal-URL D:resourcetype',
    status: 207,
    has: [PRINCIPAL],
  },
  { method: 'OPTIONS', path: '/caldav/principals/{user}/', headers: IOS, status: 200 },
  {
    method: 'PROPFIND',
    path: '/caldav/principals/{user}/',
    headers: { ...IOS, depth: '0' },
    asks: 'C:calendar-home-set C:calendar-user-address-set D:current-user-principal D:displayname C:schedule-inbox-URL C:schedule-outbox-URL CS:email-address-set D:principal-collection-set D:supported-report-set',
    status: 207,
    has: [HOME, 'mailto:{email}'],
    lacks: ['404 Not Found'],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/calendars/{user}/',
    headers: { ...IOS, depth: '1' },
    asks: 'D:resourcetype D:displayname D:current-user-privilege-set C:supported-calendar-component-set CS:getctag D:sync-token A:calendar-color A:calendar-order D:owner D:supported-report-set CS:push-transports',
    status: 207,
    has: [...LIST, '<D:sync-token>urn:', '<D:sync-collection/>', '<D:write/>'],
    lacks: ['404 Not Found'],
  },
  {
    method: 'PROPPATCH',
    path: '{list}',
    headers: IOS,
    body: `<D:propertyupdate ${NAMESPACES}><D:set><D:prop><A:calendar-order>2</A:calendar-order></D:prop></D:set></D:propertyupdate>`,
    status: 207,
    has: ['<A:calendar-order/>', '403 Forbidden'],
  },
  {
    method: 'PUT',
    path: `{list}${IOS_NAME}`,
    headers: { ...IOS, 'content-type': 'text/calendar', 'if-none-match': '*' },
    body: IOS_TASK,
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...IOS, depth: '1' },
    body: sync('D:getetag D:getcontenttype'),
    status: 207,
    has: [IOS_NAME, 'text/calendar; charset=utf-8; component=vtodo', '<D:sync-token>urn:'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...IOS, depth: '1' },
    body: multiget('D:getetag C:calendar-data C:schedule-tag', `{list}${IOS_NAME}`),
    status: 207,
    has: [
      'SUMMARY:Water filter',
      'RRULE:FREQ=MONTHLY',
      'DUE;VALUE=DATE:20260919',
      'X-APPLE-SORT-ORDER:809274883',
      'STATUS:NEEDS-ACTION',
    ],
    lacks: ['DTSTART'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: IOS,
    body: `<D:acl-principal-prop-set ${NAMESPACES}/>`,
    status: 403,
    has: ['<D:supported-report/>'],
  },
  {
    method: 'PUT',
    path: `{list}${IOS_NAME}`,
    headers: { ...IOS, 'content-type': 'text/calendar', 'if-match': '{tag}' },
    body: IOS_TASK.replace('Water filter', 'Change the filter'),
    status: 204,
  },
  { method: 'DELETE', path: `{list}${IOS_NAME}`, headers: { ...IOS, 'if-match': '{tag}' }, status: 204 },
];

const macos: AppRequest[] = ios.map((request) => ({
  ...request,
  headers: { ...request.headers, 'user-agent': 'macOS/26.1 (25B78) remindd/2871' },
}));

const OKHTTP = { 'user-agent': 'org.tasks/140904 (okhttp3) Android/16' };
const TASKS_NAME = '8f3c1e0a-1111-4222-8333-abcdefabcdef.ics';
const TASKS_TASK = todo(
  'DTSTAMP:20260302T080000Z',
  'UID:8f3c1e0a-1111-4222-8333-abcdefabcdef',
  'CREATED:20260302T080000Z',
  'LAST-MODIFIED:20260302T080000Z',
  'SUMMARY:Call mum',
  'PRIORITY:9',
  'RELATED-TO;RELTYPE=PARENT:aa-bb',
  'X-APPLE-SORT-ORDER:12',
  'DUE:20260305T170000Z',
  'RRULE:FREQ=WEEKLY;BYDAY=TH',
);
const tasksOrg: AppRequest[] = [
  {
    method: 'PROPFIND',
    path: '/caldav/',
    headers: { ...OKHTTP, depth: '0' },
    asks: 'D:current-user-principal',
    status: 207,
    has: [PRINCIPAL],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/principals/{user}/',
    headers: { ...OKHTTP, depth: '0' },
    asks: 'C:calendar-home-set',
    status: 207,
    has: [HOME],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/calendars/{user}/',
    headers: { ...OKHTTP, depth: '1' },
    asks: 'D:resourcetype D:displayname C:supported-calendar-component-set CS:getctag A:calendar-color D:sync-token D:share-access D:invite D:current-user-privilege-set D:current-user-principal',
    status: 207,
    has: [...LIST, '<CS:getctag>urn:'],
  },
  {
    method: 'PUT',
    path: `{list}${TASKS_NAME}`,
    headers: { ...OKHTTP, 'content-type': 'text/calendar; charset=utf-8' },
    body: TASKS_TASK,
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...OKHTTP, depth: '1' },
    body: query('D:getetag'),
    status: 207,
    has: [`<D:href>{list}${TASKS_NAME}</D:href>`, '<D:getetag>&quot;'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: OKHTTP,
    body: multiget('D:getcontenttype D:getetag C:schedule-tag C:calendar-data', `{list}${TASKS_NAME}`),
    status: 207,
    has: ['<D:getetag>&quot;', 'RRULE:FREQ=WEEKLY;BYDAY=TH', 'PRIORITY:9', 'RELATED-TO;RELTYPE=PARENT:aa-bb'],
    lacks: ['DTSTART', 'METHOD'],
  },
  {
    method: 'PUT',
    path: `{list}${TASKS_NAME}`,
    headers: { ...OKHTTP, 'content-type': 'text/calendar; charset=utf-8' },
    body: TASKS_TASK.replace('20260305', '20260312'),
    status: 204,
  },
  {
    method: 'GET',
    path: `{list}${TASKS_NAME}`,
    headers: OKHTTP,
    status: 200,
    has: ['DUE:20260312T170000Z', 'STATUS:NEEDS-ACTION'],
  },
  {
    method: 'MKCOL',
    path: '/caldav/calendars/{user}/new/',
    headers: OKHTTP,
    body: `<D:mkcol ${NAMESPACES}/>`,
    status: 404,
  },
  { method: 'DELETE', path: `{list}${TASKS_NAME}`, headers: OKHTTP, status: 204 },
  { method: 'DELETE', path: `{list}${TASKS_NAME}`, headers: OKHTTP, status: 404 },
];

const DAVX5 = { 'user-agent': 'DAVx5/4.5.4-ose (2026/09/01; dav4jvm; okhttp/5.1.0) Android/16' };
const JTX = todo(
  'DTSTAMP:20260302T080000Z',
  'UID:jtx-1',
  'SUMMARY:Bins',
  'DTSTART;VALUE=DATE:20260302',
  'DUE;VALUE=DATE:20260302',
  'RRULE:FREQ=DAILY',
  'PERCENT-COMPLETE:40',
  'STATUS:IN-PROCESS',
  'COLOR:teal',
);
const JTX_DONE = JTX.replace(
  'END:VTODO',
  'END:VTODO\r\nBEGIN:VTODO\r\nUID:jtx-1\r\nDTSTAMP:20260302T080000Z\r\nSUMMARY:Bins\r\nRECURRENCE-ID:20260302\r\nSTATUS:COMPLETED\r\nPERCENT-COMPLETE:100\r\nCOMPLETED:20260302T090000Z\r\nEND:VTODO',
);
const davx5: AppRequest[] = [
  {
    method: 'PROPFIND',
    path: '/caldav/',
    headers: { ...DAVX5, depth: '0' },
    asks: 'D:resourcetype D:displayname D:current-user-principal D:current-user-privilege-set C:calendar-home-set C:supported-calendar-component-set A:calendar-color C:calendar-description C:calendar-timezone',
    status: 207,
    has: [PRINCIPAL, HOME],
  },
  { method: 'OPTIONS', path: '/caldav/principals/{user}/', headers: DAVX5, status: 200 },
  {
    method: 'PROPFIND',
    path: '/caldav/principals/{user}/',
    headers: { ...DAVX5, depth: '0' },
    asks: 'D:displayname D:group-membership D:resourcetype C:calendar-home-set CS:calendar-proxy-read-for C:calendar-user-address-set',
    status: 207,
    has: [HOME, '<D:principal/>'],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/calendars/{user}/',
    headers: { ...DAVX5, depth: '1' },
    asks: 'D:current-user-privilege-set D:displayname D:owner D:resourcetype A:calendar-color C:calendar-description C:calendar-timezone C:calendar-timezone-id C:supported-calendar-component-set CS:source',
    status: 207,
    has: [...LIST, '<D:write/>', '<D:bind/>', '<D:unbind/>'],
  },
  {
    method: 'PROPFIND',
    path: '{list}',
    headers: { ...DAVX5, depth: '0' },
    asks: 'D:supported-report-set D:sync-token CS:getctag C:max-resource-size',
    status: 207,
    has: ['<D:sync-collection/>', '<C:calendar-multiget/>', '65536'],
  },
  {
    method: 'PUT',
    path: '{list}jtx-1.ics',
    headers: { ...DAVX5, 'content-type': 'text/calendar; charset=utf-8', 'if-none-match': '*' },
    body: JTX,
    status: 201,
  },
  {
    method: 'PUT',
    path: '{list}jtx-1.ics',
    headers: { ...DAVX5, 'content-type': 'text/calendar; charset=utf-8', 'if-none-match': '*' },
    body: JTX,
    status: 412,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...DAVX5, depth: '1' },
    body: query('D:getetag'),
    status: 207,
    has: ['jtx-1.ics'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: DAVX5,
    body: multiget('D:getcontenttype D:getetag C:schedule-tag C:calendar-data', '{list}jtx-1.ics'),
    status: 207,
    has: ['STATUS:IN-PROCESS', 'PERCENT-COMPLETE:40', 'COLOR:teal'],
  },
  {
    method: 'PUT',
    path: '{list}jtx-1.ics',
    headers: { ...DAVX5, 'content-type': 'text/calendar; charset=utf-8', 'if-match': '{tag}' },
    body: JTX_DONE,
    status: 204,
  },
  {
    method: 'GET',
    path: '{list}jtx-1.ics',
    headers: DAVX5,
    status: 200,
    has: ['DUE;VALUE=DATE:20260303', 'COLOR:teal'],
    lacks: ['RECURRENCE-ID', 'COMPLETED'],
  },
  { method: 'MKCALENDAR', path: '{list}', headers: DAVX5, body: `<C:mkcalendar ${NAMESPACES}/>`, status: 403 },
  { method: 'DELETE', path: '{list}jtx-1.ics', headers: { ...DAVX5, 'if-match': '"other"' }, status: 412 },
  { method: 'DELETE', path: '{list}jtx-1.ics', headers: { ...DAVX5, 'if-match': '{tag}' }, status: 204 },
];

const HA = { 'user-agent': 'python-caldav/1.6.0' };
const HA_UID = '0b1fa3ee-7e1a-11f0-8de9-0242ac120002';
const homeAssistant: AppRequest[] = [
  {
    method: 'PROPFIND',
    path: '/caldav/',
    headers: { ...HA, depth: '0' },
    asks: 'D:current-user-principal',
    status: 207,
    has: [PRINCIPAL],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/calendars/{user}/',
    headers: { ...HA, depth: '1' },
    asks: 'D:resourcetype D:displayname',
    status: 207,
    has: ['<C:calendar/>'],
  },
  {
    method: 'PROPFIND',
    path: '{list}',
    headers: { ...HA, depth: '0' },
    asks: 'C:supported-calendar-component-set',
    status: 207,
    has: ['<C:comp name="VTODO"/>'],
  },
  {
    method: 'PUT',
    path: `{list}${HA_UID}.ics`,
    headers: { ...HA, 'content-type': 'text/calendar; charset="utf-8"' },
    body: todo(`UID:${HA_UID}`, 'SUMMARY:Litter', 'DUE:20260302T080000Z', 'RRULE:FREQ=DAILY'),
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...HA, depth: '1' },
    body: query(
      'C:calendar-data',
      `<C:prop-filter name="UID"><C:text-match collation="i;octet">${HA_UID}</C:text-match></C:prop-filter>`,
    ),
    status: 207,
    has: [`UID:${HA_UID}`],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...HA, depth: '1' },
    body: query(
      'C:calendar-data',
      '<C:prop-filter name="UID"><C:text-match collation="i;octet">another</C:text-match></C:prop-filter>',
    ),
    status: 207,
    lacks: ['VTODO'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...HA, depth: '1' },
    body: query(
      'C:calendar-data',
      '<C:prop-filter name="COMPLETED"><C:is-not-defined/></C:prop-filter><C:prop-filter name="STATUS"><C:text-match negate-condition="yes">COMPLETED</C:text-match></C:prop-filter>',
    ),
    status: 207,
    has: [`UID:${HA_UID}`],
  },
  {
    method: 'PUT',
    path: `{list}${HA_UID}.ics`,
    headers: { ...HA, 'content-type': 'text/calendar; charset="utf-8"' },
    body: todo(
      `UID:${HA_UID}`,
      'SUMMARY:Litter',
      'DUE:20260302T080000Z',
      'RRULE:FREQ=DAILY',
      'STATUS:COMPLETED',
      'COMPLETED:20260302T090000Z',
    ),
    status: 204,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...HA, depth: '1' },
    body: query('C:calendar-data'),
    status: 207,
    has: ['STATUS:NEEDS-ACTION', '20260303T080000'],
    lacks: ['STATUS:COMPLETED'],
  },
];

const TB = {
  'user-agent': 'Mozilla/5.0 Thunderbird/145.0',
  accept: 'text/xml',
  'content-type': 'text/xml; charset=utf-8',
};
const TB_TASK = todo(
  'UID:tb-1',
  'DTSTAMP:20260302T080000Z',
  'SUMMARY:Post',
  'DUE:20260302T080000Z',
  'RRULE:FREQ=DAILY',
  'X-MOZ-GENERATION:1',
);
const thunderbird: AppRequest[] = [
  {
    method: 'PROPFIND',
    path: '/',
    headers: { ...TB, depth: '0' },
    asks: 'D:resourcetype D:owner D:displayname D:current-user-principal D:current-user-privilege-set A:calendar-color C:calendar-home-set',
    status: 207,
    has: [PRINCIPAL, HOME],
  },
  {
    method: 'PROPFIND',
    path: '{list}',
    headers: { ...TB, depth: '0' },
    asks: 'D:resourcetype D:owner D:current-user-principal D:current-user-privilege-set D:supported-report-set C:supported-calendar-component-set CS:getctag',
    status: 207,
    has: ['<D:sync-collection/>', '<C:comp name="VTODO"/>'],
  },
  { method: 'OPTIONS', path: '{list}', headers: TB, status: 200 },
  {
    method: 'PROPFIND',
    path: '/caldav/principals/{user}/',
    headers: { ...TB, depth: '0' },
    asks: 'C:calendar-home-set C:calendar-user-address-set C:schedule-inbox-URL C:schedule-outbox-URL',
    status: 207,
    has: [HOME],
  },
  {
    method: 'PUT',
    path: '{list}tb-1.ics',
    headers: { ...TB, 'content-type': 'text/calendar; charset=utf-8', 'if-none-match': '*' },
    body: TB_TASK,
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...TB, depth: '1' },
    body: sync('D:getcontenttype D:getetag'),
    status: 207,
    has: ['tb-1.ics', 'text/calendar; charset=utf-8; component=vtodo', '<D:sync-token>'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...TB, depth: '1' },
    body: sync('D:getcontenttype D:getetag', 'http://sabre.io/ns/sync/5'),
    status: 403,
    has: ['<D:valid-sync-token/>'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: TB,
    body: multiget('D:getetag C:calendar-data', '{list}tb-1.ics'),
    status: 207,
    has: ['X-MOZ-GENERATION:1'],
  },
  {
    method: 'PUT',
    path: '{list}tb-1.ics',
    headers: { ...TB, 'content-type': 'text/calendar; charset=utf-8', 'if-match': '{tag}' },
    body: TB_TASK.replace(
      'END:VTODO',
      'END:VTODO\r\nBEGIN:VTODO\r\nUID:tb-1\r\nRECURRENCE-ID:20260302T080000Z\r\nSTATUS:COMPLETED\r\nCOMPLETED:20260302T090000Z\r\nPERCENT-COMPLETE:100\r\nEND:VTODO',
    ),
    status: 204,
  },
  {
    method: 'GET',
    path: '{list}tb-1.ics',
    headers: TB,
    status: 200,
    has: ['20260303T080000', 'X-MOZ-GENERATION:1'],
    lacks: ['RECURRENCE-ID'],
  },
];

const EDS = { 'user-agent': 'Evolution/3.58.1' };
const EDS_TASK = todo(
  'UID:eds-1',
  'DTSTAMP:20260302T080000Z',
  'SUMMARY:Plants',
  'DUE:20260302T080000Z',
  'RRULE:FREQ=DAILY',
  'PERCENT-COMPLETE:0',
  'STATUS:NEEDS-ACTION',
  'CLASS:PUBLIC',
);
const evolution: AppRequest[] = [
  { method: 'OPTIONS', path: '{list}', headers: EDS, status: 200 },
  {
    method: 'PROPFIND',
    path: '{list}',
    headers: { ...EDS, depth: '0' },
    asks: 'CS:getctag D:supported-report-set D:current-user-privilege-set',
    status: 207,
    has: ['<CS:getctag>urn:x-crescendo:sync/', '<D:write-content/>'],
  },
  {
    method: 'PUT',
    path: '{list}eds-1.ics',
    headers: { ...EDS, 'content-type': 'text/calendar; charset="utf-8"', 'if-none-match': '*' },
    body: EDS_TASK,
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...EDS, depth: '1' },
    body: query('D:getetag'),
    status: 207,
    has: ['eds-1.ics'],
  },
  {
    method: 'PUT',
    path: '{list}eds-1.ics',
    headers: { ...EDS, 'content-type': 'text/calendar; charset="utf-8"' },
    body: EDS_TASK.replace('20260302T080000Z\r\nRRULE', '20260303T080000Z\r\nRRULE'),
    status: 204,
  },
  { method: 'GET', path: '{list}eds-1.ics', headers: EDS, status: 200, has: ['DUE:20260303T080000Z', 'CLASS:PUBLIC'] },
];

const VDIR = { 'user-agent': 'vdirsyncer/0.19.3', 'content-type': 'application/xml; charset=UTF-8' };
const vdirsyncer: AppRequest[] = [
  { method: 'GET', path: '/.well-known/caldav', headers: VDIR, status: 301 },
  {
    method: 'PROPFIND',
    path: '/caldav/',
    headers: { ...VDIR, depth: '0' },
    asks: 'D:current-user-principal',
    status: 207,
    has: [PRINCIPAL],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/principals/{user}/',
    headers: { ...VDIR, depth: '0' },
    asks: 'C:calendar-home-set',
    status: 207,
    has: [HOME],
  },
  {
    method: 'PROPFIND',
    path: '/caldav/calendars/{user}/',
    headers: { ...VDIR, depth: '1' },
    asks: 'D:resourcetype',
    status: 207,
    has: ['<C:calendar/>'],
  },
  {
    method: 'PUT',
    path: '{list}v%20d%40x.ics',
    headers: { ...VDIR, 'content-type': 'text/calendar', 'if-none-match': '*' },
    body: todo('UID:v d@x', 'SUMMARY:50% & <more>'),
    status: 201,
  },
  {
    method: 'PROPFIND',
    path: '{list}',
    headers: { ...VDIR, depth: '1' },
    asks: 'D:resourcetype D:getcontenttype D:getetag',
    status: 207,
    has: ['<D:href>{list}v%20d%40x.ics</D:href>', 'text/calendar', '<D:getetag>&quot;'],
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: VDIR,
    body: multiget('D:getetag C:calendar-data', '{list}v%20d%40x.ics'),
    status: 207,
    has: ['SUMMARY:50% &amp; &lt;more&gt;', 'UID:v d@x'],
  },
  { method: 'DELETE', path: '{list}v%20d%40x.ics', headers: { ...VDIR, 'if-match': '{tag}' }, status: 204 },
];

const KDE = { 'user-agent': 'KDE Akonadi/6.5' };
const KDE_TASK = todo(
  'UID:kde-1',
  'DTSTAMP:20260302T080000Z',
  'SUMMARY:Tea',
  'DTSTART:20260302T070000Z',
  'DUE:20260302T080000Z',
  'RRULE:FREQ=DAILY',
);
const kde: AppRequest[] = [
  {
    method: 'PUT',
    path: '{list}kde-1.ics',
    headers: { ...KDE, 'content-type': 'text/calendar' },
    body: KDE_TASK,
    status: 201,
  },
  {
    method: 'REPORT',
    path: '{list}',
    headers: { ...KDE, depth: '1' },
    body: query('D:getetag D:resourcetype'),
    status: 207,
    has: ['kde-1.ics'],
  },
  {
    method: 'PUT',
    path: '{list}kde-1.ics',
    headers: { ...KDE, 'content-type': 'text/calendar', 'if-match': '{tag}' },
    body: KDE_TASK.replace('RRULE', 'X-KDE-LIBKCAL-DTRECURRENCE:20260303T080000Z\r\nRRULE'),
    status: 204,
  },
  {
    method: 'GET',
    path: '{list}kde-1.ics',
    headers: KDE,
    status: 200,
    has: ['DTSTART', 'T070000', '20260303T080000'],
    lacks: ['X-KDE'],
  },
];

export const APP_REQUESTS: Readonly<Record<string, readonly AppRequest[]>> = {
  'iOS 26': ios,
  'macOS 26': macos,
  'Tasks.org': tasksOrg,
  'DAVx5 with jtx Board': davx5,
  'Home Assistant': homeAssistant,
  Thunderbird: thunderbird,
  'Evolution and GNOME': evolution,
  vdirsyncer,
  KDE: kde,
};
