import { expect } from 'chai';
import {
  acceptJoinRequest,
  declineJoinRequest,
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

  it('are read by pages of 20 and by account', async () => {
    const { groupId, people } = newGroup(23);
    const first = await readJoinRequests(groupId);
    expect(first?.requests.map(({ gameUserId }) => gameUserId)).to.deep.equal(people.slice(0, 20));
    const pageToken = first?.nextPageToken ?? '';
    const second = await readJoinRequests(groupId, { pageToken });
    expect(second?.requests.map(({ gameUserId }) => gameUserId)).to.deep.equal(people.slice(20));
    expect(second?.nextPageToken).to.equal(null);
    const one = await readJoinRequests(groupId, { gameUserId: people[21] ?? '' });
    expect(one?.requests).to.have.length(1);
  });

  it('take the person in when accepted, and end when declined', async () => {
    const { groupId, people } = newGroup(2);
    const [in_, out] = (await readJoinRequests(groupId))?.requests ?? [];
    if (!in_ || !out) throw new Error('No requests.');
    expect(await acceptJoinRequest({ groupId, requestId: in_.requestId }, going())).to.deep.equal({ kind: 'done' });
    expect(await declineJoinRequest({ groupId, requestId: out.requestId }, going())).to.deep.equal({ kind: 'done' });
    expect(people.map((id) => sandbox().ranksOf(groupId, id))).to.deep.equal([[1], []]);
    expect((await readJoinRequests(groupId))?.requests).to.deep.equal([]);
    const again = await acceptJoinRequest({ groupId, requestId: out.requestId }, going());
    expect(again).to.deep.equal({ kind: 'refused', reason: 'request_unknown' });
  });

  it('are null for an account without the permission, and its answers are refused', async () => {
    const { groupId, people } = newGroup(1);
    const [request] = (await readJoinRequests(groupId))?.requests ?? [];
    sandbox().setKey({ accountId: people[0] ?? '' });
    expect(await readJoinRequests(groupId)).to.equal(null);
    const outcome = await acceptJoinRequest({ groupId, requestId: request?.requestId ?? '' }, going());
    expect(outcome).to.deep.equal({ kind: 'refused', reason: 'permission' });
  });

  it('are answered once when the result is unknown', async () => {
    const { groupId } = newGroup(1);
    const [request] = (await readJoinRequests(groupId))?.requests ?? [];
    sandbox().inject({ match: /:accept/, dropSocket: true, when: 'after', times: 1 });
    await expectUnavailable(acceptJoinRequest({ groupId, requestId: request?.requestId ?? '' }, going()));
    expect(countRequests(sandbox(), /:accept$/)).to.equal(1);
    expect((await readJoinRequests(groupId))?.requests, 'it was made').to.deep.equal([]);
  });
});
