import { expect } from 'chai';
import type { Exchange } from '../sandbox/kit/exchange.js';
import { type ContractChecker, createContractChecker } from './contract-checker.js';

const json = { 'content-type': 'application/json; charset=utf-8' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const discordBase = { provider: 'discord', host: 'discord.com', requestHeaders: json, responseHeaders: json } as const;
const robloxBase = { provider: 'roblox', requestHeaders: {}, responseHeaders: json, requestBody: undefined } as const;

const user = {
  id: '80351110224678912',
  username: 'nelly',
  discriminator: '0',
  avatar: null,
  public_flags: 0,
  flags: 0,
};
const account = { ...user, global_name: null, primary_guild: null };

const setRole: Exchange = {
  ...discordBase,
  method: 'PUT',
  path: '/api/v10/guilds/197038439483310086/members/80351110224678912/roles/41771983423143936',
  query: new URLSearchParams(),
  requestBody: undefined,
  status: 204,
  responseHeaders: {},
  responseBody: undefined,
};

const openDirectMessage: Exchange = {
  ...discordBase,
  method: 'POST',
  path: '/api/v10/users/@me/channels',
  query: new URLSearchParams(),
  requestBody: { recipient_id: '80351110224678912' },
  status: 200,
  responseBody: { id: '319674150115610528', type: 1, flags: 0, last_message_id: null, recipients: [account] },
};

/** The answer to a callback without `with_response`. */
const callback: Exchange = {
  ...discordBase,
  method: 'POST',
  path: '/api/v10/interactions/846462639134605312/aW50ZXJhY3Rpb24/callback',
  query: new URLSearchParams({ with_response: 'false' }),
  requestBody: {
    type: 4,
    data: {
      content: 'Done.',
      flags: 64,
      components: [{ type: 1, components: [{ type: 2, style: 1, custom_id: 'verify', label: 'Verify' }] }],
    },
  },
  status: 204,
  responseHeaders: {},
  responseBody: undefined,
};

const readMembers: Exchange = {
  ...discordBase,
  method: 'GET',
  path: '/api/v10/guilds/197038439483310086/members',
  query: new URLSearchParams({ limit: '1000', after: '80351110224678912' }),
  requestBody: undefined,
  status: 200,
  responseBody: [],
};

const readUser: Exchange = {
  ...robloxBase,
  host: 'users.roblox.com',
  method: 'GET',
  path: '/v1/users/3000000001',
  query: new URLSearchParams(),
  status: 200,
  responseBody: { id: 3000000001, name: 'Builder', displayName: 'Builder', description: '', isBanned: false },
};

const readMemberships: Exchange = {
  ...robloxBase,
  host: 'groups.roblox.com',
  method: 'GET',
  path: '/v2/users/3000000001/groups/roles',
  query: new URLSearchParams({ includeLocked: 'false', includeNotificationPreferences: 'false', discoveryType: '0' }),
  status: 200,
  responseBody: { data: [{ group: { id: 7, name: 'Roblox' }, role: { id: 8, name: 'Member', rank: 1 } }] },
};

const cloudUser: Exchange = {
  ...robloxBase,
  host: 'apis.roblox.com',
  method: 'GET',
  path: '/cloud/v2/users/3000000001',
  query: new URLSearchParams(),
  status: 200,
  responseBody: { path: 'users/3000000001', id: '3000000001', name: 'Builder' },
};

const redeemCode: Exchange = {
  ...robloxBase,
  host: 'apis.roblox.com',
  method: 'POST',
  path: '/oauth/v1/token',
  query: new URLSearchParams(),
  requestHeaders: form,
  requestBody: { grant_type: 'authorization_code', code: 'abc' },
  status: 200,
  responseBody: { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', expires_in: 899, scope: 'openid' },
};

const openPortal: Exchange = {
  provider: 'stripe',
  host: 'api.stripe.com',
  method: 'POST',
  path: '/v1/billing_portal/sessions',
  query: new URLSearchParams(),
  requestHeaders: form,
  requestBody: { customer: 'cus_1', return_url: 'https://link.example/' },
  status: 200,
  responseHeaders: json,
  responseBody: {
    id: 'bps_1',
    object: 'billing_portal.session',
    configuration: 'bpc_1',
    created: 1,
    customer: 'cus_1',
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: 'https://link.example/',
    url: 'https://billing.stripe.com/session/1',
  },
};

const beginCheckout: Exchange = {
  ...openPortal,
  path: '/v1/checkout/sessions',
  requestBody: { mode: 'subscription', line_items: [{ price: 'price_1', quantity: '1' }], metadata: { any: 'thing' } },
  status: 402,
  responseBody: { error: { type: 'card_error', message: 'No' } },
};

const errorOf = (code: number, message: string) => ({ errors: [{ code, message }] });

let checker: ContractChecker;

function withChecker(): void {
  beforeEach(function () {
    const created = createContractChecker();
    if (!created) this.skip();
    checker = created;
  });
}

const check = (exchange: Exchange, changes: Partial<Exchange> = {}) => {
  checker.observe({ ...exchange, ...changes });
  return checker.violations;
};

const good: [name: string, exchange: Exchange, changes?: Partial<Exchange>][] = [
  ['a call without body', setRole],
  ['an empty body where none is known, as body parsers leave it', setRole, { requestBody: {} }],
  ['a JSON body', openDirectMessage],
  ['a nested message', callback],
  ['numbers and long ids in the query', readMembers],
  ['a Discord error', setRole, { status: 403, responseHeaders: json, responseBody: { code: 50013, message: 'No' } }],
  [
    'a Discord rate limit with its headers',
    setRole,
    {
      status: 429,
      responseHeaders: { ...json, 'x-ratelimit-limit': '5', 'x-ratelimit-reset-after': '0.512' },
      responseBody: { message: 'Slow down', retry_after: 0.512, global: false },
    },
  ],
  ['a Discord outage', setRole, { status: 503, responseHeaders: {}, responseBody: 'upstream connect error' }],
  ['a user of Roblox', readUser],
  ['three required arguments', readMemberships],
  ['an error of an older host', readUser, { status: 404, responseBody: errorOf(3, 'The user id is invalid.') }],
  ['an Open Cloud error', cloudUser, { status: 404, responseBody: { code: 'NOT_FOUND', message: 'No user' } }],
  ['a gateway error', cloudUser, { status: 401, responseBody: errorOf(0, 'Invalid API Key') }],
  ['an OAuth form', redeemCode],
  ['an OAuth error', redeemCode, { status: 400, responseBody: { error: 'invalid_grant' } }],
  ['a form of Stripe’s', openPortal],
  ['numbers in a form, and an error of Stripe’s', beginCheckout],
];

const withQuery = (exchange: Exchange, changes: Record<string, string>) => ({
  query: new URLSearchParams({ ...Object.fromEntries(exchange.query), ...changes }),
});

const bad: [name: string, exchange: Exchange, changes: Partial<Exchange>, complaint: RegExp][] = [
  ['an unknown path', readUser, { path: '/v1/userz/1' }, /GET users\.roblox\.com\/v1\/userz\/1: is not in any/],
  ['a path of another host', readUser, { host: 'groups.roblox.com' }, /is not in any contract/],
  ['an unknown method', readUser, { method: 'DELETE' }, /is not in any contract/],
  ['a word for an id in the path', setRole, { path: setRole.path.replace(/\d+$/, 'undefined') }, /role_id "undefined"/],
  ['a missing argument', readMemberships, { query: new URLSearchParams() }, /query parameter includeLocked is missing/],
  ['an unknown argument', readMembers, withQuery(readMembers, { before: '1' }), /query parameter before is not known/],
  ['an argument of the wrong type', readMembers, withQuery(readMembers, { limit: 'all' }), /limit "all" does not fit/],
  ['an argument out of range', readMembers, withQuery(readMembers, { limit: '1001' }), /limit "1001" .*<= 1000/],
  ['a missing body', openDirectMessage, { requestBody: undefined }, /request body is missing/],
  ['a body where none is known', setRole, { requestBody: { reason: 'x' } }, /request has a body/],
  [
    'an unknown content type',
    openDirectMessage,
    { requestHeaders: { 'content-type': 'text/plain' } },
    /content type text\/plain/,
  ],
  ['a wrong type in the body', openDirectMessage, { requestBody: { recipient_id: 1 } }, /recipient_id must be/],
  [
    'an unknown key in the body',
    openDirectMessage,
    { requestBody: { recipient_id: '1', recipeint: '2' } },
    /request body \/recipeint is a key/,
  ],
  [
    'an unknown key deep in a message',
    callback,
    {
      requestBody: {
        type: 4,
        data: { components: [{ type: 1, components: [{ type: 2, style: 1, custom_id: 'a', lable: 'Verify' }] }] },
      },
    },
    /request body \/data\/components\/0\/components\/0\/lable is a key/,
  ],
  [
    'a key that belongs to another kind of answer',
    callback,
    { requestBody: { type: 4, data: { content: 'x', choices: [] } } },
    /request body \/data\/choices is a key/,
  ],
  ['a key that OAuth forbids', redeemCode, { requestBody: { ...Object(redeemCode.requestBody), extra: '1' } }, /extra/],
  ['an undocumented status', openDirectMessage, { status: 202, responseBody: {} }, /answer 202 is not in the contract/],
  ['a body with 204', setRole, { responseBody: { a: 1 } }, /answer 204 has a body/],
  ['a wrong answer', readUser, { responseBody: { id: '3000000001' } }, /answer 200 body \/id must be integer/],
  [
    'an extra key in an older answer',
    readUser,
    { responseBody: { nickname: 'x' } },
    /additional properties \(nickname\)/,
  ],
  ['a missing answer', cloudUser, { responseBody: undefined }, /answer 200 body must be object/],
  [
    'an answer of another type',
    readUser,
    { responseHeaders: { 'content-type': 'text/html' } },
    /content type text\/html/,
  ],
  [
    'a wrong header',
    openDirectMessage,
    { responseHeaders: { ...json, 'x-ratelimit-limit': 'many' } },
    /header X-RateLimit-Limit "many"/,
  ],
  [
    'a Discord error without a code',
    setRole,
    { status: 404, responseHeaders: json, responseBody: { message: 'x' } },
    /code/,
  ],
  ['an older error in another form', readUser, { status: 404, responseBody: { error: 'x' } }, /is no Roblox error/],
  [
    'an unknown Open Cloud code',
    cloudUser,
    { status: 404, responseBody: { code: 'GONE', message: '' } },
    /no Roblox error/,
  ],
  [
    'an unknown field of a form',
    beginCheckout,
    { requestBody: { mode: 'subscription', line_items: [{ prize: 'x' }] } },
    /prize/,
  ],
  [
    'a word for a number in a form',
    beginCheckout,
    { requestBody: { line_items: [{ price: 'price_1', quantity: 'many' }] } },
    /line_items\/0\/quantity must be number/,
  ],
  ['an unknown choice in a form', beginCheckout, { requestBody: { mode: 'rent' } }, /mode must be equal/],
  ['an incomplete answer of Stripe’s', openPortal, { responseBody: { id: 'bps_1' } }, /must have required property/],
  ['an error in another form than Stripe’s', beginCheckout, { responseBody: { message: 'No' } }, /'error'/],
  [
    'an event that lacks what it tells of',
    openPortal,
    {
      host: 'webhooks',
      path: '/invoice.paid',
      requestHeaders: json,
      requestBody: { id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: {} } },
      responseBody: undefined,
    },
    /must have required property/,
  ],
  ['an OAuth answer without a token', redeemCode, { responseBody: { token_type: 'Bearer' } }, /access_token/],
];

describe('Exchanges that fit the contracts', () => {
  withChecker();

  for (const [name, exchange, changes] of good) {
    it(`The contract checker passes ${name}`, () => {
      expect(check(exchange, changes)).to.deep.equal([]);
      expect(checker.checked).to.equal(1);
    });
  }

  it('The contract checker passes fields of discord.js that the contract does not know', () => {
    const emoji = { name: 'wave', id: null, animated: false };
    const button = { type: 2, style: 1, custom_id: 'verify', emoji };
    const data = { content: 'x', enforce_nonce: false, components: [{ type: 1, components: [button] }] };
    expect(check(callback, { requestBody: { type: 4, data } })).to.deep.equal([]);
  });
});

describe('Exchanges that break the contracts', () => {
  withChecker();

  for (const [name, exchange, changes, complaint] of bad) {
    it(`The contract checker reports ${name}`, () => {
      const violations = check(exchange, changes);
      expect(violations.join('\n')).to.match(complaint);
    });
  }

  it('The contract checker reports each violation once', () => {
    check(readUser, { path: '/nowhere' });
    expect(check(readUser, { path: '/nowhere' })).to.have.length(1);
    expect(checker.checked).to.equal(2);
  });
});
