import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rememberSignOutHint } from './sign-out-hint.ts';

/** The cookie of a hint that has so many characters. */
function cookieOf(length: number): string | undefined {
  const headers = new Map<string, string>();
  const reply = {
    header: (name: string, value: string) => {
      headers.set(name, value);
      return reply;
    },
  };
  const request = { headers: { 'x-crescendo-app': '1' }, server: { hasTls: true }, protocol: 'https' };
  rememberSignOutHint(request as unknown as FastifyRequest, reply as unknown as FastifyReply, 'x'.repeat(length));
  return headers.get('set-cookie');
}

test('a hint that browsers would drop with its cookie is not sent', () => {
  assert.ok((cookieOf(3_900) ?? assert.fail()).length <= 4_096);
  assert.equal(cookieOf(3_901), undefined);
});

test('no script and no other route than the sign-out gets a hint, which would make every request longer', () => {
  assert.match(
    cookieOf(1) ?? '',
    /^__Secure-crescendo-sign-out=x; Path=\/app\/provider\/sign-out; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
  );
});
