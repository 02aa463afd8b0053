import assert from 'node:assert/strict';
import type { Person } from './people.ts';

/** Creates a space in which all of them are. Returns its id. */
export async function createSpace(owner: Person, ...members: readonly Person[]): Promise<string> {
  const { id } = (await owner.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
  for (const member of members) await joinSpace(id, owner, member);
  return id;
}

export async function joinSpace(spaceId: string, inviter: Person, joiner: Person): Promise<void> {
  const { token } = (await inviter.ask('POST', `/v1/spaces/${spaceId}/invites`, {})).body.data;
  assert.equal((await joiner.ask('POST', `/v1/invites/${token}/accept`)).status, 200);
}
