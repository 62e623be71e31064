import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DemoCaller } from './demo-caller.js';
import { type DemoCast, type DemoStep, expectWords, hasRoles } from './demo-cast.js';
import { type DemoStage, until } from './demo-stage.js';

const checkout = z.object({ url: z.string() });
const billing = z.object({ plan: z.string() });
const webhook = z.object({ webhookId: z.string(), secret: z.string() });
const paused = z.object({ paused: z.string().nullable() });
const listed = z.object({ data: z.array(z.object({ guildId: z.string(), role: z.string() })) });

/** The third chapter: running Rolelink for others, over the REST API and at Stripe. */
export function serviceStory(stage: DemoStage, { ada, ben, cleo, gameCleo, group, base, role }: DemoCast): DemoStep[] {
  const { discord, roblox, stripe, receiver } = stage;
  const guild = `/api/guilds/${base.id}`;
  const made = { subscriptionId: '', webhookPath: '' };
  let byAda: DemoCaller;
  const planIs = (plan: string) =>
    until(`the plan is ${plan}`, async () => billing.parse(await byAda.call('GET', `${guild}/billing`)).plan === plan);

  return [
    {
      tells: 'Ada signs in on the web, buys the plan Pro at Stripe, and has it',
      async play() {
        byAda = await stage.signIn(ada.id);
        const { url } = checkout.parse(await byAda.call('POST', `${guild}/billing/checkout`, { plan: 'pro' }));
        made.subscriptionId = stripe.pay(url).id;
        await planIs('pro');
      },
    },
    {
      tells: 'She registers a webhook; Cleo is promoted, uses /update, and the webhook tells of it, signed',
      async play() {
        const wish = { url: receiver.url, events: ['role.synced', 'member.unlinked'] };
        const { webhookId, secret } = webhook.parse(await byAda.call('POST', `${guild}/webhooks`, wish));
        made.webhookPath = `${guild}/webhooks/${webhookId}`;
        receiver.trust(secret);
        roblox.setRank(group.id, gameCleo.id, 10);
        await expectWords(await discord.command(base.id, cleo.id, 'update'), /added/);
        await told('role.synced', { chatUserId: cleo.id, added: [role('Recruit')], removed: [role('Officer')] });
      },
    },
    {
      tells: 'She invites Ben as manager: he gets a message, sees the server, and may not change its settings',
      async play() {
        await byAda.call('POST', `${guild}/team/invite`, { chatUserId: ben.id, role: 'manager' });
        await until('Ben has a message', () => discord.directMessages(ben.id).length > 0);
        const byBen = await stage.signIn(ben.id);
        const seen = listed.parse(await byBen.call('GET', '/api/guilds'));
        if (!seen.data.some(({ guildId, role }) => guildId === base.id && role === 'manager')) {
          throw new Error('Ben does not see the server as its manager.');
        }
        const refusal = await byBen.refused('PUT', `${guild}/settings`, {});
        if (refusal.code !== 'forbidden') throw new Error(`Ben was refused by ${refusal.code}.`);
      },
    },
    {
      tells: 'She exports the log as CSV: all that happened so far, and who did it',
      async play() {
        const csv = String(await byAda.call('GET', `${guild}/logs/export`));
        for (const words of ['mapping.created', 'verification.completed', 'teammate.invited', ada.username]) {
          if (!csv.includes(words)) throw new Error(`The log does not say ${words}.`);
        }
      },
    },
    {
      tells: 'The subscription ends: the plan is Free again, and the webhook waits, with everything kept',
      async play() {
        stripe.act(made.subscriptionId, 'end');
        await planIs('free');
        const state = paused.parse(await byAda.call('GET', made.webhookPath)).paused;
        if (state !== 'plan_limit') throw new Error(`The webhook is paused by ${state}.`);
      },
    },
    {
      tells: 'The platform’s admin suspends the server: commands and API say why, until it is restored',
      async play() {
        const byAdmin = await stage.signIn(stage.platformAdminId);
        await byAdmin.call('POST', `/api/admin/guilds/${base.id}/suspend`, { reason: 'spam reports' });
        await expectWords(await discord.command(base.id, cleo.id, 'update'), /spam reports/);
        const refusal = await byAda.refused('GET', `${guild}/members`);
        if (refusal.code !== 'guild_suspended') throw new Error(`The API refused by ${refusal.code}.`);
        await byAdmin.call('POST', `/api/admin/guilds/${base.id}/unsuspend`, {});
        await expectWords(await discord.command(base.id, cleo.id, 'update'), /./);
      },
    },
    {
      tells: 'Cleo takes her data with her and has it erased: her roles are gone, and the log knows no name of hers',
      async play() {
        const byCleo = await stage.signIn(cleo.id);
        const data = JSON.stringify(await byCleo.call('GET', '/api/auth/me/export'));
        if (!data.includes('CleoCraft')) throw new Error('The data does not name her Roblox account.');
        await byCleo.call('DELETE', '/api/auth/me');
        await hasRoles(stage, base.id, cleo.id);
        const isForgotten = async () => {
          await delay(200);
          const log = JSON.stringify(await byAda.call('GET', `${guild}/logs?limit=100`));
          return !log.includes(cleo.id) && !log.includes('CleoCraft');
        };
        await until('the log has forgotten Cleo', isForgotten);
      },
    },
  ];

  /** Waits for a genuine delivery with this event. */
  async function told(event: string, data: Record<string, unknown>): Promise<void> {
    const tells = (heard: Record<string, unknown>) =>
      Object.entries(data).every(([name, value]) => JSON.stringify(heard[name]) === JSON.stringify(value));
    await until(`the webhook tells of ${event}`, () =>
      receiver.received.some((heard) => heard.isGenuine && heard.event === event && tells(heard.data)),
    );
  }
}
