import type { RoomBreak } from '../room-break.ts';

const AUTHENTICATION = 'src/http/authentication.ts';
const SESSION = 'src/http/web-app/app-session.ts';

export const HTTP: readonly RoomBreak[] = [
  {
    name: 'the time of a health check ends after its first query',
    promise: '/health answers within two seconds whatever the database does',
    file: 'src/http/health.ts',
    piece: 'this.#measuring ??= within(ANSWER_WITHIN_MS, this.#measure())',
    replacement:
      'await within(ANSWER_WITHIN_MS, this.#sources.pingDatabase());\n    this.#measuring ??= this.#measure()',
    also: { piece: '  lagSeconds(): Promise<number> {', replacement: '  async lagSeconds(): Promise<number> {' },
    by: ['src/http/health'],
  },
  {
    name: 'the host of a whole address in the request line is not checked',
    promise: 'a page cannot use the service under a name that its owner controls',
    file: 'src/http/allowed-hosts.ts',
    piece: 'return isAllowed(target) ? undefined : target;',
    replacement: 'return isAllowed(target) ? undefined : undefined;',
    by: ['contract/foreign-pages'],
  },
  {
    name: 'whether the caller administers is not awaited',
    promise: 'only administrators see and suspend other accounts',
    file: AUTHENTICATION,
    piece:
      "rateLimit.countRequest(caller.userId);\n    if (access === 'admin' && !(await options.isAdmin(caller.userId)))",
    replacement:
      "rateLimit.countRequest(caller.userId);\n    if (access === 'admin' && !options.isAdmin(caller.userId))",
    by: ['contract/access-matrix'],
  },
  {
    name: 'a session that ended while the body was read still counts',
    promise: 'a session that was signed out does nothing more',
    file: AUTHENTICATION,
    piece:
      'const isKnown = !needsProof && Math.abs(options.clock.now().getTime() - request.callerFoundAt) < KNOWN_FOR_MS;',
    replacement: 'const isKnown = !needsProof && Math.abs(request.callerFoundAt) > KNOWN_FOR_MS;',
    by: ['contract/sign-out', 'contract/recent-sign-in'],
  },
  {
    name: 'who stopped being an administrator while the body was read still is one',
    promise: 'an administrator who is one no longer does nothing more as one',
    file: AUTHENTICATION,
    piece:
      "options);\n    if (access === 'admin' && !(await options.isAdmin(caller.userId))) throw new AppError('admin_required');\n    request.caller = caller;\n    if (needsProof)",
    replacement: 'options);\n    request.caller = caller;\n    if (needsProof)',
    by: ['contract/sign-out'],
  },
  {
    name: 'the first address of X-Forwarded-For counts, which the caller writes',
    promise: 'nobody escapes a limit by a header',
    file: 'src/http/client-address.ts',
    piece: 'next = passedOn.pop()?.trim()',
    replacement: 'next = passedOn.shift()?.trim()',
    by: ['src/http/shed-load'],
  },
  {
    name: 'sign-in takes bodies of any allowed length',
    promise: 'strangers cannot make the service read much',
    file: 'src/http/body.ts',
    piece: 'route.bodyLimit ??= SIGN_IN_BODY_LIMIT_BYTES;',
    replacement: 'route.bodyLimit ??= Math.max(SIGN_IN_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES);',
    by: ['contract/http-shell'],
  },
  {
    name: 'whether a long answer may go on is not awaited',
    promise: 'a long answer is cut once its session has ended',
    file: 'src/http/streamed-answer.ts',
    piece: "if (!(await isAllowed())) throw new AppError('unauthenticated');",
    replacement: "if (!isAllowed()) throw new AppError('unauthenticated');",
    by: ['contract/long-answers'],
  },
  {
    name: 'the first measurement of health is the last',
    promise: 'the health check tells how it is now',
    file: 'src/http/health.ts',
    piece: '      this.#measuring = undefined;\n',
    replacement: '',
    by: ['src/http/health'],
  },
  {
    name: 'a page of a neighbouring host may act for a person',
    promise: 'no other site can use the session of the app',
    file: SESSION,
    piece: "(headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';",
    replacement: "(headers['sec-fetch-site'] ?? 'same-origin') !== 'cross-site';",
    by: ['src/http/web-app/'],
  },
  {
    name: 'an escaped quote ends a text',
    promise: 'what people write is never taken for too many values',
    file: 'src/http/json-bounds.ts',
    piece: 'index += bytes[index] === BACKSLASH ? 2 : 1;',
    replacement: 'index += bytes[index] === BACKSLASH ? 1 : 1;',
    by: ['src/http/json-bounds'],
  },
  {
    name: 'a made-up token has a queue of its own',
    promise: 'who sends the most is refused first, under however many tokens',
    file: 'src/http/shed-load.ts',
    piece: 'tokens.accountOf(token);',
    replacement: '(tokens.accountOf(token) ?? token);',
    by: ['src/http/shed-load'],
  },
  {
    name: 'a reader who left before the first page keeps a place',
    promise: 'whoever hangs up can read again',
    file: 'src/http/streamed-answer.ts',
    piece: '  if (reply.raw.destroyed) release();\n',
    replacement: '',
    by: ['contract/long-answers'],
  },
  {
    name: 'the later pages of a list cost nothing',
    promise: 'what an account reads is charged to it',
    file: 'src/http/streamed-answer.ts',
    piece: 'if (rows !== pages.first) charge(request, rows);',
    replacement: 'if (rows === undefined) charge(request, rows);',
    by: ['contract/noisy-neighbour'],
  },
  {
    name: 'a bug during an outage is not logged',
    promise: 'an operator finds the cause of each failure',
    file: 'src/http/failures.ts',
    piece: "  if (code !== 'database_unavailable') return true;\n",
    replacement: '',
    by: ['contract/logs'],
  },
  {
    name: 'an overloaded process says that it is ready',
    promise: 'a load balancer uses another process',
    file: 'src/http/health.routes.ts',
    piece: "      if (app.load.isOverloaded) throw new AppError('overloaded', { retryAfterSeconds: 2 });\n",
    replacement: '',
    by: ['src/http/health.routes'],
  },
  {
    name: 'the id of an in-process call outlives it',
    promise: 'a header stands for nobody',
    file: 'src/http/in-process-calls.ts',
    piece: '      this.#callers.delete(id);\n',
    replacement: '',
    by: ['http/in-process-calls'],
  },
];
