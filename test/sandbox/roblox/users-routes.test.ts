import { expect } from 'chai';
import { errorBody, field, list, newName, RobloxFixture } from './roblox-fixture.js';

describe('Roblox sandbox: users and thumbnails', () => {
  const roblox = new RobloxFixture();

  it('The Roblox sandbox shows one user with profile text, ban and sign-up date', async () => {
    const createdAt = new Date('2020-03-04T05:06:07.008Z');
    const input = { username: newName(), displayName: 'Shown', createdAt, about: 'green apple', banned: true };
    const user = roblox.sandbox.addUser(input);
    const answer = await roblox.get(`/users/v1/users/${user.id}`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({
      description: 'green apple',
      created: '2020-03-04T05:06:07.008Z',
      isBanned: true,
      externalAppDisplayName: null,
      hasVerifiedBadge: false,
      id: Number(user.id),
      name: input.username,
      displayName: 'Shown',
    });
  });

  it('The Roblox sandbox shows changed profile text and bans immediately', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    roblox.sandbox.setAbout(user.id, 'new words');
    roblox.sandbox.setBanned(user.id, true);
    const { body } = await roblox.get(`/users/v1/users/${user.id}`);
    expect(field(body, 'description')).to.equal('new words');
    expect(field(body, 'isBanned')).to.equal(true);
  });

  it('The Roblox sandbox creates accounts of two years by default', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const { body } = await roblox.get(`/users/v1/users/${user.id}`);
    const age = Date.now() - Date.parse(String(field(body, 'created')));
    expect(age / (24 * 60 * 60 * 1000)).to.be.closeTo(730, 0.1);
  });

  it('The Roblox sandbox answers an unknown user id with 404 and code 3', async () => {
    const answer = await roblox.get('/users/v1/users/1');
    expect(answer.status).to.equal(404);
    expect(answer.body).to.deep.equal(errorBody(3, 'The user id is invalid.'));
  });

  it('The sandbox finds many users by id, leaving out unknown ones and, if asked, banned ones', async () => {
    const kept = roblox.sandbox.addUser({ username: newName() });
    const banned = roblox.sandbox.addUser({ username: newName(), banned: true });
    const userIds = [Number(kept.id), Number(banned.id), 1];
    const all = await roblox.postJson('/users/v1/users', { userIds });
    expect(list(all.body, 'data').map((user) => field(user, 'name'))).to.deep.equal([kept.username, banned.username]);
    const unbanned = await roblox.postJson('/users/v1/users', { userIds, excludeBannedUsers: true });
    expect(list(unbanned.body, 'data').map((user) => field(user, 'id'))).to.deep.equal([Number(kept.id)]);
  });

  it('The Roblox sandbox finds users by present and former name without regard to case', async () => {
    const user = roblox.sandbox.addUser({ username: newName(), formerNames: ['OldestName'] });
    const before = user.username;
    roblox.sandbox.renameUser(user.id, 'BrandNew');
    const usernames = ['brandnew', before, 'OLDESTNAME', 'nobody-at-all'];
    const { body } = await roblox.postJson('/users/v1/usernames/users', { usernames, excludeBannedUsers: true });
    const same = { hasVerifiedBadge: false, id: Number(user.id), name: 'BrandNew', displayName: before };
    expect(body).to.deep.equal({
      data: [
        { requestedUsername: 'brandnew', ...same },
        { requestedUsername: before, ...same },
        { requestedUsername: 'OLDESTNAME', ...same },
      ],
    });
  });

  it('A search by a former name in the sandbox finds the account that bears it now', async () => {
    const first = roblox.sandbox.addUser({ username: newName() });
    const name = first.username;
    roblox.sandbox.renameUser(first.id, newName());
    const second = roblox.sandbox.addUser({ username: name });
    const { body } = await roblox.postJson('/users/v1/usernames/users', { usernames: [name] });
    expect(list(body, 'data').map((user) => field(user, 'id'))).to.deep.equal([Number(second.id)]);
  });

  it('The Roblox sandbox refuses a username that is taken', () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    expect(() => roblox.sandbox.addUser({ username: user.username.toUpperCase() })).to.throw(/is taken/);
    const other = roblox.sandbox.addUser({ username: newName() });
    expect(() => roblox.sandbox.renameUser(other.id, user.username)).to.throw(/is taken/);
  });

  it('The Roblox sandbox gives headshots with existing images, and a blocked one for an unknown user', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const answer = await roblox.get(
      `/thumbnails/v1/users/avatar-headshot?userIds=${user.id},1&size=150x150&format=Png&isCircular=false`,
    );
    expect(answer.status).to.equal(200);
    const [known, unknown] = list(answer.body, 'data');
    expect(field(known, 'targetId')).to.equal(Number(user.id));
    expect(field(known, 'state')).to.equal('Completed');
    expect(unknown).to.deep.equal({ targetId: 1, state: 'Blocked', imageUrl: '', version: 'TN3' });
    const image = await roblox.get(String(field(known, 'imageUrl')));
    expect(image.status).to.equal(200);
    expect(image.headers.get('content-type')).to.include('image/svg+xml');
  });
});

describe('Roblox sandbox: users and thumbnails, bad requests', () => {
  const roblox = new RobloxFixture({ checked: false });
  const cases: [fault: string, request: () => ReturnType<RobloxFixture['get']>, code: number][] = [
    ['201 ids', () => roblox.postJson('/users/v1/users', { userIds: [...Array(201).keys()] }), 1],
    [
      '201 names',
      () => roblox.postJson('/users/v1/usernames/users', { usernames: [...Array(201).keys()].map(String) }),
      2,
    ],
    ['ids that are no numbers', () => roblox.postJson('/users/v1/users', { userIds: ['x'] }), 0],
    ['101 headshots', () => roblox.get(`/thumbnails/v1/users/avatar-headshot?userIds=${[...Array(101).keys()]}`), 1],
    ['an unknown picture format', () => roblox.get('/thumbnails/v1/users/avatar-headshot?userIds=1&format=Gif'), 2],
    ['an unknown picture size', () => roblox.get('/thumbnails/v1/users/avatar-headshot?userIds=1&size=1x1'), 3],
    ['no picture ids', () => roblox.get('/thumbnails/v1/users/avatar-headshot'), 4],
  ];
  for (const [fault, request, code] of cases) {
    it(`The Roblox sandbox refuses ${fault} with 400 and code ${code}`, async () => {
      const answer = await request();
      expect(answer.status).to.equal(400);
      expect(field(answer.body, 'errors', 0, 'code')).to.equal(code);
    });
  }

  it('The sandbox answers broken JSON with 400 and an unknown path with 404, in the host’s form', async () => {
    const url = `${roblox.sandbox.usersUrl}/v1/users`;
    const broken = await fetch(url, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
    expect(broken.status).to.equal(400);
    expect(await broken.json()).to.deep.equal(errorBody(0, 'The request body could not be read.'));
    const unknown = await roblox.get('/users/v9/nothing');
    expect(unknown.status).to.equal(404);
    expect(unknown.body).to.deep.equal(errorBody(0, 'NotFound'));
  });
});
