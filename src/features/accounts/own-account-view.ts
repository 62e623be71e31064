import { z } from 'zod';
import { accountView, viewAccount } from './account-view.js';
import type { OwnAccount } from './own-accounts.js';

const servers = z.array(z.strictObject({ guildId: z.string(), name: z.string() }));

/** An account the caller has (ID-93). */
const ownAccountView = z
  .strictObject({
    account: accountView,
    main: z.boolean().describe('Servers without a choice of their own use it.'),
    servers: servers.describe('The servers that use it, by name.'),
    serversIfMain: servers.describe('The servers that would use it from then on if it became the main one.'),
  })
  .meta({ id: 'OwnAccount' });

export const ownAccountList = z.strictObject({ data: z.array(ownAccountView) });

export const viewOwnAccounts = (accounts: readonly OwnAccount[]): z.input<typeof ownAccountList> => ({
  data: accounts.map(({ account, isMain: main, ...uses }) => ({ account: viewAccount(account), main, ...uses })),
});
