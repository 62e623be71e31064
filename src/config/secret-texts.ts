/** The variables with values that go into headers, requests and signatures. */
const secretNames = [
  'SECRETS_KEY',
  'BOT_TOKEN_KEYS',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'DISCORD_TOKEN',
  'DISCORD_CLIENT_SECRET',
  'ROBLOX_CLIENT_ID',
  'ROBLOX_CLIENT_SECRET',
  'ROBLOX_API_KEY',
  'ROBLOX_WEBHOOK_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

/** The mistake in each secret that no platform could accept, by the variable's name (ENV-43). Never repeats a value. */
export function secretFaults(values: Readonly<Record<string, string>>): Map<string, string> {
  const found = secretNames.map((name) => [name, faultIn(values[name] ?? '', name)] as const);
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function faultIn(value: string, name: string): string | undefined {
  if (/[“”„‟‘’‚‛«»]/.test(value)) return 'contains typographic quotes: write the value without quotes';
  if (/^(["'`]).*\1$/.test(value)) return 'has quotes around it: write the value without quotes';
  // A key list may stand in several lines.
  if (/\p{Cc}/u.test(name === 'BOT_TOKEN_KEYS' ? value.replaceAll(/\s/g, '') : value)) {
    return 'contains a line break or another control character: copy the value again';
  }
  return /[^\t-~]/.test(value) ? 'contains a letter outside ASCII: copy the value again' : undefined;
}
