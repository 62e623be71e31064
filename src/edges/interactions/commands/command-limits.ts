import type { SlashCommandIntegerOption, SlashCommandStringOption } from 'discord.js';
import type { z } from 'zod';

export function limitText(option: SlashCommandStringOption, { maxLength }: z.ZodString): SlashCommandStringOption {
  return maxLength === null ? option : option.setMaxLength(maxLength);
}

/**
 * Limits an option to the numbers that `schema` accepts. `min` replaces the minimum where smaller values mean something
 * else.
 */
export function limitNumber(
  option: SlashCommandIntegerOption,
  { minValue, maxValue }: z.ZodNumber,
  min: number | null = minValue,
): SlashCommandIntegerOption {
  if (min !== null) option.setMinValue(min);
  return maxValue === null ? option : option.setMaxValue(maxValue);
}
