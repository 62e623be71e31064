import { z } from 'zod';

/** `name=value,name=value` with encoded values, as OpenTelemetry's variables have them (W3C Baggage). */
export const namedValues = z.string().transform((text, ctx): Record<string, string> => {
  const parts = text.split(',').map((part) => /^\s*([^=\s]+)\s*=(.*)$/.exec(part) ?? []);
  try {
    if (parts.every(({ length }) => length > 0))
      return Object.fromEntries(parts.map(([, name = '', value = '']) => [name, decodeURIComponent(value.trim())]));
  } catch {
    // It isn't encoded as it must be.
  }
  ctx.addIssue({ code: 'custom', message: 'must look like name=value,name=value, with values encoded as in a URL' });
  return z.NEVER;
});
