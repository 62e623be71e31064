import { ApplicationCommandType, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { CommandDefinition } from './sandbox-model.js';

/** Command sizes (Discord's documentation). */
const optionsPerCommand = 25;
const choicesPerOption = 25;
const charactersPerCommand = 8000;

/** Slash command and option names: lower case where the script has it, no spaces. */
const slashName = z
  .string()
  .regex(/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u, 'Command name is invalid')
  .refine((name) => name === name.toLowerCase(), 'Command name is invalid');
const menuName = z.string().trim().min(1).max(32);
const description = z.string().min(1).max(100);
const localizations = z
  .record(z.string(), z.string())
  .nullish()
  .transform((texts) => texts ?? null);

const named = {
  name: slashName,
  name_localizations: localizations,
  description,
  description_localizations: localizations,
};

const choice = z.object({
  name: z.string().min(1).max(100),
  name_localizations: localizations,
  value: z.union([z.string().max(100), z.number()]),
});

const plainOption = z.object({
  ...named,
  type: z.int().min(OptionType.String).max(OptionType.Attachment),
  required: z.boolean().optional(),
  autocomplete: z.boolean().optional(),
  choices: z.array(choice).max(choicesPerOption).optional(),
  channel_types: z.array(z.int()).optional(),
  min_value: z.number().optional(),
  max_value: z.number().optional(),
  min_length: z.int().min(0).max(6000).optional(),
  max_length: z.int().min(1).max(6000).optional(),
});

const optionList = z
  .array(plainOption)
  .max(optionsPerCommand)
  .refine(requiredFirst, 'Required options must be placed before non-required options')
  .refine(namesDiffer, 'Option names must be unique');

const subcommand = z.object({ ...named, type: z.literal(OptionType.Subcommand), options: optionList.optional() });
const group = z.object({
  ...named,
  type: z.literal(OptionType.SubcommandGroup),
  options: z.array(subcommand).min(1).max(optionsPerCommand).refine(namesDiffer, 'Option names must be unique'),
});

const options = z.union([
  optionList,
  z
    .array(z.union([subcommand, group]))
    .max(optionsPerCommand)
    .refine(namesDiffer, 'Option names must be unique'),
]);

const shared = {
  default_member_permissions: z
    .union([z.string().regex(/^\d+$/), z.int()])
    .nullish()
    .transform((bits) => (bits == null ? null : String(bits))),
  dm_permission: z
    .boolean()
    .nullish()
    .transform((allowed) => allowed ?? true),
  contexts: z
    .array(z.int().min(0).max(2))
    .nullish()
    .transform((contexts) => contexts ?? null),
  integration_types: z
    .array(z.int().min(0).max(1))
    .nullish()
    .transform((types) => types ?? [0]),
  nsfw: z
    .boolean()
    .nullish()
    .transform((nsfw) => nsfw ?? false),
};

const slashCommand = z.object({
  ...named,
  ...shared,
  type: z.literal(ApplicationCommandType.ChatInput),
  options: options.optional(),
});

const menuCommand = z.object({
  ...shared,
  type: z.union([z.literal(ApplicationCommandType.User), z.literal(ApplicationCommandType.Message)]),
  name: menuName,
  name_localizations: localizations,
  description: z.literal('').default(''),
  description_localizations: localizations,
});

/** A command as a bot registers it, put into the form in which Discord gives it back. */
export const commandBody = z
  .preprocess(
    (body) => (typeof body === 'object' && body !== null && !('type' in body) ? { ...body, type: 1 } : body),
    z.discriminatedUnion('type', [slashCommand, menuCommand]),
  )
  .refine((command) => countCharacters(command) <= charactersPerCommand, 'Command exceeds maximum size (8000)')
  .transform((command): CommandDefinition => command);

function requiredFirst(list: readonly { required?: boolean | undefined }[]): boolean {
  const flags = list.map(({ required }) => required ?? false);
  return flags.lastIndexOf(true) < flags.indexOf(false) || !flags.includes(false);
}

function namesDiffer(list: readonly { name: string }[]): boolean {
  return new Set(list.map(({ name }) => name)).size === list.length;
}

/** A command's names, descriptions and choice values, with all that is in it. */
function countCharacters(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countCharacters(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => {
    const counts = typeof inner === 'string' && ['name', 'description', 'value'].includes(key);
    return sum + (counts ? [...inner].length : countCharacters(inner));
  }, 0);
}
