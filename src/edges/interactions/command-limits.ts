import type { SlashCommandIntegerOption, SlashCommandStringOption } from 'discord.js';
import type { z } from 'zod';

/** Lets nobody type more characters than `schema` takes. */
export function limitText(option: SlashCommandStringOption, { maxLength }: z.ZodString): SlashCommandStringOption {
  return maxLength === null ? option : option.setMaxLength(maxLength);
}

/** Lets nobody type a number that `schema` does not take. `min` replaces the lowest where less means something else. */
export function limitNumber(
  option: SlashCommandIntegerOption,
  { minValue, maxValue }: z.ZodNumber,
  min: number | null = minValue,
): SlashCommandIntegerOption {
  if (min !== null) option.setMinValue(min);
  return maxValue === null ? option : option.setMaxValue(maxValue);
}
