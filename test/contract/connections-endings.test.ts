/** What signing out everywhere leaves of a connection, and which requests of assistants are never judged. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agree, askToken, CALLBACK, mcpStatus, newProof, queryOf, register } from '../support/assistants.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  let app: TestApp;
  let ada: Person;
  before(async () => {
    app = await startTestApp('sqlite');
    ada = await createPerson(app);
  });
  after(() => app[Symbol.asyncDispose]());

  async function newCode() {
    const { client_id } = await register(app);
    const { verifier, challenge } = newProof();
    const code = await agree(ada, queryOf(client_id, challenge));
    return { grant_type: 'authorization_code', code, client_id, code_verifier: verifier, redirect_uri: CALLBACK };
  }

  test('signing out everywhere forgets codes that nobody fetched, and knows those that were when they are shown again', async () => {
    const [fetched, waiting] = [await newCode(), await newCode()];
    const { access_token } = (await askToken(app, fetched)).body;
    await ada.ask('POST', '/v1/me/access/end', { sessions: true });
    assert.equal((await askToken(app, waiting)).body.error, 'invalid_grant');
    assert.equal(await mcpStatus(app, access_token), 200);
    assert.equal((await askToken(app, fetched)).body.error, 'invalid_grant');
    assert.equal(await mcpStatus(app, access_token), 401);
  });

  test('nobody makes the service read a long registration, or a long request for a token', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const long = 'x'.repeat(16 * 1024);
    for (const [url, payload, headers] of [
      ['/oauth/register', JSON.stringify({ client_name: long }), { 'content-type': 'application/json' }],
      ['/oauth/token', `grant_type=refresh_token&refresh_token=${long}`, form],
      ['/oauth/revoke', `token=${long}`, form],
    ] as const) {
      const { status, body } = await app.ask({ method: 'POST', url, payload, headers });
      assert.deepEqual([status, body.error], [413, 'invalid_request'], url);
    }
  });

  test('a request that names two clients, or an assertion of no or another kind, is refused and spends nothing', async () => {
    const fields = await newCode();
    const basic = (id: string) => ({ authorization: `Basic ${Buffer.from(`${id}:secret`).toString('base64')}` });
    const assertion = { client_assertion: 'a.b.c' };
    for (const [change, headers] of [
      [{}, basic('dc_other')],
      [assertion, {}],
      [{ ...assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }, {}],
    ] as const) {
      const { status, body } = await askToken(app, { ...fields, ...change }, headers);
      assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify([change, headers]));
    }
    assert.equal((await askToken(app, fields)).status, 200);
  });
});
