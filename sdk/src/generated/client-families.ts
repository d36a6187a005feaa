// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { ApprovalsOperations } from './approvals.ts'
import type { AssetsOperations } from './assets.ts'
import type { AuditEntriesOperations } from './audit-entries.ts'
import type { AuthOperations } from './auth.ts'
import type { AutomationsOperations } from './automations.ts'
import type { BroadcastsOperations } from './broadcasts.ts'
import type { BulkActsOperations } from './bulk-acts.ts'
import type { ContactAutomationsOperations } from './contact-automations.ts'
import type { ContactTagsOperations } from './contact-tags.ts'
import type { ContactTopicsOperations } from './contact-topics.ts'
import type { ContactsOperations } from './contacts.ts'
import type { CustomFieldsOperations } from './custom-fields.ts'
import type { EmailsOperations } from './emails.ts'
import type { EventsOperations } from './events.ts'
import type { ExportsOperations } from './exports.ts'
import type { FormsOperations } from './forms.ts'
import type { IdentityConflictsOperations } from './identity-conflicts.ts'
import type { IdentityKeysOperations } from './identity-keys.ts'
import type { ImportsOperations } from './imports.ts'
import type { IntegrationsOperations } from './integrations.ts'
import type { MailboxOperations } from './mailbox.ts'
import type { MessagesOperations } from './messages.ts'
import type { OverviewOperations } from './overview.ts'
import type { SavedBlocksOperations } from './saved-blocks.ts'
import type { SegmentsOperations } from './segments.ts'
import type { SendingDomainsOperations } from './sending-domains.ts'
import type { SendingSettingsOperations } from './sending-settings.ts'
import type { SuppressionsOperations } from './suppressions.ts'
import type { TagsOperations } from './tags.ts'
import type { TemplatesOperations } from './templates.ts'
import type { TokensOperations } from './tokens.ts'
import type { TopicsOperations } from './topics.ts'
import type { TrackersOperations } from './trackers.ts'
import type { UnsubscribesOperations } from './unsubscribes.ts'
import type { WebhooksOperations } from './webhooks.ts'
import type { WorkspaceOperations } from './workspace.ts'

export type * from './approvals.ts'
export type * from './assets.ts'
export type * from './audit-entries.ts'
export type * from './auth.ts'
export type * from './automations.ts'
export type * from './broadcasts.ts'
export type * from './bulk-acts.ts'
export type * from './contact-automations.ts'
export type * from './contact-tags.ts'
export type * from './contact-topics.ts'
export type * from './contacts.ts'
export type * from './custom-fields.ts'
export type * from './emails.ts'
export type * from './events.ts'
export type * from './exports.ts'
export type * from './forms.ts'
export type * from './identity-conflicts.ts'
export type * from './identity-keys.ts'
export type * from './imports.ts'
export type * from './integrations.ts'
export type * from './mailbox.ts'
export type * from './messages.ts'
export type * from './overview.ts'
export type * from './saved-blocks.ts'
export type * from './segments.ts'
export type * from './sending-domains.ts'
export type * from './sending-settings.ts'
export type * from './shared.ts'
export type * from './suppressions.ts'
export type * from './tags.ts'
export type * from './templates.ts'
export type * from './tokens.ts'
export type * from './topics.ts'
export type * from './trackers.ts'
export type * from './unsubscribes.ts'
export type * from './webhook-events.ts'
export type * from './webhooks.ts'
export type * from './workspace.ts'

/** A member for each family of operations, with a method for each operation. */
export interface Families {
  readonly approvals: ApprovalsOperations
  readonly assets: AssetsOperations
  readonly auditEntries: AuditEntriesOperations
  readonly auth: AuthOperations
  readonly automations: AutomationsOperations
  readonly broadcasts: BroadcastsOperations
  readonly bulkActs: BulkActsOperations
  readonly contactAutomations: ContactAutomationsOperations
  readonly contactTags: ContactTagsOperations
  readonly contactTopics: ContactTopicsOperations
  readonly contacts: ContactsOperations
  readonly customFields: CustomFieldsOperations
  readonly emails: EmailsOperations
  readonly events: EventsOperations
  readonly exports: ExportsOperations
  readonly forms: FormsOperations
  readonly identityConflicts: IdentityConflictsOperations
  readonly identityKeys: IdentityKeysOperations
  readonly imports: ImportsOperations
  readonly integrations: IntegrationsOperations
  readonly mailbox: MailboxOperations
  readonly messages: MessagesOperations
  readonly overview: OverviewOperations
  readonly savedBlocks: SavedBlocksOperations
  readonly segments: SegmentsOperations
  readonly sendingDomains: SendingDomainsOperations
  readonly sendingSettings: SendingSettingsOperations
  readonly suppressions: SuppressionsOperations
  readonly tags: TagsOperations
  readonly templates: TemplatesOperations
  readonly tokens: TokensOperations
  readonly topics: TopicsOperations
  readonly trackers: TrackersOperations
  readonly unsubscribes: UnsubscribesOperations
  readonly webhooks: WebhooksOperations
  readonly workspace: WorkspaceOperations
}
