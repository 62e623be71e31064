import { expect } from 'chai';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { type SandboxMessage, wordsOf } from '../sandbox/discord/sandbox-message.js';
import { world } from '../support/world.js';

const stateOfColor: Readonly<Record<number, string>> = {
  5763719: '🟩',
  16705372: '🟨',
  15548997: '🟥',
  5793266: '🟦',
};

/** The texts that people read, section by section, in the Markdown of test/fixtures/replies.md. */
export class Transcript {
  readonly #lines: string[] = [];
  readonly #names = new Map<string, string>();

  /** Has a Discord id read as people see it: `@Olga`. */
  name(id: string, shown: string): void {
    this.#names.set(id, shown);
  }

  section(title: string): void {
    this.#lines.push(`## ${title}`, '');
  }

  /** The complete answer to an interaction, and its follow-ups; `action` says in words which interaction it was. */
  async hear(action: string, asked: Promise<SandboxInteraction>): Promise<SandboxMessage> {
    const interaction = await asked;
    const message = await interaction.reply();
    const all = [message, ...interaction.followUps().filter(({ id }) => id !== message.id)];
    const last = all.at(-1) ?? message;
    this.read(action, last);
    return message;
  }

  /** A message as a person reads it. */
  read(action: string, message: SandboxMessage): void {
    const colors = message.embeds.map(({ color = 0 }) => stateOfColor[Number(color)] ?? '').filter(Boolean);
    const state = colors.length > 0 ? [...new Set(colors)].join('') : '⬜';
    const buttons = message.buttons.map(({ label = '' }) => `[${label}]`).join(' ');
    const menus = message.selects.map(({ options }) => `[▾ ${options.map(({ label }) => label).join(' | ')}]`);
    const files = message.attachments.map(({ filename }) => `📎 ${filename}`);
    const words = [wordsOf(message), ...files, ...menus, buttons].filter(Boolean).join('\n');
    this.#lines.push(`${this.#asRead(action)}:`, '', '```text', `${state} ${this.#asRead(words).trim()}`, '```', '');
  }

  get text(): string {
    return `${this.#lines.join('\n').trimEnd()}\n`;
  }

  /** The text with names for ids, Markdown as Discord shows it, and constants for values that differ between runs. */
  #asRead(text: string): string {
    return text
      .replaceAll(/<@&?(\d+)>|<#(\d+)>/g, (_found, id?: string, channel?: string) => this.#nameOf(id ?? channel ?? ''))
      .replaceAll(/<\/([a-z ]+):\d+>/g, '/$1')
      .replaceAll(/\[([^\]]+)\]\(<[^>]+>\)/g, '$1')
      .replaceAll(/<t:\d+:\w>/g, '‹time›')
      .replaceAll(/\*\*|`+(?:diff)?/g, '')
      .replaceAll(/\\([^A-Za-z0-9\s])/g, '$1')
      .replaceAll(/^Rolelink(?: [a-z]+){3,}$/gm, 'Rolelink kitten garden window')
      .replaceAll(/^[BCDFGHJKMNPQRSTVWXYZ3479]{6}$/gm, 'KX7TQ4')
      .replaceAll(/https?:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://rolelink.example')
      .replaceAll(/\b\d{5,20}\b/g, '12345')
      .replaceAll(/^\s+$/gm, '');
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? '@somebody';
  }
}

/** A server's people, roles and channel by name, as they are now. */
export async function nameAll(transcript: Transcript, guildId: string): Promise<void> {
  const { discord } = await world();
  for (const id of discord.memberIds(guildId)) transcript.name(id, `@${discord.user(id).username}`);
  for (const { id, name } of discord.roles(guildId)) transcript.name(id, `@${name}`);
  transcript.name(discord.channel(guildId).id, '#general');
  expect(discord.memberIds(guildId)).not.to.be.empty;
}
