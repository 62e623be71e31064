/** A Discord account: a person's or the bot's. */
export interface SandboxUser {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  /** Their picture's hash. */
  readonly avatar?: string | null;
  readonly bot: boolean;
}

/** An account elsewhere that a person has connected to their Discord account. */
export interface SandboxConnection {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly verified: boolean;
  readonly revoked: boolean;
}

export interface SandboxRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: bigint;
  /** 0 is @everyone; a higher role has a higher position. */
  readonly position: number;
  /** Belongs to an integration (such as the bot's own role): it can't be given. */
  readonly managed: boolean;
  readonly color: number;
}

export interface SandboxGuild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly botRoleId?: string;
}

/** The Discord application that the bot and the sign-in belong to. */
export interface SandboxApplication {
  readonly id: string;
  readonly name: string;
  readonly clientSecret: string;
  readonly botToken: string;
  readonly botUserId: string;
  /** Discord's bits; GATEWAY_GUILD_MEMBERS_LIMITED when the members intent is switched on. */
  flags: number;
  readonly redirectUris: string[];
  /** Where Discord sends people who connect themselves for Linked Roles. */
  verificationUrl: string | null;
}

/** What servers can ask from people by Linked Roles (Discord's application role connection metadata). */
export interface SandboxRoleConnectionRecord {
  readonly type: number;
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

/** What the application has written about a person for Linked Roles. */
export interface SandboxRoleConnection {
  readonly name: string | null;
  readonly username: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A member update that went through, as the guild's audit log keeps it. */
export interface AuditRecord {
  readonly action: 'MEMBER_ROLE_UPDATE' | 'MEMBER_UPDATE' | 'MEMBER_KICK';
  /** The member who was changed, or kicked. */
  readonly userId: string;
  /** Who changed them: the bot, or the guild's owner for changes made through the sandbox. */
  readonly executorId: string;
  /** The role, when one single role was added or removed. */
  readonly roleId?: string;
  readonly changes: {
    readonly rolesAdded: readonly string[];
    readonly rolesRemoved: readonly string[];
    readonly nickname?: { readonly from: string | null; readonly to: string | null };
  };
  /** The decoded `X-Audit-Log-Reason`. */
  readonly reason: string | null;
  readonly at: Date;
}

/** How roles are kept: SandboxRole's open side. */
export interface StoredRole {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  readonly managed: boolean;
  readonly color: number;
  /** The bot whose own role this is. */
  readonly botId?: string;
  /** What Discord says about it besides, such as that Linked Roles give it. */
  readonly tags?: RoleTags;
  /** No bot can give or take it, for a reason that can't be found beforehand. */
  isSealed?: boolean;
}

/** Discord's own marks on a role: null stands for yes. */
export interface RoleTags {
  readonly guild_connections?: null;
  readonly available_for_purchase?: null;
  readonly subscription_listing_id?: string;
}

export interface StoredMember {
  readonly userId: string;
  roleIds: string[];
  nickname: string | null;
  /** They have not accepted the server's rules yet. */
  pending?: boolean;
  /** Discord's marks, such as that onboarding is completed. */
  flags?: number;
  readonly joinedAt: Date;
}

export interface StoredGuild {
  readonly id: string;
  name: string;
  ownerId: string;
  readonly roles: Map<string, StoredRole>;
  readonly members: Map<string, StoredMember>;
  /** All members' ids by age, for paging; dropped at each join and leave. */
  memberOrder?: string[] | undefined;
  readonly channelId: string;
  /** The permissions that the bot's role gets when it is added. */
  readonly botPermissions: bigint;
  readonly audit: AuditRecord[];
}

export interface StoredChannel {
  readonly id: string;
  readonly name: string;
  /** Where it is; a channel without a guild is a direct message between the bot and `recipientId`. */
  readonly guildId?: string;
  readonly recipientId?: string;
  readonly messages: Map<string, StoredMessage>;
}

/** One component in a message or modal, as it is on the wire; which keys it has depends on `type`. */
export interface Component {
  readonly type: number;
  readonly id?: number | undefined;
  readonly custom_id?: string | undefined;
  readonly label?: string | null | undefined;
  readonly url?: string | undefined;
  readonly style?: number | undefined;
  readonly disabled?: boolean | undefined;
  readonly content?: string | undefined;
  readonly value?: string | undefined;
  readonly required?: boolean | undefined;
  readonly min_length?: number | null | undefined;
  readonly max_length?: number | null | undefined;
  readonly placeholder?: string | undefined;
  readonly min_values?: number | undefined;
  readonly max_values?: number | undefined;
  readonly options?: readonly { readonly label: string; readonly value: string }[] | undefined;
  readonly components?: readonly Component[] | undefined;
  readonly component?: Component | undefined;
  readonly accessory?: Component | undefined;
  readonly [key: string]: unknown;
}

export interface Embed {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly footer?: { readonly text: string } | undefined;
  readonly author?: { readonly name: string } | undefined;
  readonly [key: string]: unknown;
}

export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly text: string;
}

export interface StoredMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly createdAt: Date;
  editedAt: Date | null;
  content: string;
  embeds: readonly Embed[];
  components: readonly Component[];
  attachments: readonly Attachment[];
  flags: number;
  /** The one person who sees an ephemeral message. */
  readonly visibleTo?: string;
  /** The interaction that this message answers. */
  readonly interaction?: InteractionOrigin & { readonly userId: string };
  readonly nonce?: string | number | undefined;
  /** Whom and what its mentions may ping, as the bot has said. */
  readonly allowedMentions?: Readonly<Record<string, unknown>> | undefined;
  /** The message that this one is a reply to. */
  readonly replyTo?: string | undefined;
}

/** A registered application command, as on the wire. */
export interface StoredCommand {
  readonly id: string;
  readonly version: string;
  readonly guildId?: string;
  /** Name, type, description, options … as normalised by the sandbox. */
  readonly definition: CommandDefinition;
}

export interface CommandOption {
  readonly type: number;
  readonly name: string;
  readonly required?: boolean | undefined;
  readonly autocomplete?: boolean | undefined;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[] | undefined;
  readonly options?: readonly CommandOption[] | undefined;
  readonly min_value?: number | undefined;
  readonly max_value?: number | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  readonly [key: string]: unknown;
}

export interface CommandDefinition {
  readonly type: number;
  readonly name: string;
  readonly default_member_permissions: string | null;
  readonly name_localizations?: unknown;
  readonly description_localizations?: unknown;
  readonly options?: readonly CommandOption[] | undefined;
  readonly [key: string]: unknown;
}

/** An interaction as it appears in a message. */
export interface InteractionOrigin {
  readonly id: string;
  readonly type: number;
  /** The message whose component was used. */
  readonly messageId?: string;
  /** For a form that was sent: what opened it. */
  readonly openedBy?: InteractionOrigin;
}
