import type { Schemas } from '../../client/api-types.js';
import type { IconName } from '../parts/icon.js';

type Action = Schemas['AuditEntry']['action'];
type Noun = Action extends `${infer Name}.${string}` ? Name : never;

const icons: Readonly<Record<Noun, IconName>> = {
  account: 'people',
  billing: 'card',
  consent: 'eye',
  delivery: 'bolt',
  group: 'blocks',
  guild: 'home',
  join_request: 'join',
  linked_role: 'people',
  mapping: 'arrows',
  mappings: 'arrows',
  member: 'people',
  panel: 'flag',
  people: 'join',
  permission: 'shield',
  resync: 'refresh',
  role: 'shield',
  session: 'key',
  settings: 'sliders',
  teammate: 'shield',
  token: 'key',
  verification: 'flag',
  webhook: 'bolt',
};

/** The sign for an entry's subject. */
export const iconOf = (action: Action): IconName => icons[action.slice(0, action.indexOf('.')) as Noun];
