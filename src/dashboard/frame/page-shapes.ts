import type { WordKey } from '../i18n/words.js';
import type { Shape } from '../parts/waiting.js';

/** A page before its script and its data are there. */
export interface PageShape {
  title: WordKey;
  /** The words below the title; `data` for a line that comes with the data. */
  lead?: WordKey | 'data';
  /** The words on the buttons beside the title. */
  acts?: readonly WordKey[];
  /** The link beside the title. */
  back?: WordKey;
  parts: Shape;
  /** The list beside those parts, from which they are chosen. */
  list?: Shape;
  /** The page where such a list has room. */
  wide?: Omit<PageShape, 'title'>;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    shape?: PageShape;
  }
}

const webhookParts = ['webhook.standing', ['facts', 6], ['buttons', 4], 'webhook.day', ['charts', 1]] as const;
/** The same with a webhook in its address and without one. */
const webhooksWide = {
  lead: 'webhooks.lead',
  acts: ['webhooks.add'],
  list: [['cards', 1]],
  parts: [['title', 1], ['lines', 1], ...webhookParts],
} as const;

/** Every page's outline. */
export const pageShapes = {
  landing: { title: 'landing.title', lead: 'landing.lead', parts: [['buttons', 2]] },
  signIn: {
    ...{ title: 'sign_in.title', lead: 'sign_in.lead' },
    parts: [
      ['lines', 3],
      ['buttons', 1],
    ],
  },
  servers: { title: 'servers.title', lead: 'servers.lead', parts: [['cards', 2]] },
  me: {
    ...{ title: 'me.title', lead: 'me.lead' },
    parts: ['me.account', ['card', 2], 'me.consents', ['card', 4], ['title', 1], ['card', 3]],
  },
  tryCall: { title: 'try.title', lead: 'data', parts: [['columns', 1]] },
  platform: {
    ...{ title: 'admin.title', lead: 'admin.lead' },
    parts: ['overview.figures', ['figures', 8], ['lines', 3], 'admin.servers', ['columns', 3], ['rows', 6]],
  },
  doctor: {
    ...{ title: 'doctor.title', lead: 'doctor.lead', acts: ['doctor.look'] },
    parts: [
      ['lines', 1],
      ['title', 1],
      ['rows', 4],
      ['title', 1],
      ['rows', 8],
    ],
  },
  overview: {
    title: 'nav.overview',
    parts: [
      ...([
        ['lines', 1],
        ['figures', 6],
      ] as const),
      ...(['history.title', ['charts', 5], 'overview.last_changes', ['card', 5]] as const),
    ],
  },
  setup: {
    ...{ title: 'nav.setup', lead: 'setup_page.lead' },
    parts: ['setup_page.group', ['card', 1], ['title', 1], ['rows', 6], ['title', 1], ['form', 1]],
  },
  members: {
    title: 'nav.members',
    lead: 'members.lead',
    parts: [
      ['filters', 5],
      ['table', 8],
    ],
  },
  people: { title: 'nav.people', lead: 'people.lead', parts: ['people.title', ['form', 1], ['area', 8]] },
  mappings: {
    ...{ title: 'nav.mappings', lead: 'mappings.lead', acts: ['mapping_import.title', 'mappings.add'] },
    parts: [
      ['title', 1],
      ['rows', 6],
    ],
  },
  newMapping: { title: 'editor.new', parts: [['fields', 6]] },
  importMappings: {
    ...{ title: 'mapping_import.title', lead: 'mapping_import.lead' },
    parts: [
      ['columns', 1],
      ['area', 8],
      ['buttons', 1],
    ],
  },
  editMapping: { title: 'editor.edit', parts: [['fields', 6]] },
  groups: {
    title: 'nav.groups',
    lead: 'groups.lead',
    parts: [
      ['columns', 1],
      ['title', 1],
      ['card', 3],
    ],
  },
  ranks: {
    ...{ title: 'groups.change_ranks', lead: 'data', back: 'nav.groups' },
    parts: [
      ['title', 1],
      ['rows', 4],
      ['title', 1],
      ['form', 4],
    ],
  },
  requests: { title: 'groups.requests', lead: 'data', back: 'groups.change_ranks', parts: [['table', 4]] },
  changes: { title: 'nav.changes', parts: [['card', 3]] },
  move: { title: 'move.title', lead: 'move.lead', parts: [['rows', 6]] },
  settings: {
    ...{ title: 'nav.settings', lead: 'settings.lead' },
    parts: ['settings.verification', ['form', 7], 'settings.join', ['form', 3], 'settings.nickname', ['form', 3]],
  },
  config: {
    title: 'nav.config',
    lead: 'config.lead',
    parts: [
      ['area', 20],
      ['buttons', 3],
    ],
  },
  log: {
    title: 'nav.log',
    lead: 'data',
    acts: ['log.export'],
    parts: [
      ['columns', 4],
      ['title', 1],
      ['rows', 10],
    ],
  },
  webhooks: {
    title: 'nav.webhooks',
    lead: 'webhooks.lead',
    acts: ['webhooks.add'],
    parts: [['cards', 2]],
    wide: webhooksWide,
  },
  webhook: { title: 'nav.webhooks', back: 'webhooks.all', parts: webhookParts, wide: webhooksWide },
  delivery: {
    ...{ title: 'delivery.title', back: 'delivery.back' },
    parts: ['delivery.state', ['facts', 5], 'delivery.attempts', ['cards', 1], ['title', 1], ['area', 8]],
  },
  team: {
    ...{ title: 'nav.team', lead: 'team.lead' },
    parts: ['team.invite', ['facts', 4], ['table', 4], 'team.rights', ['facts', 4]],
  },
  tokens: { title: 'nav.tokens', lead: 'tokens.lead', acts: ['tokens.make'], parts: [['table', 3]] },
  plan: { title: 'nav.plan', parts: [['title', 1], ['card', 5], 'plan.compare', ['table', 7]] },
} as const satisfies Readonly<Record<string, PageShape>>;
