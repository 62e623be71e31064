import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { type ApplicationCommand, ApplicationCommandOptionType, ApplicationCommandType, Routes } from 'discord.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { findGuild } from '../../src/core/guilds/guild-service.js';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { inDiscord } from '../../src/edges/http/rate-limits.js';
import type { Route } from '../../src/edges/http/route.js';
import { componentNames } from '../../src/edges/interactions/component-id.js';
import { pressButton, rowOf } from '../../src/edges/interactions/reply.js';
import { findMember } from '../../src/features/members/member-service.js';
import { startResync } from '../../src/features/sync/resync/resync-service.js';
import { callDiscord } from '../../src/platforms/discord/rest/discord-call.js';
import { runPendingSyncs, withPromptSyncs } from '../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { allRoutes, type HttpSide, startHttp } from './http/http-setup.js';
import { admitted, type FilledGuild, fillGuild, mediaTypeOf, pathTo, validBody } from './http/walk-setup.js';

type Option = ApplicationCommand['options'][number];

/** Routes that would end the guild, or the person, before the other doors are tried. */
const isDestructive = ({ name }: Route): boolean => /^DELETE|erase|logout|suspend|\/unlink/.test(name);

describe('The doors of a guild that only observes', function () {
  this.timeout(300_000);
  withPromptSyncs();
  let discord: World['discord'];
  let http: HttpSide;
  let guild: FilledGuild;
  let owner: string;
  let settings: GuildSettings;
  let lacking: TestPerson;

  before(async () => {
    ({ discord } = await world());
    http = await startHttp();
    inDiscord.points = Number.MAX_SAFE_INTEGER;
  });
  after(() => http.close());

  /** A guild in which one member would be given a role, one would lose theirs, and one would be kicked. */
  beforeEach(async () => {
    guild = await fillGuild();
    const { guildId, ids } = guild;
    owner = (await container.client.guilds.fetch(guildId)).ownerId;
    const denied = await buildPerson();
    const restrictions = { ...defaultSettings.restrictions, action: 'kick' as const };
    settings = {
      ...defaultSettings,
      mode: 'observe',
      restrictions: { ...restrictions, deniedGameUserIds: [denied.gameUserId] },
    };
    await writeSettings(guildId, settings);
    guild.bodies['PUT /api/guilds/:guildId/settings'] = settings;
    const config = guild.bodies['PUT /api/guilds/:guildId/config'] as object;
    guild.bodies['PUT /api/guilds/:guildId/config'] = { ...config, settings };
    const roleId = ids.roleId ?? '';
    discord.setMemberRoles(guildId, ids.memberId ?? '', [roleId]);
    lacking = await buildPerson();
    const { roblox } = await world();
    roblox.setRank(ids.groupId ?? '', lacking.gameUserId, 1);
    for (const { chatUserId } of [lacking, denied]) discord.join(guildId, chatUserId);
    await linkPerson(guildId, lacking);
    await linkPerson(guildId, denied);
    await runPendingSyncs(guildId);
    discord.forgetRequests();
  });

  /** The calls that would change a member of the guild on Discord. */
  const writes = (): string[] =>
    discord.requests
      .filter(({ method, path }) => method !== 'GET' && path.startsWith(`/api/v10/guilds/${guild.guildId}/members/`))
      .map(({ method, path }) => `${method} ${path}`);

  /** Lets everything run that the doors have set off. */
  async function settle(): Promise<void> {
    await runPendingSyncs(guild.guildId);
    const found = await findGuild(guild.guildId);
    if (found !== null && found.state === 'active') await startResync(found, systemActor('test'));
    await eventually(
      async () => {
        const { body } = await asOwner('GET', `/api/guilds/${guild.guildId}/resyncs`);
        return body.data?.every(({ state }) => !['queued', 'running'].includes(state));
      },
      'the resyncs',
      60_000,
    );
    await runPendingSyncs(guild.guildId);
  }

  async function asOwner(method: string, path: string): Promise<{ body: { data?: { state: string }[] } }> {
    const { json } = await http.send(method, path, { headers: await guild.token('owner') });
    return { body: json };
  }

  async function expectUntouched(): Promise<void> {
    await settle();
    expect(writes()).to.deep.equal([]);
    expect((await readSettings(guild.guildId)).mode).to.equal('observe');
  }

  it('No route writes to a member', async () => {
    const routes = allRoutes().filter(({ method }) => method !== 'GET');
    const ordered = [...routes.filter((route) => !isDestructive(route)), ...routes.filter(isDestructive)];
    const faults: string[] = [];
    for (const route of ordered) {
      const valid = validBody(route, guild);
      const headers = { ...('body' in valid && mediaTypeOf(route)), ...(await admitted(route, guild)) };
      const { status } = await http.send(route.method, pathTo(route, guild), { ...valid, headers });
      if (status >= 500) faults.push(`${route.name}: ${status}`);
      await runPendingSyncs(guild.guildId);
    }
    expect(faults).to.deep.equal([]);
    await writeSettings(guild.guildId, settings);
    await expectUntouched();
  });

  it('No command writes to a member', async () => {
    const registered = await container.client.application?.commands.fetch();
    for (const { name, type, options, defaultMemberPermissions } of registered?.values() ?? []) {
      if (type !== ApplicationCommandType.ChatInput) continue;
      const subcommands = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
      const forms =
        subcommands.length === 0
          ? [{ called: name, takes: options }]
          : subcommands.map((sub) => ({
              called: `${name} ${sub.name}`,
              takes: 'options' in sub ? ((sub.options ?? []) as Option[]) : [],
            }));
      for (const { called, takes } of forms) {
        const people = defaultMemberPermissions === null ? [owner, lacking.chatUserId] : [owner];
        for (const userId of people) {
          const filled = Object.fromEntries(takes.map((option) => [option.name, fillIn(option)]));
          const asked = await discord.command(guild.guildId, userId, called, filled);
          if (asked.modal === undefined) await asked.reply();
          await runPendingSyncs(guild.guildId);
        }
      }
    }
    await expectUntouched();
  });

  /** A value that an option takes. */
  function fillIn(option: Option): string | number | boolean {
    const { Integer, Number: Decimal, Boolean: YesNo, User, Role, Channel, Attachment } = ApplicationCommandOptionType;
    const {
      choices,
      minValue,
      maxLength = 1_000,
    } = option as {
      choices?: { value: string | number }[];
      minValue?: number;
      maxLength?: number;
    };
    if (choices !== undefined && choices.length > 0) {
      return choices.find(({ value }) => value === 'observe')?.value ?? choices[0]?.value ?? '';
    }
    if (option.type === Integer || option.type === Decimal) return minValue ?? 1;
    if (option.type === YesNo) return true;
    if (option.type === User) return lacking.chatUserId;
    if (option.type === Role) return guild.ids.roleId ?? '';
    if (option.type === Channel) return discord.channel(guild.guildId).id;
    if (option.type === Attachment) return discord.upload('x.csv', 'name,groupId\nx,1');
    return String(/mapping|id/.test(option.name) ? guild.ids.mappingId : guild.ids.groupId).slice(0, maxLength);
  }

  it('No press writes to a member', async () => {
    const { id } = discord.channel(guild.guildId);
    const states = ['', '0', ...Object.values(guild.ids).filter((value) => value.length < 80)];
    const listeners = container.stores.get('listeners');
    const pressable = componentNames.filter((name) => listeners.has(`button:${name}`));
    for (const name of pressable) {
      const customIds = [...new Set([name, ...states.map((state) => `${name}:${state}`.slice(0, 100))])];
      const rows = Array.from({ length: Math.ceil(customIds.length / 5) }, (_, row) =>
        rowOf(customIds.slice(row * 5, row * 5 + 5).map((customId) => pressButton(customId, 'Press'))),
      ).flat();
      await callDiscord((rest) => rest.post(Routes.channelMessages(id), { body: { content: 'x', components: rows } }));
      const message = discord.messages(id).at(-1);
      if (message === undefined) throw new Error('Nothing was posted.');
      for (const userId of [owner, lacking.chatUserId]) {
        for (const customId of customIds) {
          const pressed = await discord.press(guild.guildId, userId, message, customId);
          if (pressed.modal === undefined) await pressed.reply();
        }
      }
      await runPendingSyncs(guild.guildId);
    }
    await expectUntouched();
  });

  it('The same guild writes to its members once it enforces', async () => {
    await runPendingSyncs(guild.guildId);
    const stored = await findMember(guild.guildId, lacking.chatUserId);
    expect(stored?.difference?.give).to.deep.equal([guild.ids.roleId]);
    await writeSettings(guild.guildId, { ...settings, mode: 'enforce' });
    await settle();
    expect(writes()).to.have.length.above(1);
  });
});
