import { z } from 'zod';
import { type DemoCast, type DemoStep, hasRoles } from './demo-cast.js';
import { type DemoStage, until } from './demo-stage.js';

const checkout = z.object({ url: z.string() });
const billing = z.object({ plan: z.string() });
const session = z.object({ token: z.string(), phrase: z.string() });
const webhook = z.object({ webhookId: z.string() });
const deliveries = z.object({ data: z.array(z.object({ lastAttempt: z.unknown().nullable(), state: z.string() })) });

/** Ranger Base's members at the story's end, by their rank in the group. */
const inhabitants = { dora: 'Recruit', eli: 'Officer', finn: 'Commander' };
const ranks: Readonly<Record<string, number>> = { Recruit: 10, Officer: 100, Commander: 255 };

/** The last chapter, which leaves something to see: members, a paid plan, a failed delivery. */
export function livingServer(stage: DemoStage, { ada, group, base, role }: DemoCast): DemoStep[] {
  const { discord, roblox, stripe, receiver } = stage;
  const guild = `/api/guilds/${base.id}`;
  let hookPath = '';
  return [
    {
      tells: 'Ada buys Pro again',
      async play() {
        const byAda = await stage.signIn(ada.id);
        const { url } = checkout.parse(await byAda.call('POST', `${guild}/billing/checkout`, { plan: 'pro' }));
        stripe.pay(url);
        const isPro = async () => billing.parse(await byAda.call('GET', `${guild}/billing`)).plan === 'pro';
        await until('the plan is pro', isPro);
      },
    },
    {
      tells: 'She registers a webhook for a program that is down',
      async play() {
        const byAda = await stage.signIn(ada.id);
        const wish = { url: receiver.downUrl, events: ['role.synced'] };
        const { webhookId } = webhook.parse(await byAda.call('POST', `${guild}/webhooks`, wish));
        hookPath = `${guild}/webhooks/${webhookId}`;
      },
    },
    {
      tells: 'Dora, Eli and Finn of the group join, verify, and have the roles of their ranks',
      async play() {
        for (const [username, rank] of Object.entries(inhabitants)) {
          const person = discord.addUser({ username });
          const game = roblox.addUser({ username: `${username}_ranger` });
          roblox.setRank(group.id, game.id, ranks[rank] ?? 10);
          discord.join(base.id, person.id);
          const wish = { guildId: base.id, chatUserId: person.id, method: 'profile_code' };
          const { token, phrase } = session.parse(await stage.platform.call('POST', '/api/verification/session', wish));
          roblox.setAbout(game.id, phrase);
          await stage.platform.call('POST', '/api/verification/complete', { token, gameUsername: game.username });
          await hasRoles(stage, base.id, person.id, role('Verified'), role(rank));
        }
      },
    },
    {
      tells: 'The webhook that is down was to be told of each of them: it failed, says why, and is tried again later',
      async play() {
        const byAda = await stage.signIn(ada.id);
        const hasFailed = async () => {
          const { data } = deliveries.parse(await byAda.call('GET', `${hookPath}/deliveries`));
          return data.some(({ lastAttempt, state }) => lastAttempt !== null && state !== 'delivered');
        };
        await until('a delivery has failed', hasFailed);
      },
    },
  ];
}
