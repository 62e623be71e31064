import { expect } from 'chai';
import {
  answerJoinRequest,
  type JoinRequestPage,
  readJoinRequestOf,
  readJoinRequests,
} from '../../../src/platforms/roblox/join-requests.js';
import { newName } from '../../sandbox/roblox/roblox-fixture.js';
import { countRequests, expectUnavailable, useRobloxSandbox } from './roblox-setup.js';

const going = () => new AbortController().signal;

describe('Requests to join a group', () => {
  const sandbox = useRobloxSandbox({ openCloud: true });

  function newGroup(asking: number) {
    const owner = sandbox().addUser({ username: newName() }).id;
    const group = sandbox().addGroup({ name: 'Pine Crew', ownerId: owner });
    const people = Array.from({ length: asking }, () => sandbox().addUser({ username: newName() }).id);
    for (const id of people) sandbox().requestToJoin(group.id, id);
    sandbox().mendKey();
    sandbox().setKey({ accountId: owner });
    return { groupId: group.id, people };
  }

  async function pageOf(groupId: string, token?: string): Promise<JoinRequestPage> {
    const page = await readJoinRequests(groupId, { size: 20, token });
    return typeof page === 'string' ? expect.fail(page) : page;
  }
  const answer = (verb: 'accept' | 'decline', groupId: string, requestId: string) =>
    answerJoinRequest(verb, { groupId, requestId }, going());

  // RANKING-25
  it('Requests to join are read by pages of 20 and by account, and a foreign token is told', async () => {
    const { groupId, people } = newGroup(23);
    const first = await pageOf(groupId);
    expect(first.requests.map(({ gameUserId }) => gameUserId)).to.deep.equal(people.slice(0, 20));
    const second = await pageOf(groupId, first.nextPageToken ?? '');
    expect(second.requests.map(({ gameUserId }) => gameUserId)).to.deep.equal(people.slice(20));
    expect(second.nextPageToken).to.equal(null);
    expect(await readJoinRequests(groupId, { size: 20, token: 'x' })).to.equal('stale');
    const one = await readJoinRequestOf(groupId, people[21] ?? '');
    expect(typeof one === 'string' ? one : one?.gameUserId).to.equal(people[21]);
    expect(await readJoinRequestOf(groupId, '1')).to.equal(null);
  });

  // RANKING-26
  it('Roblox’s group takes a person in or ends their request to join, and each request is answered once', async () => {
    const { groupId, people } = newGroup(2);
    const [first, second] = (await pageOf(groupId)).requests;
    expect(await answer('accept', groupId, first?.requestId ?? '')).to.deep.equal({ kind: 'done' });
    expect(await answer('decline', groupId, second?.requestId ?? '')).to.deep.equal({ kind: 'done' });
    expect(people.map((id) => sandbox().ranksOf(groupId, id))).to.deep.equal([[1], []]);
    expect((await pageOf(groupId)).requests).to.deep.equal([]);
    const again = await answer('accept', groupId, second?.requestId ?? '');
    expect(again).to.deep.equal({ kind: 'refused', reason: 'request_unknown' });
  });

  // RANKING-28
  it('Without the permission no request to join is read, and each answer is refused', async () => {
    const { groupId, people } = newGroup(1);
    const { requests, nextPageToken } = await pageOf(groupId);
    expect(nextPageToken).to.equal(null);
    sandbox().setKey({ accountId: people[0] ?? '' });
    expect(await readJoinRequests(groupId, { size: 20 })).to.equal('not_allowed');
    expect(await readJoinRequests(groupId, { size: 20, token: 'x' })).to.equal('not_allowed');
    expect(await readJoinRequestOf(groupId, people[0] ?? '')).to.equal('not_allowed');
    const outcome = await answer('accept', groupId, requests[0]?.requestId ?? '');
    expect(outcome).to.deep.equal({ kind: 'refused', reason: 'permission' });
  });

  // ROBLOX-27
  it('An answer to a request to join with an unknown result is sent once and throws', async () => {
    const { groupId } = newGroup(1);
    const [request] = (await pageOf(groupId)).requests;
    sandbox().inject({ match: /:accept/, dropSocket: true, when: 'after', times: 1 });
    await expectUnavailable(answer('accept', groupId, request?.requestId ?? ''));
    expect(countRequests(sandbox(), /:accept$/)).to.equal(1);
    expect((await pageOf(groupId)).requests, 'it was made').to.deep.equal([]);
  });
});
