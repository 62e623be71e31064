import mongoose from 'mongoose';

/** The collections in which older versions could leave the emptied remains of removed documents. */
const collections = [
  'accounts',
  'billing',
  'bot_tokens',
  'deliveries',
  'groups',
  'guilds',
  'linked_roles',
  'mappings',
  'members',
  'people_imports',
  'resync_jobs',
  'sessions',
  'settings',
  'teammates',
  'verification_sessions',
  'webhook_endpoints',
];

/** Deletes removed documents' remains that no relay finds, since their outbox is empty. Later versions leave none. */
export async function deleteEmptiedRemains(): Promise<void> {
  const emptied = { removedAt: { $exists: true }, 'outbox.0': { $exists: false } };
  for (const name of collections) await mongoose.connection.collection(name).deleteMany(emptied);
}
