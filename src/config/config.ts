import { homedir } from 'node:os';
import { z } from 'zod';
import '../lib/input-words.js';
import { mistypedNames } from '../lib/environment-file.js';
import { wholeNumber } from '../lib/fields.js';
import { snowflake } from '../lib/ids.js';
import { sealWith } from '../lib/sealed-secrets.js';
import { ConfigError } from '../lib/start-error.js';
import { factsWithKey, linkedFacts } from './linked-facts.js';
import { namedValues } from './named-values.js';
import { missingFileLine, overriddenIn, valuesIn } from './process-environment.js';
import { rankingGroups } from './ranking-groups.js';
import { botTokenKey, type SecretKeys, secretsKeyText } from './secret-keys.js';
import { secretFaults } from './secret-texts.js';

/** The process's startup configuration. Every value is checked; ENV-1 and `.env.example` explain each. */
export type Config = ReturnType<typeof toConfig>;

const list = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
  .transform((url) => url.replace(/\/+$/, ''));
const isOrigin = ({ href, origin }: URL): boolean => href === `${origin}/`;
/**
 * Our paths start at the host's root, and browsers send origins without a path. Stripe's client accepts no path either.
 */
const originUrl = baseUrl.refine(
  (url) => !URL.canParse(url) || isOrigin(new URL(url)),
  'must be scheme, host and port only, without a path',
);
const onOrOff = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((text) => text === 'true');
/** A plan's prices: the first one is for sale; the others stay valid for existing subscribers. */
const stripePrices = z.string().transform(list).pipe(z.array(z.string()).min(1, 'must name at least one price'));
const stripeNames = [
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_PRO',
  'STRIPE_PRICE_ENTERPRISE',
] as const;

const environment = z
  .object({
    PORT: wholeNumber(0, 65_535, 'must be a port number').default(3000),
    HOST: z.string().default('127.0.0.1'),
    PUBLIC_URL: originUrl.optional(),
    DATA_DIR: z
      .string()
      .regex(/^(?!~)/, `must be written out: only a shell replaces ~ by ${homedir()}`)
      .default('./data'),
    MONGODB_URI: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://')
      .optional(),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be trace, debug, info, warn, error or silent',
      })
      .default('info'),
    LOG_FORMAT: z.enum(['auto', 'text', 'json'], { error: 'must be auto, text or json' }).default('auto'),
    SECRETS_KEY: secretsKeyText.optional(),
    BOT_TOKEN_KEYS: z
      .string()
      .transform(list)
      .pipe(z.array(botTokenKey).min(1, 'must name at least one key'))
      .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, {
        error: 'must not use a kid twice',
        when: ({ issues }) => issues.length === 0,
      })
      .optional(),
    PLATFORM_ADMINS: z.string().default('').transform(list).pipe(z.array(snowflake)),
    DEFAULT_PLAN: z.enum(['free', 'pro', 'enterprise'], { error: 'must be free, pro or enterprise' }).default('free'),
    DEFAULT_REVEAL: z.enum(['auto', 'ask'], { error: 'must be auto or ask' }).default('auto'),
    RANKING_GROUPS: rankingGroups.default([]),
    LINKED_ROLES: linkedFacts.default([]),
    PEOPLE_IMPORT: z
      .string()
      .default('')
      .transform(list)
      .pipe(z.array(z.enum(['bloxlink', 'rover', 'rowifi'], { error: 'may only contain bloxlink, rover and rowifi' }))),
    BLOXLINK_API_URL: baseUrl.default('https://api.blox.link'),
    ROVER_API_URL: baseUrl.default('https://registry.rover.link'),
    ROWIFI_API_URL: baseUrl.default('https://api.rowifi.xyz'),
    SHARDS: z
      .string()
      .regex(/^\d+-\d+\/\d+$/, 'must look like 0-3/16: the first and last shard of this process, and the total')
      .transform((text) => {
        const [first = 0, last = 0, total = 1] = text.split(/[-/]/).map(Number);
        return { first, last, total };
      })
      .refine(
        ({ first, last, total }) => first <= last && last < total,
        'must name a first shard up to the last, and a last shard below the total',
      )
      .optional(),
    TRUST_PROXY: wholeNumber(0, 10, 'must be the number of proxies in front').default(0),
    OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
    OTEL_EXPORTER_OTLP_HEADERS: namedValues.default({}),
    OTEL_RESOURCE_ATTRIBUTES: namedValues.default({}),
    OTEL_SERVICE_NAME: z.string().default('rolelink'),
    METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
    WEBHOOK_DELIVERY: z.enum(['held', 'live'], { error: 'must be held or live' }).default('live'),
    WEBHOOK_ALLOW_HTTP: onOrOff,
    WEBHOOK_ALLOW_PRIVATE: onOrOff,
    DISCORD_TOKEN: z
      .string({ error: 'is missing: the bot token of the Discord application' })
      .regex(/^(?!(?:Bot|Bearer)\s)/i, 'must be the token only, without Bot or Bearer'),
    DISCORD_CLIENT_ID: snowflake.optional(),
    DISCORD_CLIENT_SECRET: z.string().optional(),
    DISCORD_API_URL: baseUrl
      .refine((url) => !/\/v\d+$/.test(url), 'must end before the version, such as https://discord.com/api')
      .default('https://discord.com/api'),
    ROBLOX_CLIENT_ID: z.string().optional(),
    ROBLOX_CLIENT_SECRET: z.string().optional(),
    ROBLOX_API_KEY: z.string().optional(),
    ROBLOX_WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
    ROBLOX_USERS_URL: baseUrl.default('https://users.roblox.com'),
    ROBLOX_GROUPS_URL: baseUrl.default('https://groups.roblox.com'),
    ROBLOX_APIS_URL: baseUrl.default('https://apis.roblox.com'),
    ROBLOX_THUMBNAILS_URL: baseUrl.default('https://thumbnails.roblox.com'),
    STRIPE_SECRET_KEY: z
      .string()
      .regex(/^(?!pk_)/, 'is a publishable key (pk_…); the secret key begins with sk_ or rk_')
      .regex(/^(?!whsec_)/, 'is a webhook secret (whsec_…); the secret key begins with sk_ or rk_')
      .optional(),
    STRIPE_WEBHOOK_SECRET: z
      .string()
      .regex(/^(?![sp]k_)/, 'is an API key; the webhook secret begins with whsec_')
      .optional(),
    STRIPE_PRICE_PRO: stripePrices.optional(),
    STRIPE_PRICE_ENTERPRISE: stripePrices.optional(),
    STRIPE_API_URL: originUrl.default('https://api.stripe.com'),
  })
  .refine((env) => (env.ROBLOX_CLIENT_ID === undefined) === (env.ROBLOX_CLIENT_SECRET === undefined), {
    path: ['ROBLOX_CLIENT_ID'],
    // Runs even after other mistakes, so that all are reported together.
    when: () => true,
    error: 'ROBLOX_CLIENT_ID and ROBLOX_CLIENT_SECRET go together',
  })
  .refine((env) => env.ROBLOX_CLIENT_ID === undefined || env.DISCORD_CLIENT_SECRET !== undefined, {
    path: ['DISCORD_CLIENT_SECRET'],
    when: () => true,
    error: 'is missing: signing in to Roblox requires signing in with Discord',
  })
  .refine((env) => (env.RANKING_GROUPS ?? []).length === 0 || env.ROBLOX_API_KEY !== undefined, {
    path: ['RANKING_GROUPS'],
    when: () => true,
    error: 'needs ROBLOX_API_KEY, with the permission group:write',
  })
  .refine((env) => (env.LINKED_ROLES ?? []).length === 0 || env.DISCORD_CLIENT_SECRET !== undefined, {
    path: ['LINKED_ROLES'],
    when: () => true,
    error: 'requires DISCORD_CLIENT_SECRET: people connect by signing in with Discord',
  })
  .refine(
    (env) =>
      env.ROBLOX_API_KEY !== undefined || !(env.LINKED_ROLES ?? []).some(({ kind }) => factsWithKey.includes(kind)),
    {
      path: ['LINKED_ROLES'],
      when: () => true,
      error: `needs ROBLOX_API_KEY for ${factsWithKey.join(' and ')}`,
    },
  )
  .refine((env) => new Set(stripeNames.map((name) => env[name] === undefined)).size === 1, {
    path: ['STRIPE_SECRET_KEY'],
    when: () => true,
    error: ({ input }) => {
      const missing = stripeNames.filter((name) => Reflect.get(Object(input), name) === undefined);
      return `${stripeNames.join(', ')} go together; missing: ${missing.join(', ')}`;
    },
  });

/** All Stripe settings, or none. */
function stripeOf(env: z.output<typeof environment>) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl } = env;
  const { STRIPE_PRICE_PRO: pro, STRIPE_PRICE_ENTERPRISE: enterprise } = env;
  if (secretKey === undefined || webhookSecret === undefined || !pro || !enterprise) return undefined;
  return { secretKey, webhookSecret, apiUrl, prices: { pro, enterprise } };
}

/** The span collector, and the names under which this process sends them. */
function tracingOf(env: z.output<typeof environment>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = env;
  const resource = { ...env.OTEL_RESOURCE_ATTRIBUTES, 'service.name': env.OTEL_SERVICE_NAME };
  return endpoint === undefined ? undefined : { endpoint, headers, resource };
}

function toConfig(env: z.output<typeof environment>) {
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: new URL(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).origin,
    dataDir: env.DATA_DIR,
    mongodbUri: env.MONGODB_URI ?? '',
    logLevel: env.LOG_LEVEL,
    logReadably: env.LOG_FORMAT === 'text' || (env.LOG_FORMAT === 'auto' && process.stdout.isTTY === true),
    secretsKey: env.SECRETS_KEY,
    botTokenKeys: env.BOT_TOKEN_KEYS,
    platformAdmins: new Set(env.PLATFORM_ADMINS),
    defaultPlan: env.DEFAULT_PLAN,
    defaultReveal: env.DEFAULT_REVEAL,
    /** The Roblox groups in which the operator's key may change ranks (ROBLOX-26). */
    rankingGroups: new Set(env.RANKING_GROUPS),
    linkedRoles: env.LINKED_ROLES,
    /** The other bots from which links may be imported, with their API addresses. */
    peopleImport: {
      from: env.PEOPLE_IMPORT,
      urls: { bloxlink: env.BLOXLINK_API_URL, rover: env.ROVER_API_URL, rowifi: env.ROWIFI_API_URL },
    },
    shards: env.SHARDS,
    trustProxy: env.TRUST_PROXY,
    metricsToken: env.METRICS_TOKEN,
    tracing: tracingOf(env),
    webhookDelivery: env.WEBHOOK_DELIVERY,
    webhookAllowHttp: env.WEBHOOK_ALLOW_HTTP,
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    discord: {
      token: env.DISCORD_TOKEN,
      clientId: env.DISCORD_CLIENT_ID,
      clientSecret: env.DISCORD_CLIENT_SECRET,
      apiUrl: env.DISCORD_API_URL,
    },
    roblox: {
      usersUrl: env.ROBLOX_USERS_URL,
      groupsUrl: env.ROBLOX_GROUPS_URL,
      apisUrl: env.ROBLOX_APIS_URL,
      thumbnailsUrl: env.ROBLOX_THUMBNAILS_URL,
      ...(env.ROBLOX_API_KEY !== undefined && { apiKey: env.ROBLOX_API_KEY }),
      ...(env.ROBLOX_WEBHOOK_SECRET !== undefined && { webhookSecret: env.ROBLOX_WEBHOOK_SECRET }),
      ...(env.ROBLOX_CLIENT_ID !== undefined &&
        env.ROBLOX_CLIENT_SECRET !== undefined && {
          oauth: { clientId: env.ROBLOX_CLIENT_ID, clientSecret: env.ROBLOX_CLIENT_SECRET },
        }),
    },
    stripe: stripeOf(env),
  };
}

/**
 * Reads the configuration from `env` (names as in ENV-1; an empty value counts as unset). Throws ConfigError with every
 * mistake.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = valuesIn(env);
  const unusable = secretFaults(set);
  const parsed = environment.safeParse(set);
  if (parsed.success && unusable.size === 0) return toConfig(parsed.data);
  const issues = parsed.error?.issues.filter(({ path }) => !unusable.has(String(path[0]))) ?? [];
  const lines = [...unusable, ...issues.map(({ path, message }) => [String(path[0]), message] as const)];
  const named = lines.map(([name, mistake]) => `  ${name}: ${mistake}`);
  const notes = overriddenLines().filter((line) => lines.some(([name]) => line.startsWith(`${name}:`)));
  const mistakes = [...new Set([...named, ...mistypedIn(set)])];
  throw new ConfigError(
    [`The configuration has errors (${mistakes.length}):`, ...mistakes, ...notes].join('\n') + missingFileLine(),
  );
}

const variables = Object.keys(environment.shape);

export const isVariable = (name: string): boolean => variables.includes(name);

/** One line for each set name that is similar to a known one. */
export const mistypedIn = (env: Readonly<Record<string, string | undefined>>): string[] =>
  mistypedNames(Object.keys(valuesIn(env)), variables).map(([name, meant]) => `  ${name}: is not read; ${meant} is`);

/** One sentence for each service variable with one value in the environment and another in `.env`. */
export const overriddenLines = (): string[] => overriddenIn(variables);

/** The service's configuration: the environment's, with all keys present. */
export type ServiceConfig = Omit<Config, keyof SecretKeys> &
  SecretKeys & {
    /** Checks every API answer against its schema. It costs time, so only tests enable it. */
    checkAnswers: boolean;
  };

let current: ServiceConfig | undefined;

/** Sets the configuration, once, at boot. */
export function useConfig(config: ServiceConfig): void {
  current = config;
  sealWith(config.secretsKey);
}

/** This process's configuration. Throws before boot has set it. */
export function config(): ServiceConfig {
  if (current === undefined) throw new Error('The configuration is not loaded yet.');
  return current;
}

/** How many processes share the bot, if each has as many shards as this one. */
export function processesOf(shards: Config['shards']): number {
  return shards === undefined ? 1 : Math.ceil(shards.total / (shards.last - shards.first + 1));
}
