import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findAccountIn, findOwnAccount } from '../../../src/features/accounts/account-service.js';
import { linkAtOnce } from '../../../src/features/accounts/missing-links.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { failureWords } from '../../../src/features/verification/failure-words.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { answerClaim, submitAndFollow, wordsOf } from '../../edges/pages/verify-pages-setup.js';
import { type Api, api, asPerson } from '../../support/api.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { dataOf, listen } from '../events/listening.js';
import { age, setVerification, stored } from './verification-setup.js';

const tenMinutesMs = 600_000;

let discord: World['discord'];
let guild: TestGuild;
let person: TestPerson;
let me: Api;
let game: Api;

/** The person asks for a code. */
async function begin(who = me, { guildId } = guild) {
  const { status, body } = await who.post('/api/verification/session', { guildId, method: 'game_code' });
  expect(status, JSON.stringify(body)).to.equal(201);
  return { token: body.token as string, code: body.phrase as string, body };
}

/** The game hands in a code that this person typed. */
const redeem = (code: string, as: Pick<TestPerson, 'gameUserId'> = person, { path } = guild, from = game) =>
  from.post(`${path}/verification/game-codes/redeem`, { code, gameUserId: as.gameUserId });

const confirm = (token: string, who = me) => answerClaim({ me: who, page: `/verify/${token}` } as never, 'confirm');
const question = (of = person) => eventually(() => discord.directMessages(of.chatUserId).at(-1), 'the question');

/** Registers hooks: each test gets a guild with a game, and a member, signed in. */
function useGame(): void {
  before(async () => {
    ({ discord } = await world());
  });

  beforeEach(async () => {
    guild = await buildGuild({ name: 'Owls' });
    person = await buildMember(guild, { linked: false });
    me = await asPerson(person);
    game = api(await tokenFor(guild.guildId, 'verifier'));
  });
}

// VER-24, VER-27, VER-28
describe('Codes in a Roblox game', () => {
  useGame();

  it('A game code has six letters and digits that can’t be confused, and lives ten minutes', async () => {
    const { code, body } = await begin();
    expect(code).to.match(/^[BCDFGHJKMNPQRSTVWXYZ3479]{6}$/);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).to.be.within(
      tenMinutesMs - 1,
      tenMinutesMs + 60_000,
    );
  });

  // ID-2
  it('A game code’s session holds its token as a hash and encrypted, and never as it is', async () => {
    const { token } = await begin();
    const { sealedToken, ...rest } = await stored(token);
    expect(sealedToken).to.be.a('string').and.not.to.contain(token);
    expect(JSON.stringify(rest)).not.to.contain(token);
  });

  // VER-25, VER-26
  it('A game code makes a claim, which the person confirms by direct message with name and picture', async () => {
    await listen(guild);
    const { token, code } = await begin();
    const typed = ` ${code.slice(0, 3)}-${code.slice(3).toLowerCase()} `;
    const taken = await redeem(typed);
    expect(taken.status).to.equal(202);
    expect(taken.body).to.have.all.keys('state', 'expiresAt').and.include({ state: 'awaiting_confirmation' });
    expect(await findOwnAccount(person.chatUserId)).to.equal(null);
    const [claimed] = await latestEntries(guild.guildId, 1);
    expect(claimed).to.include({ action: 'verification.claimed' });
    expect(claimed?.changes?.method).to.deep.equal({ from: null, to: 'game_code' });
    expect(claimed?.actor.kind).to.equal('bot_token');
    expect((await redeem(code)).status, 'again, as when the answer was lost').to.equal(202);

    const asked = await question();
    expect(asked.content).to.contain('**Owls**').and.contain(`**${person.gameUsername}**`).and.contain('server only');
    expect(JSON.stringify(asked.embeds)).to.contain(person.gameUserId);
    const reply = await (await discord.press(guild.guildId, person.chatUserId, asked, "Yes, that's me")).reply();
    expect(reply.content).to.contain('You are now linked');
    const { chatUserId, gameUserId, gameUsername } = person;
    expect(await findOwnAccount(chatUserId)).to.deep.include({
      gameUserId,
      method: 'game_code',
      guildId: guild.guildId,
    });
    expect((await me.get('/api/auth/me/export')).body.account).to.deep.include({ onlyIn: [guild.guildId] });
    expect(await findMember(guild.guildId, chatUserId)).to.include({ state: 'linked', gameUserId });
    expect(await dataOf(guild, 'verification.completed')).to.deep.equal([{ chatUserId, gameUserId, gameUsername }]);
    expect(await stored(token)).to.include({ state: 'completed' });
  });

  // VER-26
  it('A person gets and confirms a game code under buttons too, where direct messages are off', async () => {
    const press = async (message: { id: string; channelId: string }, label: string) =>
      (await discord.press(guild.guildId, person.chatUserId, message, label)).reply();
    const choice = await (await discord.command(guild.guildId, person.chatUserId, 'verify')).reply();
    const offer = await press(choice, 'Get a game code');
    const [, code = ''] = /```\n?([A-Z0-9]{6})\n?```/.exec(offer.content) ?? [];
    expect((await press(offer, "I've typed it")).content)
      .to.contain("The game hasn't sent this code")
      .and.contain(code);
    const fresh = await press(offer, 'New code');
    const [, second = ''] = /```\n?([A-Z0-9]{6})\n?```/.exec(fresh.content) ?? [];
    expect((await redeem(code)).status, 'the code before').to.equal(404);
    expect((await redeem(second)).status).to.equal(202);
    const asked = await press(fresh, "I've typed it");
    expect(asked.content).to.contain(`**${person.gameUsername}**`);
    expect((await press(asked, "Yes, that's me")).content).to.contain('You are now linked');
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  // VER-26
  it('The page of a verification shows the game code, and the person confirms or refuses the claim there', async () => {
    const { token, code } = await begin();
    const visitor = { me, page: `/verify/${token}` } as never;
    expect(wordsOf((await me.get(`/verify/${token}`)).body)).to.contain(code);
    await redeem(code, await buildPerson());
    const asked = wordsOf((await me.get(`/verify/${token}`)).body);
    expect(asked).to.contain('Your code was typed in the Roblox game of Owls').and.contain('that server only');
    await answerClaim(visitor, 'reject');
    expect(await stored(token)).to.include({ state: 'failed', reason: 'rejected_by_person' });
    const again = wordsOf((await submitAndFollow(visitor, { action: 'retry' })).body);
    const [, fresh = ''] = / ([BCDFGHJKMNPQRSTVWXYZ3479]{6}) /.exec(again) ?? [];
    await redeem(fresh);
    expect((await confirm(token)).status).to.equal(303);
    expect(await findOwnAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });
});

describe('Limits of game codes', () => {
  useGame();

  it('A wrong game code reveals nothing: unknown, used, expired and foreign ones get the same answer', async () => {
    const other = await buildGuild();
    const otherGame = api(await tokenFor(other.guildId, 'verifier'));
    const [used, expired, living] = [await begin(), await begin(), await begin()];
    await redeem(used.code);
    await age({ _id: hashSecret(expired.token) }, tenMinutesMs);
    const answers = [
      await redeem('BCDFGH'),
      await redeem('nonsense'),
      await redeem(used.code, await buildPerson()),
      await redeem(expired.code),
      await redeem(living.code, person, other, otherGame),
    ];
    const said = answers.map(({ status, body }) => [status, body.code, body.detail]);
    expect(new Set(said.map(String)).size).to.equal(1);
    expect(said[0]?.slice(0, 2)).to.deep.equal([404, 'game_code_not_valid']);
    expect(await stored(living.token)).to.include({ state: 'pending', attempts: 0 });
    expect((await redeem(living.code, person, guild, otherGame)).body.code).to.equal('guild_not_found');
  });

  // API-34
  it('Tokens guess 20 game codes a minute and a guild’s 60 together; then a right one is refused too', async () => {
    const { code } = await begin();
    const tokens = await Promise.all([1, 2, 3].map(async () => api(await tokenFor(guild.guildId, 'verifier'))));
    for (const token of tokens) {
      for (let guess = 0; guess < 20; guess += 1) {
        expect((await redeem('BCDFGH', person, guild, token)).status, String(guess)).to.equal(404);
      }
      const over = await redeem(code, person, guild, token);
      expect([over.status, over.headers.has('retry-after')]).to.deep.equal([429, true]);
    }
    expect((await redeem(code)).status, 'by a token that has not guessed').to.equal(429);
    expect(await findOwnAccount(person.chatUserId)).to.equal(null);
  });

  it('A game code is offered where a token for it lives, and by the rules of the server', async () => {
    const bare = await buildGuild();
    const member = await asPerson(await buildMember(bare, { linked: false }));
    const refused = await member.post('/api/verification/session', { guildId: bare.guildId, method: 'game_code' });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'method_unavailable']);
    // AUTH-65
    const wide = api(await tokenFor(bare.guildId, 'game'));
    const offered = await begin(member, bare);
    const unknown = { gameUserId: '2' };
    expect((await redeem(offered.code, person, bare, wide)).status).to.equal(202);
    expect((await redeem('BCDFGH', unknown, bare, wide)).body.code).to.equal('game_code_not_valid');
    const { code } = await begin();
    await setVerification(guild.guildId, { enabled: false });
    expect((await redeem(code)).body.code).to.equal('verification_disabled');
    await setVerification(guild.guildId, { minimumAccountAgeDays: 3650 });
    const tooNew = await redeem(code);
    expect([tooNew.status, tooNew.body.code, tooNew.body.reason]).to.deep.equal([
      422,
      'verification_failed',
      'account_too_new',
    ]);
    expect(JSON.stringify(tooNew.body)).not.to.contain(person.chatUserId);
  });
});

describe('Accounts by game codes', () => {
  useGame();

  // ID-60
  it('A game code counts in its server alone, and a proof of another kind counts everywhere', async () => {
    const elsewhere = await buildGuild();
    await buildMember(elsewhere, { person, linked: false });
    const { token, code } = await begin();
    await redeem(code);
    await confirm(token);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
    expect(await linkAtOnce(elsewhere.guildId, person.chatUserId)).to.include({ state: 'joined' });
    discord.leave(elsewhere.guildId, person.chatUserId);
    await buildMember(elsewhere, { person, linked: false });
    await elsewhere.api.post(`${elsewhere.path}/members/${person.chatUserId}/sync`, {});
    expect(await findMember(elsewhere.guildId, person.chatUserId)).to.not.include({ state: 'linked' });

    const there = api(await tokenFor(elsewhere.guildId, 'verifier'));
    const second = await begin(me, elsewhere);
    await redeem(second.code, person, elsewhere, there);
    await confirm(second.token);
    for (const { guildId } of [guild, elsewhere])
      expect(await findAccountIn(await getMember(guildId, person.chatUserId))).to.include({
        guildId,
        method: 'game_code',
      });

    const third = await buildGuild();
    await buildMember(third, { person, linked: false });
    await linkPerson(guild.guildId, person);
    const account = await findOwnAccount(person.chatUserId);
    expect(account).to.include({ method: 'profile_code' }).and.not.have.property('guildId');
    expect(await linkAtOnce(third.guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  // ID-12
  it('Words in the profile immediately take an account that rests on another person’s game code', async () => {
    const { token, code } = await begin();
    await redeem(code);
    await confirm(token);
    const other = await buildMember(guild, { linked: false });
    const { gameUserId, gameUsername } = person;
    await linkPerson(guild.guildId, { ...other, gameUserId, gameUsername });
    expect(await findOwnAccount(person.chatUserId)).to.equal(null);
    const account = await findOwnAccount(other.chatUserId);
    expect(account).to.include({ gameUserId, method: 'profile_code' }).and.not.have.property('guildId');
  });

  // ID-13
  it('A game code takes no account that its server sees proved, and replaces no proof of the person’s own', async () => {
    const owner = await buildMember(guild);
    const held = await begin();
    await redeem(held.code, owner);
    await confirm(held.token);
    expect(await stored(held.token)).to.include({ state: 'failed', reason: 'stronger_proof' });
    expect(await findOwnAccount(owner.chatUserId)).to.include({ gameUserId: owner.gameUserId });
    expect(wordsOf((await me.get(`/verify/${held.token}`)).body)).to.contain(failureWords.stronger_proof);
    const { token, code } = await begin(await asPerson(owner));
    await redeem(code, await buildPerson());
    await confirm(token, await asPerson(owner));
    expect(await stored(token)).to.include({ reason: 'stronger_proof' });
    expect(await findOwnAccount(owner.chatUserId)).to.include({ gameUserId: owner.gameUserId });
  });

  // VER-39
  it('A game code chooses another proved account in its server, and other servers keep theirs', async () => {
    const elsewhere = await buildGuild();
    const owner = await buildMember(elsewhere);
    await buildMember(guild, { person: owner });
    const alt = await addOther(owner);
    const their = await asPerson(owner);
    const { token, code } = await begin(their);
    await redeem(code, alt);
    await confirm(token, their);
    expect(await stored(token)).to.include({ state: 'completed' });
    expect(await findMember(guild.guildId, owner.chatUserId)).to.include({ gameUserId: alt.gameUserId });
    expect(await findMember(guild.guildId, owner.chatUserId)).not.to.have.property('word');
    expect(await findMember(elsewhere.guildId, owner.chatUserId)).to.include({ gameUserId: owner.gameUserId });
    expect(await findOwnAccount(owner.chatUserId)).to.include({ gameUserId: owner.gameUserId });
  });

  // ID-60
  it('A game code doesn’t tell its server whether somebody elsewhere has the account', async () => {
    const elsewhere = await buildGuild();
    const far = await buildMember(elsewhere);
    const { token, code } = await begin();
    await redeem(code, far);
    await confirm(token);
    expect(await stored(token)).to.include({ state: 'completed' });
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ gameUserId: far.gameUserId });
    expect(await findMember(elsewhere.guildId, far.chatUserId)).to.include({ gameUserId: far.gameUserId });
    await buildMember(guild, { person: far });
    const former = async () => (await findMember(guild.guildId, person.chatUserId))?.state === 'unlinked';
    await eventually(former, 'the end of the word, where the proof is seen');
  });

  it('A game code moves an account within the server, and leaves a stronger proof as it is', async () => {
    const first = await begin();
    await redeem(first.code);
    await confirm(first.token);
    const other = await buildMember(guild, { linked: false });
    const second = await begin(await asPerson(other));
    await redeem(second.code, person);
    await confirm(second.token, await asPerson(other));
    expect(await findOwnAccount(person.chatUserId)).to.equal(null);
    expect(await findOwnAccount(other.chatUserId)).to.include({ gameUserId: person.gameUserId });

    const words = await buildMember(guild);
    const third = await begin(await asPerson(words));
    await redeem(third.code, words);
    await confirm(third.token, await asPerson(words));
    const account = await findOwnAccount(words.chatUserId);
    expect(account).to.include({ method: 'profile_code' }).and.not.have.property('guildId');
  });
});
