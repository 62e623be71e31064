import { container } from '@sapphire/framework';
import { expect } from 'chai';
import {
  type APIStringSelectComponent,
  type ApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  PermissionFlagsBits,
  Routes,
} from 'discord.js';
import { Teammates } from '../../src/core/access/teammate-model.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { inDiscord } from '../../src/edges/http/rate-limits.js';
import { componentNames } from '../../src/edges/interactions/component-id.js';
import { pressButton, rowOf } from '../../src/edges/interactions/replies/reply.js';
import { callDiscord } from '../../src/platforms/discord/rest/discord-call.js';
import { everythingAbout, type FilledGuild, fillGuild, settled } from '../edges/http/walk-setup.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { type SandboxMessage, wordsOf } from '../sandbox/discord/sandbox-message.js';
import { withPromptSyncs } from '../support/background.js';
import { buildPerson } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { Onslaught } from './tally.js';

type Option = ApplicationCommand['options'][number];

/** The components that people may press for themselves. Every other name, and every new one, takes a team role. */
const forEverybody: readonly string[] = [
  ...['verify', 'profile-code', 'username', 'profile-done', 'profile-retry', 'update-roles', 'unlink', 'why-own'],
  ...[
    'game-code',
    'game-code-typed',
    'claim-confirm',
    'claim-reject',
    'transfer-keep',
    'account-disown',
    'account-use',
    'own-account',
    'own-account-act',
  ],
  ...['consent-give', 'consent-refuse'],
];

/** Commands of which a member may use each subcommand, as long as it is about themselves. */
const commandsForEverybody: readonly string[] = ['verify', 'update', 'unlink', 'help', 'why', 'privacy'];
/** The members of the server see each other's accounts. */
const open: readonly string[] = ['account'];

interface Limits {
  choices?: { value: string | number }[];
  minValue?: number;
  maxLength?: number;
}

type Component = 'button' | 'menu';

/** A button or menu that an attacker has made up, under a message. */
interface Planted {
  component: Component;
  customId: string;
  message: SandboxMessage;
}

/** Discord lets a bot post five messages in five seconds. */
const slowMs = 900_000;
/** A preview over everybody takes its time; only its content matters here. */
const answerWithinMs = 60_000;

const needsRole = /You need the team role/;
/** The rules of a group decide about its ranks and its requests to join, and not the team role alone. */
const byGroupRules = (name: string): boolean => /^(rank|requests)/.test(name);
const needsRules = /You aren't allowed to rank people|This group isn't added to this server/;
const refusalOf = (name: string): RegExp => (byGroupRules(name) ? needsRules : needsRole);

describe('Discord, under attack', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let mine: FilledGuild;
  /** Where the attackers are. */
  let stage: FilledGuild;
  let commands: ApplicationCommand[];
  /**
   * A member with Manage Server in a server that does not trust Discord's managers: they see every command, and have no
   * role.
   */
  let member: string;
  let owner: string;
  let secret: RegExp;

  before(async () => {
    ({ discord } = await world());
    [mine, stage] = [await fillGuild(), await fillGuild()];
    const registered = await container.client.application?.commands.fetch();
    commands = [...(registered?.values() ?? [])];
    await writeSettings(stage.guildId, { ...defaultSettings, trustDiscordAdmins: false });
    const { id: manages } = discord.addRole(stage.guildId, {
      name: 'Staff',
      permissions: PermissionFlagsBits.ManageGuild,
    });
    member = (await buildPerson()).chatUserId;
    discord.join(stage.guildId, member, { roleIds: [manages] });
    owner = (await container.client.guilds.fetch(stage.guildId)).ownerId;
    secret = new RegExp([mine.ids.memberId, mine.ids.jobId, mine.ids.mappingId, mine.ids.tokenId].join('|'));
    await settled([mine, stage]);
    // The rate limits are not tested here.
    inDiscord.points = Number.MAX_SAFE_INTEGER;
  });

  /** Every state to forge a custom id with: ids of one guild, and malformed ids. */
  const statesOf = ({ ids, guildId }: FilledGuild): string[] => [
    ...[...Object.values(ids), guildId].filter((id) => id.length < 80),
    ...['', '0', '-1', 'x'.repeat(70), '__proto__', 'null', '{"$ne":1}', '../..', ':', '::::', '1:2:3', 'setup'],
  ];

  /** Puts buttons, or menus, with the attacker's custom ids into a channel, as no message of ours has them. */
  async function planted(component: Component, customIds: readonly string[]): Promise<Planted[]> {
    const { id } = discord.channel(stage.guildId);
    const all = [...new Set(customIds.map((each) => each.slice(0, 100)))];
    const inOne = component === 'button' ? 25 : 5;
    const done: Planted[] = [];
    for (let from = 0; from < all.length; from += inOne) {
      const some = all.slice(from, from + inOne);
      const components =
        component === 'button'
          ? Array.from({ length: Math.ceil(some.length / 5) }, (_, row) =>
              rowOf(some.slice(row * 5, row * 5 + 5).map((customId) => pressButton(customId, 'Press'))),
            ).flat()
          : some.flatMap((customId) => rowOf([menuOf(customId)]));
      await callDiscord((rest) => rest.post(Routes.channelMessages(id), { body: { content: 'x', components } }));
      const message = discord.messages(id).at(-1);
      if (message === undefined) throw new Error('Nothing was posted.');
      done.push(...some.map((customId) => ({ component, customId, message })));
    }
    return done;
  }

  function menuOf(customId: string): APIStringSelectComponent {
    return { type: ComponentType.StringSelect, custom_id: customId, options: [{ label: 'x', value: 'x' }] };
  }

  async function use({ component, customId, message }: Planted, userId: string): Promise<string> {
    const { guildId } = stage;
    const used =
      component === 'button'
        ? discord.press(guildId, userId, message, customId)
        : discord.select(guildId, userId, message, customId, ['x']);
    return wordsAfter(await used);
  }

  /** The text that a person reads after an interaction; from a form, its fields. */
  async function wordsAfter(interaction: SandboxInteraction): Promise<string> {
    if (interaction.modal !== undefined) return JSON.stringify(interaction.modal);
    return wordsOf(await interaction.reply(answerWithinMs));
  }

  const isServed = (component: Component, name: string): boolean =>
    container.stores.get('listeners').has(`${component}:${name}`);

  it('Presses of a person without a role are refused, whatever they carry', async () => {
    const attack = new Onslaught('presses without the role');
    const untouched = await settled([mine, stage]);
    const states = [...statesOf(mine), ...statesOf(stage)];
    for (const component of ['button', 'menu'] as const) {
      const names = componentNames.filter((each) => !forEverybody.includes(each));
      const customIds = names.flatMap((name) =>
        (isServed(component, name) ? states : ['x']).map((state) => `${name}:${state}`),
      );
      for (const each of await planted(component, customIds)) {
        const [name = ''] = each.customId.split(':');
        const expected = isServed(component, name) ? refusalOf(name) : /no longer works/;
        await attack.try(`${component} ${each.customId}`, async () =>
          expect(await use(each, member)).to.match(expected),
        );
      }
    }
    await attack.unchanged(untouched, () => everythingAbout([mine, stage]));
    attack.end();
  }).timeout(slowMs);

  it('Presses that name another server’s things do nothing there, and show nothing of it', async () => {
    const attack = new Onslaught('presses with what is somebody else’s, and again');
    const untouched = await settled([mine]);
    for (const component of ['button', 'menu'] as const) {
      // "It was not me" logs the account in the button and the person's name, and nothing more.
      const names = componentNames.filter((name) => isServed(component, name) && name !== 'account-disown');
      const customIds = names.flatMap((name) => statesOf(mine).map((state) => `${name}:${state}`));
      for (const each of await planted(component, customIds)) {
        for (const userId of [owner, owner, member]) {
          await attack.try(`${component} ${each.customId}`, async () => {
            const words = await use(each, userId);
            // Sent values come back in later messages' custom ids.
            const [, ...state] = each.customId.split(':');
            expect(words.replaceAll(state.join(':') || ' ', '')).not.to.match(secret);
            expect(words).not.to.match(/Something went wrong/);
          });
        }
      }
    }
    await attack.unchanged(untouched, () => everythingAbout([mine]));
    attack.end();
  }).timeout(slowMs);

  /** A value that an option would take. */
  function fillIn(option: Option, ids: FilledGuild['ids']): string | number | boolean {
    const {
      String: Text,
      Integer,
      Number: Decimal,
      Boolean: YesNo,
      User,
      Role,
      Channel,
    } = ApplicationCommandOptionType;
    const { choices, minValue, maxLength } = option as Limits;
    if (choices?.[0] !== undefined) return choices[0].value;
    switch (option.type) {
      case Integer:
      case Decimal:
        return minValue ?? 1;
      case YesNo:
        return true;
      case User:
        return stage.ids.memberId ?? '';
      case Role:
        return stage.ids.roleId ?? '';
      case Channel:
        return discord.channel(stage.guildId).id;
      case ApplicationCommandOptionType.Attachment:
        return discord.upload('x.csv', 'name,groupId\nx,1');
      case Text:
        return String(/mapping|id/.test(option.name) ? ids.mappingId : ids.groupId).slice(0, maxLength);
      default:
        return 'x';
    }
  }

  /** Every way to use a command: its name with each subcommand, and the options that this one has. */
  function usesOf(command: ApplicationCommand): { name: string; options: readonly Option[] }[] {
    const { Subcommand, SubcommandGroup } = ApplicationCommandOptionType;
    const walk = (name: string, options: readonly Option[]): ReturnType<typeof usesOf> => {
      const parts = options.filter(({ type }) => type === Subcommand || type === SubcommandGroup);
      if (parts.length === 0) return [{ name, options }];
      return parts.flatMap((part) =>
        walk(`${name} ${part.name}`, ((part as { options?: Option[] }).options ?? []) as Option[]),
      );
    };
    return walk(command.name, command.options);
  }

  it('Commands of a person without a role are refused, about whomever and whatever they are', async () => {
    const attack = new Onslaught('commands without the role');
    const untouched = await settled([mine, stage]);
    for (const command of commands) {
      if (command.type !== ApplicationCommandType.ChatInput || open.includes(command.name)) continue;
      const isForMembers = commandsForEverybody.includes(command.name);
      for (const { name, options } of usesOf(command)) {
        const about = options.filter(({ type }) => type === ApplicationCommandOptionType.User);
        if (isForMembers && about.length === 0) continue;
        const required = options.filter((option) => 'required' in option && option.required === true);
        for (const given of [required, [...new Set([...required, ...about])], options]) {
          if (isForMembers && !given.some((option) => about.includes(option))) continue;
          for (const { ids } of [mine, stage]) {
            const values = Object.fromEntries(given.map((option) => [option.name, fillIn(option, ids)]));
            await attack.try(`/${name} ${JSON.stringify(values)}`, async () => {
              const words = await wordsAfter(await discord.command(stage.guildId, member, name, values));
              expect(words).to.match(refusalOf(name));
            });
          }
        }
      }
    }
    await attack.unchanged(untouched, () => everythingAbout([mine, stage]));
    attack.end();
  });

  it('A form is refused from a person that has lost the role since opening it', async () => {
    const attack = new Onslaught('forms that were opened before');
    const { guildId } = stage;
    const values = { format: 'csv', text: 'name,condition,group,min,max,gameRole,roles\nx,verified,,,,,Mapped' };
    for (const role of ['manager', 'admin'] as const) {
      const invited = { username: 'x', invitedBy: owner, invitedAt: new Date() };
      await Teammates.insert({ guildId, chatUserId: member, role, state: 'active', ...invited });
      const form = await discord.command(guildId, member, 'import');
      expect(form.modal, 'a form').not.to.equal(undefined);
      expect(await wordsAfter(await discord.submit(form, values))).not.to.match(needsRole);
      await Teammates.acrossGuilds.deleteOne({ guildId, chatUserId: member });
      await attack.try(`a form of ${role}`, async () => {
        expect(await wordsAfter(await discord.submit(form, values))).to.match(needsRole);
      });
    }
    attack.end();
  });

  it('Commands suggest nothing to a person without a role, and nothing of another server', async () => {
    const attack = new Onslaught('suggestions');
    for (const command of commands) {
      for (const { name, options } of usesOf(command)) {
        for (const option of options.filter((each) => 'autocomplete' in each && each.autocomplete === true)) {
          for (const value of ['', 'a', mine.ids.mappingId ?? '', '$', '__proto__']) {
            for (const userId of [member, owner]) {
              await attack.try(`/${name} ${option.name} ${value}`, async () => {
                const shown = await discord.autocomplete(stage.guildId, userId, name, { name: option.name, value });
                if (userId === member) expect(shown).to.deep.equal([]);
                expect(JSON.stringify(shown)).not.to.match(secret);
              });
            }
          }
        }
      }
    }
    attack.end();
  });
});
