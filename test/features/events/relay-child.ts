import { trusted } from 'mongoose';
import { loadConfig, useConfig } from '../../../src/config/config.js';
import { loadSecretKeys } from '../../../src/config/secret-keys.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { endLink, linkMember } from '../../../src/features/members/member-links.js';
import { type Member, Members } from '../../../src/features/members/member-model.js';
import { relayNow } from '../../../src/features/webhooks/relay-job.js';
import { connectDatabase } from '../../../src/platforms/database/connect.js';

/**
 * A small service part, with the environment in its first argument. It links and unlinks the members in the second
 * argument forever, and relays at the same time; without members it relays once. A member's account number counts up,
 * and is stored in the same write as their name on Discord, so that two processes must not change the same member.
 */
const [environment = '{}', chatUserIds = ''] = process.argv.slice(2);
const actor = systemActor('test');
const always = new AbortController().signal;

async function change({ guildId, chatUserId }: Member): Promise<void> {
  for (;;) {
    const member = await Members.findOne({ guildId, chatUserId });
    if (member === null) throw new Error('The member is not there.');
    if (member.state === 'linked') {
      await endLink(member, 'self', actor);
      continue;
    }
    const gameUserId = String(Number(member.chatUsername) + 1);
    const game = { gameUserId, gameUsername: `Player${gameUserId}`, gameDisplayName: 'Player' };
    await linkMember({ ...member, chatUsername: gameUserId }, game, { actor, isProof: true });
  }
}

async function relay(): Promise<void> {
  for (;;) await relayNow(always);
}

const config = loadConfig(JSON.parse(environment));
useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
await connectDatabase({ uri: config.mongodbUri, dataDir: config.dataDir });
if (chatUserIds === '') {
  await relayNow(always);
  process.exit();
}
const members = await Members.acrossGuilds.find({ chatUserId: trusted({ $in: chatUserIds.split(',') }) }).lean();
process.send?.('started');
await Promise.all([relay(), ...members.map(change)]);
