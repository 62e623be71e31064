import { expect } from 'chai';
import mongoose from 'mongoose';
import { z } from 'zod';
import { Members } from '../../../src/features/members/member-model.js';
import { personExportView } from '../../../src/features/privacy/person-export-view.js';
import { noteClaimAnswered } from '../../../src/features/verification/claim-questions.js';
import { readSources } from '../../structure/source-files.js';
import { signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson } from '../../support/build.js';
import { storeDifference } from '../../support/differences.js';
import { world } from '../../support/world.js';

type ExportField = keyof typeof personExportView.shape;

/** For every model that has an outbox. */
const outbox = { outbox: 'events on their way', removedAt: 'the outbox is emptied first' };

const ofServer = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'about the server']));

/**
 * Collections with data about a person: the export's field, and each stored field that it renames or leaves out, with
 * the reason.
 */
const exported: Record<string, { as: ExportField; otherwise: Record<string, string> }> = {
  accounts: {
    as: 'accounts',
    otherwise: {
      ...{
        _id: 'chatUserId',
        provenBy: 'a hash',
        importId: 'in importedPairs',
        traits: 'premium, premiumReadAt and items',
        ...outbox,
      },
      ...{ unsettled: 'work of moments', notices: 'sent within minutes' },
      ...{ guildId: 'onlyIn', voucher: 'of the server', keepsNickname: 'of the server' },
    },
  },
  audit_log: {
    as: 'auditEntries',
    otherwise: Object.fromEntries(
      ['_id', 'at', 'actor', 'action', 'target', 'changes', 'requestId'].map((name) => [name, 'part of entry']),
    ),
  },
  bot_tokens: { as: 'tokens', otherwise: { _id: 'tokenId', createdBy: 'chatUserId', ...outbox } },
  guilds: {
    as: 'ownedGuilds',
    otherwise: {
      ...{ _id: 'guildId', ownerId: 'chatUserId', suspension: 'by an operator, whom the log names', ...outbox },
      ...ofServer('searchName iconUrl memberCount plan state catchUpSince catchUpAt caughtUpAt'),
      ...ofServer('welcome present joinedAt keptAt logRetention panel mappedRoles'),
    },
  },
  linked_roles: {
    as: 'linkedRoles',
    otherwise: {
      ...{ _id: 'chatUserId', written: 'writtenAt, gameUsername and facts', keys: 'of the operator', ...outbox },
      ...{ tokens: 'secrets', tokensExpireAt: 'of the secrets', dueAt: 'work of moments', wish: 'work of moments' },
      ...{ failures: 'work of moments', endingSince: 'work of moments' },
    },
  },
  members: {
    as: 'memberships',
    otherwise: {
      ...{ _id: 'an id', names: 'the other names in lower case', chatUserId: 'chatUserId', state: 'status', ...outbox },
      ...{ syncFence: 'a number of syncs', erasing: 'work of moments', differs: 'difference' },
      ...{ chatAvatar: 'chatAvatarUrl', kicking: 'an entry on its way into the log' },
    },
  },
  people_imports: {
    as: 'peopleImports',
    otherwise: {
      ...{ _id: 'importId', actor: 'chatUserId', sealedKey: 'a secret', ...outbox },
      ...ofServer(
        'voucher open after counts fault fence waitsUntil waits finishedAt keepsNicknames leavesNicknames undoableUntil undo',
      ),
    },
  },
  people_import_rows: {
    as: 'importedPairs',
    otherwise: {
      ...{ _id: 'an id', chatUserId: 'chatUserId', isPreset: 'of the list', isDone: 'work of moments' },
      ...{ made: 'of the server', nickname: 'for a day', undoing: 'work of moments', undone: 'of the server' },
    },
  },
  plans: {
    as: 'resyncs',
    otherwise: {
      ...{ _id: 'jobId', actor: 'chatUserId', memberIds: 'other people, for a month', ...outbox },
      ...ofServer(
        'open kind phase fixedPlan estimate rulesKey goesLive liveAt undoes after parts planned applied changedBefore asOf',
      ),
      ...{ askedBy: 'a question of an admin, for a quarter of an hour', expiresAt: 'of that question' },
      ...ofServer('lostBefore awaitingConfirmation confirmation waiting pace error quiet fence startedAt finishedAt'),
    },
  },
  rank_changes: {
    as: 'rankChanges',
    otherwise: {
      ...{ _id: 'changeId', chatUserId: 'chatUserId', gameUsername: 'of gameUserId', actor: 'entry', by: 'entry' },
      ...{ door: 'entry', refusal: 'of Roblox', undoes: 'a change', undoneBy: 'a change', dueAt: 'work of moments' },
      ...outbox,
    },
  },
  sessions: { as: 'sessions', otherwise: { _id: 'a hash', chatUserId: 'chatUserId', ...outbox } },
  teammates: { as: 'teams', otherwise: { _id: 'an id', chatUserId: 'chatUserId', ...outbox } },
  verification_sessions: {
    as: 'verifications',
    otherwise: {
      ...{ _id: 'a hash', chatUserId: 'chatUserId', phrase: 'a secret', sealedToken: 'a secret', oauth: 'secrets' },
      ...{ game: 'gameUserId', proof: 'work of moments', transfer: 'about the other owner', ...outbox },
    },
  },
  watched_accounts: {
    as: 'ranksSeen',
    otherwise: {
      ...{
        _id: 'gameUserId',
        held: 'ranks',
        chatUserId: 'chatUserId',
        guildId: 'memberships',
        linkedAt: 'memberships',
      },
      ...{ guildIds: 'memberships', plan: 'of the server', glanced: 'of the watch', dueAt: 'of the watch' },
    },
  },
};

/** Collections that the export leaves out, each with the reason. */
const leftOut: Record<string, string> = {
  deliveries: 'events for the systems of a server, for 30 days; memberships and entries say the same',
  erasures: 'the wish of a person who is about to be erased',
  idempotency_keys: 'answers that its person was given, encrypted, for a day',
  planned_changes:
    'the difference of a membership; else changes shown or under way, and what a switch made, for seven days',
  remembered: 'by its kinds, below',
  ...Object.fromEntries(
    [
      'billing',
      'daily_counters',
      'groups',
      'leases',
      'mappings',
      'removals',
      'settings',
      'watched_groups',
      'watched_guilds',
      'webhook_endpoints',
    ].map((name) => [name, 'nothing about a person']),
  ),
};

/** The kinds of remembered things: the export's field, or the reason to leave them out. */
const rememberedKinds: Record<string, ExportField | { leftOut: string }> = {
  claim_questions: 'claimQuestions',
  notified_invitee: { leftOut: 'hashes, for a day' },
  passed_steps: { leftOut: 'nothing about a person' },
  ranking_rules: { leftOut: 'nothing about a person' },
  refused_import: 'refusedImports',
  review_draft: {
    leftOut:
      'what its person wrote or named and has not confirmed, for a day; the erasure of a named person removes it',
  },
  sealed_actor: { leftOut: 'people who are erased' },
  setup: { leftOut: 'nothing about a person' },
  stripe_event: { leftOut: 'nothing about a person' },
  undo: { leftOut: 'nothing about a person' },
};

/** The names of one document's fields in an export field. */
function shownNames(field: z.ZodType): string[] {
  if (field instanceof z.ZodNullable) return shownNames(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodArray) return shownNames(field.element as z.ZodType);
  return field instanceof z.ZodObject ? Object.keys(field.shape) : [];
}

// PRIV-17, PRIV-18
describe('The coverage of a person’s export', () => {
  before(world);

  it('Every stored collection is in the export of a person, or is left out for a reason', () => {
    const ofTests = ['schema_of_things'];
    const collections = Object.values(mongoose.models).map(({ collection }) => collection.name);
    const names = collections.filter((name) => !ofTests.includes(name));
    const known = [...Object.keys(exported), ...Object.keys(leftOut)];
    expect(names.filter((name) => !known.includes(name))).to.deep.equal([]);
    expect(known.filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('Every kind of remembered things is in the export of a person, or is left out for a reason', () => {
    const declared = readSources('src').flatMap(({ text }) => [...text.matchAll(/new Remembered<.*>\('(\w+)'\)/g)]);
    expect(declared.map(([, kind]) => kind)).to.have.members(Object.keys(rememberedKinds));
    const fields = Object.values(rememberedKinds).filter((kind) => typeof kind === 'string');
    expect(personExportView.shape).to.include.all.keys(fields);
  });

  for (const [collection, { as, otherwise }] of Object.entries(exported)) {
    it(`Every stored field of ${collection} is in the export of a person, or is left out for a reason`, () => {
      const model = Object.values(mongoose.models).find((each) => each.collection.name === collection);
      const stored = new Set(Object.keys(model?.schema.paths ?? {}).map((path) => path.split('.')[0] ?? path));
      const shown = shownNames(personExportView.shape[as] as z.ZodType);
      expect(stored.size).to.be.greaterThan(1);
      expect([...stored].filter((name) => !shown.includes(name) && !(name in otherwise))).to.deep.equal([]);
      const both = Object.keys(otherwise).filter((name) => !stored.has(name) || shown.includes(name));
      expect(both.filter((name) => !(name in outbox))).to.deep.equal([]);
    });
  }

  it('A person’s export includes the data that syncs and questions have stored about them', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild);
    const stranger = await buildPerson();
    const { guildId } = guild;
    const { chatUserId, gameUserId } = person;
    const at = new Date('2026-01-02T03:04:05.006Z');
    const refused = { part: 'give' as const, roleId: '9', name: 'Officer', words: 'No.', key: 'k', at };
    const kept = {
      wentBy: { gameUserId, held: ['7:70', '8:-'], readAt: at, rulesKey: 'rules' },
      left: { roleIds: ['9'], nickname: 'nick' },
      refused: [refused],
      pending: true as const,
      namelessAs: 'plain',
      restored: [{ what: '9', at }],
      contested: ['9'],
    };
    await Members.update({ guildId, chatUserId }, { $set: { ...kept, differs: true } });
    const reasons = [{ roleId: '9', code: 'meets_rule' as const }];
    await storeDifference(guildId, chatUserId, { expected: { add: ['9'], remove: [] }, reasons, since: at });
    await noteClaimAnswered({ _id: 'session', guildId, chatUserId }, true);
    const { body } = await (await signIn(chatUserId)).get('/api/auth/me/export');
    const data = personExportView.parse(body);
    expect(data.memberships[0]).to.deep.include({
      wentBy: {
        ...{ gameUserId, gone: null, readAt: at.toISOString() },
        ranks: [
          { groupId: '7', gameRoleId: '70' },
          { groupId: '8', gameRoleId: null },
        ],
      },
      left: kept.left,
      difference: {
        ...{ give: ['9'], take: [], nickname: null, kick: null, about: ['9', 'meets_rule'], since: at.toISOString() },
        reasons: [{ roleId: '9', code: 'meets_rule', groupId: null, gameRole: null }],
      },
      refused: [{ ...refused, at: at.toISOString() }],
      pending: true,
      namelessAs: 'plain',
      restored: [{ what: '9', at: at.toISOString() }],
      contested: ['9'],
    });
    expect(data.claimQuestions[0]).to.deep.include({ guildId, sentAt: [], open: null });
    expect(JSON.stringify(body)).not.to.contain(stranger.chatUserId);
  });
});
