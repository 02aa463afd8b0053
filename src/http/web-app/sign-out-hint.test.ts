import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rememberSignOutHint } from './sign-out-hint.ts';

test('a hint that browsers would drop with its cookie is not sent', () => {
  const isSent = (length: number): boolean => {
    const headers = new Map<string, string>();
    const reply = {
      header: (name: string, value: string) => {
        headers.set(name, value);
        return reply;
      },
    };
    const request = { headers: { 'x-crescendo-app': '1' }, server: { hasTls: true }, protocol: 'https' };
    rememberSignOutHint(request as unknown as FastifyRequest, reply as unknown as FastifyReply, 'x'.repeat(length));
    const cookie = headers.get('set-cookie');
    assert.ok((cookie ?? '').length <= 4_096);
    return cookie !== undefined;
  };
  assert.deepEqual([isSent(3_900), isSent(3_901)], [true, false]);
});
