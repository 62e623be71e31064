import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { type FocusedOption, type OptionValues, slashCommandData, userCommandData } from './command-invocation.js';
import type { DiscordState } from './discord-state.js';
import type { InteractionDesk } from './interaction-desk.js';
import type { Choice, InteractionInput } from './interaction-record.js';
import { resolvedJson } from './interaction-wire.js';
import { flattenComponents } from './message-components.js';
import type { SandboxInteraction } from './sandbox-interaction.js';
import { isSelect, type SandboxMessage } from './sandbox-message.js';
import type { Component, StoredMessage } from './sandbox-model.js';

/** Names a message; its content is read when it is used. */
export type MessageRef = Pick<SandboxMessage, 'id' | 'channelId'>;

/** What a person does in Discord's client, with the checks that the client makes before anything is sent. */
export class PersonActions {
  constructor(
    readonly state: DiscordState,
    readonly desk: InteractionDesk,
  ) {}

  async command(
    guildId: string,
    userId: string,
    name: string,
    options: OptionValues = {},
  ): Promise<SandboxInteraction> {
    const guild = this.state.guild(guildId);
    const data = slashCommandData(this.state, guild, userId, name, options);
    return await this.desk.open(this.#inGuild(guildId, userId, InteractionType.ApplicationCommand, data));
  }

  /** The suggestions that are shown while `focused` is being typed. */
  async autocomplete(
    guildId: string,
    userId: string,
    name: string,
    focused: FocusedOption,
    options: OptionValues = {},
  ): Promise<readonly Choice[]> {
    const data = slashCommandData(this.state, this.state.guild(guildId), userId, name, options, focused);
    return await this.desk.suggest(this.#inGuild(guildId, userId, InteractionType.ApplicationCommand, data));
  }

  async contextMenu(guildId: string, userId: string, name: string, targetId: string): Promise<SandboxInteraction> {
    const data = userCommandData(this.state, this.state.guild(guildId), userId, name, targetId);
    return await this.desk.open(this.#inGuild(guildId, userId, InteractionType.ApplicationCommand, data));
  }

  /** Presses a button, named by its custom id or by its label. */
  async press(
    guildId: string,
    userId: string,
    message: MessageRef,
    customIdOrLabel: string,
  ): Promise<SandboxInteraction> {
    const live = this.#visible(message, userId);
    const buttons = flattenComponents(live.components).filter(({ type }) => type === ComponentType.Button);
    const button =
      buttons.find(({ custom_id }) => custom_id === customIdOrLabel) ??
      buttons.find(({ label }) => label === customIdOrLabel);
    if (!button) {
      const labels = buttons.map(({ label, custom_id }) => `${label} (${custom_id})`).join(', ') || 'none';
      throw new Error(`The message has no button "${customIdOrLabel}"; its buttons: ${labels}.`);
    }
    return await this.#use(guildId, userId, live, button, {});
  }

  /** Presses a button as a message showed it before it was edited: a client may not have drawn the edit yet. */
  async pressAsShown(
    guildId: string,
    userId: string,
    message: SandboxMessage,
    label: string,
  ): Promise<SandboxInteraction> {
    const shown = message.buttons.find((button) => button.label === label);
    if (shown?.customId === undefined) throw new Error(`The message showed no button "${label}".`);
    const button = { type: ComponentType.Button, custom_id: shown.customId } as Component;
    return await this.#use(guildId, userId, this.#visible(message, userId), button, {});
  }

  /** Chooses `values` in the select menu `customId`: option values, or user, role or channel ids. */
  async select(
    guildId: string,
    userId: string,
    message: MessageRef,
    customId: string,
    values: readonly string[],
  ): Promise<SandboxInteraction> {
    const live = this.#visible(message, userId);
    const menu = flattenComponents(live.components)
      .filter(isSelect)
      .find(({ custom_id }) => custom_id === customId);
    if (!menu) throw new Error(`The message has no menu "${customId}".`);
    const { min_values = 1, max_values = 1, options = [] } = menu;
    if (values.length < min_values || values.length > max_values) {
      throw new Error(`The menu "${customId}" takes ${min_values} to ${max_values} values.`);
    }
    const known = options.map(({ value }) => value);
    if (menu.type === ComponentType.StringSelect && !values.every((value) => known.includes(value))) {
      throw new Error(`The menu "${customId}" has only ${known.join(', ')}.`);
    }
    return await this.#use(guildId, userId, live, menu, { values, resolved: this.#resolve(guildId, menu, values) });
  }

  /** Fills in the form that `modalOf` was answered with, and sends it; `values` are by custom id. */
  async submit(
    modalOf: Pick<SandboxInteraction, 'id'>,
    values: Readonly<Record<string, string>>,
  ): Promise<SandboxInteraction> {
    const record = this.desk.find(modalOf.id);
    if (!record?.modal) throw new Error('That interaction was not answered with a form.');
    const { customId, components } = record.modal;
    const fields = flattenComponents(components).flatMap(({ custom_id }) => custom_id ?? []);
    const unknown = Object.keys(values).filter((name) => !fields.includes(name));
    if (unknown.length > 0)
      throw new Error(`The form has no field ${unknown.join(', ')}; it has ${fields.join(', ')}.`);
    const data = { custom_id: customId, components: components.map((component) => fillField(component, values)) };
    return await this.desk.open({ ...record.input, type: InteractionType.ModalSubmit, data, openedBy: record.origin });
  }

  #inGuild(guildId: string, userId: string, type: InteractionType, data: InteractionInput['data']): InteractionInput {
    this.state.member(guildId, userId);
    return { type, userId, guildId, channelId: this.state.guild(guildId).channelId, data, message: undefined };
  }

  #use(
    guildId: string,
    userId: string,
    message: StoredMessage,
    component: Component,
    more: Readonly<Record<string, unknown>>,
  ): Promise<SandboxInteraction> {
    const { custom_id, type, disabled } = component;
    if (disabled) throw new Error(`"${component.label ?? custom_id}" is disabled.`);
    if (custom_id === undefined) throw new Error(`"${component.label}" is a link: nothing is sent.`);
    const channel = this.state.channel(message.channelId);
    if (channel.guildId !== undefined) this.state.member(guildId, userId);
    const data = { custom_id, component_type: type, ...more };
    const where = { guildId: channel.guildId, channelId: channel.id };
    return this.desk.open({ type: InteractionType.MessageComponent, userId, ...where, data, message });
  }

  /** The message as it is now; an ephemeral or direct one only for the person that it is meant for. */
  #visible(message: MessageRef, userId: string): StoredMessage {
    const channel = this.state.channel(message.channelId);
    const live = channel.messages.get(message.id);
    if (!live) throw new Error('The message has been deleted.');
    const reader = live.visibleTo ?? channel.recipientId ?? userId;
    if (reader !== userId) throw new Error(`The user ${userId} cannot see that message.`);
    return live;
  }

  #resolve(guildId: string, menu: Component, values: readonly string[]) {
    const ids = { users: [] as string[], roles: [] as string[], channels: [] as string[] };
    const { UserSelect, RoleSelect, ChannelSelect, MentionableSelect } = ComponentType;
    for (const value of values) {
      if (menu.type === UserSelect || (menu.type === MentionableSelect && this.state.users.has(value)))
        ids.users.push(value);
      else if (menu.type === RoleSelect || menu.type === MentionableSelect) ids.roles.push(value);
      else if (menu.type === ChannelSelect) ids.channels.push(value);
    }
    return resolvedJson(this.state, this.state.guild(guildId), ids);
  }
}

/** A form's component as it is sent back: with the value in it, checked as the client checks it. */
function fillField(component: Component, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const { type, id, custom_id, components, component: labelled } = component;
  if (components) return { type, id, components: components.map((inner) => fillField(inner, values)) };
  if (labelled) return { type, id, component: fillField(labelled, values) };
  if (custom_id === undefined) return { type, id };
  const value = values[custom_id] ?? component.value ?? '';
  const { required = true, min_length, max_length } = component;
  if (required && value === '') throw new Error(`The field ${custom_id} is required.`);
  if (value !== '' && value.length < (min_length ?? 0)) throw new Error(`The field ${custom_id} is too short.`);
  if (value.length > (max_length ?? 4000)) throw new Error(`The field ${custom_id} is too long.`);
  if (type === ComponentType.TextInput) return { type, id, custom_id, value };
  return { type, id, custom_id, values: value === '' ? [] : value.split(',') };
}
