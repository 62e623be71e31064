import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { type ApplicationCommand, ApplicationCommandOptionType, ApplicationCommandType, Routes } from 'discord.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { findGuild } from '../../src/core/guilds/guild-service.js';
import { storeMemberCounts } from '../../src/core/guilds/member-counts.js';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { inDiscord } from '../../src/edges/http/rate-limits.js';
import type { Route } from '../../src/edges/http/route.js';
import { componentNames } from '../../src/edges/interactions/component-id.js';
import { pressButton, rowOf } from '../../src/edges/interactions/replies/reply.js';
import { findMember } from '../../src/features/members/member-service.js';
import { setupStep } from '../../src/features/setup/setup-model.js';
import { startResync } from '../../src/features/sync/resync/resync-service.js';
import { inPieces } from '../../src/lib/in-pieces.js';
import { callDiscord } from '../../src/platforms/discord/rest/discord-call.js';
import { endOfImport, pairOf, startImport } from '../features/people-import/import-setup.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { wordsOf } from '../sandbox/discord/sandbox-message.js';
import { api } from '../support/api.js';
import { runPendingSyncs, withPromptSyncs } from '../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson, tokenFor } from '../support/build.js';
import { storedDifference } from '../support/differences.js';
import { type World, world } from '../support/world.js';
import { allRoutes, type HttpSide, startHttp } from './http/http-setup.js';
import { admitted, type FilledGuild, fillGuild, mediaTypeOf, pathTo, validBody } from './http/walk-setup.js';

type Option = ApplicationCommand['options'][number];

interface OwnersView {
  data?: { state: string }[];
  import?: { state: string } | null;
}

/** Routes that would end the guild, or the person, before the other doors are tried. */
const isDestructive = ({ name }: Route): boolean => /^DELETE|erase|logout|suspend|\/unlink/.test(name);

/** The forms that the walks submit. */
const opened = {
  byCommands: ['form:import', 'form:people-key'],
  byPresses: ['form:import', 'form:setup', 'form:username'],
};

/** Discord takes five rows with five buttons in a message. */
const [mostInRow, mostInMessage] = [5, 25];

/** Custom id states that name no id. */
const namedStates: Readonly<Record<string, readonly string[]>> = {
  setup: [...setupStep.options, 'make', 'make-verified', 'apply', 'observe'],
  'setup-form': ['find', 'import', 'words'],
};

describe('The doors of a guild that only observes', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let sources: World['linkSources'];
  let http: HttpSide;
  let guild: FilledGuild;
  let owner: string;
  let settings: GuildSettings;
  let lacking: TestPerson;
  /** The forms whose submission reached their listener in this test. */
  const reached = new Set<string>();

  before(async () => {
    ({ discord, linkSources: sources } = await world());
    http = await startHttp();
    inDiscord.points = Number.MAX_SAFE_INTEGER;
    const listeners = container.stores.get('listeners');
    for (const name of formNames()) {
      listeners.get(name)?.emitter?.on(name, () => reached.add(name));
    }
  });
  after(() => http.close());

  /** A guild in which one member would be given a role, one would lose theirs, and one would be kicked. */
  beforeEach(async () => {
    reached.clear();
    sources.faults.length = 0;
    sources.links.clear();
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
    lacking = await buildRanked();
    discord.join(guildId, denied.chatUserId);
    await linkPerson(guildId, lacking);
    await linkPerson(guildId, denied);
    await runPendingSyncs(guildId);
    discord.forgetRequests();
  });

  /** A member whose rank would give them the mapped role, once they are linked. */
  async function buildRanked(): Promise<TestPerson> {
    const { roblox } = await world();
    const person = await buildPerson();
    roblox.setRank(guild.ids.groupId ?? '', person.gameUserId, 1);
    discord.join(guild.guildId, person.chatUserId);
    return person;
  }

  /** Listeners for submitted forms. */
  function formNames(): string[] {
    return [...container.stores.get('listeners').keys()].filter((name) => name.startsWith('form:')).sort();
  }

  /** The calls that would change a guild member on Discord. */
  const writes = (): string[] =>
    discord.requests
      .filter(({ method, path }) => method !== 'GET' && path.startsWith(`/api/v10/guilds/${guild.guildId}/members/`))
      .map(({ method, path }) => `${method} ${path}`);

  /** Lets everything run that the doors have set off. */
  async function settle(): Promise<void> {
    await eventually(
      async () => (await asOwner('GET', `/api/guilds/${guild.guildId}/people/import`)).body.import?.state !== 'running',
      'the end of the import',
      60_000,
    );
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

  async function asOwner(method: string, path: string): Promise<{ body: OwnersView }> {
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
          for (const filled of fillings(takes)) {
            await follow(await discord.command(guild.guildId, userId, called, filled), userId);
            await runPendingSyncs(guild.guildId);
          }
        }
      }
    }
    await expectUntouched();
    expect([...reached].sort()).to.deep.equal(opened.byCommands);
  });

  type Filling = Record<string, string | number | boolean>;

  /** All options, only the required ones, and these with each choice for another one. */
  function fillings(takes: readonly Option[]): Filling[] {
    const filled = (options: readonly Option[]): Filling =>
      Object.fromEntries(options.map((option) => [option.name, fillIn(option)]));
    const required = filled(takes.filter((option) => 'required' in option && option.required));
    const choices = takes.flatMap((option) => {
      const offered = 'choices' in option ? (option.choices ?? []) : [];
      return offered.map(({ value }) => ({ ...required, [option.name]: value }));
    });
    const all = [filled(takes), required, ...choices.filter((one) => !Object.values(one).includes('enforce'))];
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  /** Waits for an answer. A form is filled in and sent, and each button in its answer is pressed. */
  async function follow(asked: SandboxInteraction, userId: string): Promise<void> {
    const { modal } = asked;
    if (modal === undefined) {
      await asked.reply();
      return;
    }
    const values = Object.fromEntries(modal.fields.map(({ customId }) => [customId, typed(customId)]));
    const shown = await (await discord.submit(asked, values)).reply();
    for (const { label, customId, disabled } of shown.buttons) {
      if (label === undefined || customId === undefined || disabled) continue;
      const pressed = await discord.pressAsShown(guild.guildId, userId, shown, label);
      if (pressed.modal === undefined) await pressed.reply();
    }
  }

  /** The text that a person types into a form's field. */
  function typed(field: string): string {
    const { ids } = guild;
    const texts: Record<string, string> = {
      button: 'Verify',
      color: '#336699',
      format: 'csv',
      group: ids.groupId ?? '',
      key: sources.key,
      text: `group,rank,role\n${ids.groupId},1,Mapped`,
      title: 'Title',
      username: lacking.gameUsername,
    };
    const text = texts[field];
    if (text === undefined) throw new Error(`The walk has no text for the field ${field}: add one.`);
    return text;
  }

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
      const stated = [...states, ...(namedStates[name] ?? [])].map((state) => `${name}:${state}`.slice(0, 100));
      const customIds = [...new Set([name, ...stated])];
      for (const posted of inPieces(customIds, mostInMessage)) {
        const rows = [...inPieces(posted, mostInRow)].flatMap((row) =>
          rowOf(row.map((customId) => pressButton(customId, 'Press'))),
        );
        await callDiscord((rest) =>
          rest.post(Routes.channelMessages(id), { body: { content: 'x', components: rows } }),
        );
        const message = discord.messages(id).at(-1);
        if (message === undefined) throw new Error('Nothing was posted.');
        for (const userId of [owner, lacking.chatUserId]) {
          for (const customId of posted) {
            await follow(await discord.press(guild.guildId, userId, message, customId), userId);
          }
        }
      }
      await runPendingSyncs(guild.guildId);
    }
    await expectUntouched();
    expect([...reached].sort()).to.deep.equal(opened.byPresses);
  });

  it('Each form is submitted by one of these walks', () => {
    expect([...new Set(Object.values(opened).flat())].sort()).to.deep.equal(formNames());
  });

  it('The link that an import of people makes gives no role', async () => {
    const { guildId, ids } = guild;
    const caller = { api: api(await tokenFor(guildId, 'owner')), path: `/api/guilds/${guildId}` };
    const byRest = async (body: object) => expect((await startImport(caller, body)).status).to.equal(202);
    const byCommand = async (options: Record<string, string>) => {
      const asked = await discord.command(guildId, owner, 'import', options);
      const shown = await (asked.modal === undefined
        ? asked
        : await discord.submit(asked, { key: sources.key })
      ).reply();
      expect(shown.buttons, wordsOf(shown)).not.to.have.length(0);
      const pressed = await discord.pressAsShown(guildId, owner, shown, shown.buttons[0]?.label ?? '');
      await pressed.replyMatching(/Import complete/);
    };
    const lineOf = ({ chatUserId, gameUserId }: TestPerson) => `${chatUserId},${gameUserId}`;
    const ways: readonly ((person: TestPerson) => Promise<unknown>)[] = [
      (person) => byRest({ people: [pairOf(person)] }),
      (person) => byRest({ csv: lineOf(person) }),
      () => byRest({ source: 'rowifi', key: sources.key }),
      (person) => byCommand({ people: 'list', file: discord.upload('people.csv', lineOf(person)) }),
      () => byCommand({ people: 'rowifi' }),
    ];
    for (const way of ways) {
      const person = await buildRanked();
      await eventually(() => findMember(guildId, person.chatUserId), 'the member');
      // Another bot is asked only if a member is known to have no link.
      await storeMemberCounts();
      sources.links.set(person.chatUserId, person.gameUserId);
      await way(person);
      expect(await endOfImport(caller)).to.deep.include({ state: 'completed' });
      await runPendingSyncs(guildId);
      const stored = await findMember(guildId, person.chatUserId);
      const add = (await storedDifference(guildId, person.chatUserId))?.add;
      expect({ state: stored?.state, add }).to.deep.equal({ state: 'linked', add: [ids.roleId] });
      expect(discord.member(guildId, person.chatUserId)?.roleIds).to.deep.equal([]);
    }
    await expectUntouched();
    expect([...reached]).to.deep.equal(['form:people-key']);
  });

  it('A guild that observed writes to its members once it enforces', async () => {
    await runPendingSyncs(guild.guildId);
    expect((await storedDifference(guild.guildId, lacking.chatUserId))?.add).to.deep.equal([guild.ids.roleId]);
    await writeSettings(guild.guildId, { ...settings, mode: 'enforce' });
    await settle();
    expect(writes()).to.have.length.above(1);
  });
});
