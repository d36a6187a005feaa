// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { AgentsOperations } from './site-types/agents.ts'
import type { ApprovalsOperations } from './site-types/approvals.ts'
import type { AssetsOperations } from './site-types/assets.ts'
import type { AuditEntriesOperations } from './site-types/audit-entries.ts'
import type { AuthOperations } from './site-types/auth.ts'
import type { AutomationsOperations } from './site-types/automations.ts'
import type { BackfillOperations } from './site-types/backfill.ts'
import type { BroadcastsOperations } from './site-types/broadcasts.ts'
import type { BulkActsOperations } from './site-types/bulk-acts.ts'
import type { ConsentsOperations } from './site-types/consents.ts'
import type { ContactsOperations } from './site-types/contacts.ts'
import type { CustomFieldsOperations } from './site-types/custom-fields.ts'
import type { EmailsOperations } from './site-types/emails.ts'
import type { EventsOperations } from './site-types/events.ts'
import type { ExportsOperations } from './site-types/exports.ts'
import type { FeedbackHooksOperations } from './site-types/feedback-hooks.ts'
import type { FormsOperations } from './site-types/forms.ts'
import type { IdentityConflictsOperations } from './site-types/identity-conflicts.ts'
import type { ImportsOperations } from './site-types/imports.ts'
import type { IntegrationsOperations } from './site-types/integrations.ts'
import type { InvitationsOperations } from './site-types/invitations.ts'
import type { LeaveOperations } from './site-types/leave.ts'
import type { LiftOperations } from './site-types/lift.ts'
import type { MailboxOperations } from './site-types/mailbox.ts'
import type { MembersOperations } from './site-types/members.ts'
import type { MessagesOperations } from './site-types/messages.ts'
import type { MovesOperations } from './site-types/moves.ts'
import type { OverviewOperations } from './site-types/overview.ts'
import type { PreflightOperations } from './site-types/preflight.ts'
import type { PublishPreviewOperations } from './site-types/publish-preview.ts'
import type { RecipientsOperations } from './site-types/recipients.ts'
import type { RestorationOperations } from './site-types/restoration.ts'
import type { ResultsOperations } from './site-types/results.ts'
import type { RevisionsOperations } from './site-types/revisions.ts'
import type { RunsOperations } from './site-types/runs.ts'
import type { SavedBlocksOperations } from './site-types/saved-blocks.ts'
import type { ScenariosOperations } from './site-types/scenarios.ts'
import type { SegmentsOperations } from './site-types/segments.ts'
import type { SendingDomainsOperations } from './site-types/sending-domains.ts'
import type { SendingSettingsOperations } from './site-types/sending-settings.ts'
import type { SimulationsOperations } from './site-types/simulations.ts'
import type { SuppressionsOperations } from './site-types/suppressions.ts'
import type { SystemOperations } from './site-types/system.ts'
import type { TagsOperations } from './site-types/tags.ts'
import type { TemplatesOperations } from './site-types/templates.ts'
import type { TokensOperations } from './site-types/tokens.ts'
import type { TopicsOperations } from './site-types/topics.ts'
import type { TrackersOperations } from './site-types/trackers.ts'
import type { UnsubscribesOperations } from './site-types/unsubscribes.ts'
import type { WebhooksOperations } from './site-types/webhooks.ts'
import type { WorkspaceOperations } from './site-types/workspace.ts'
import type { WorkspacesOperations } from './site-types/workspaces.ts'

export type * from './site-types/api-operations.ts'
export type * from './site-types/shared.ts'
export type * from './site-types/agents.ts'
export type * from './site-types/approvals.ts'
export type * from './site-types/assets.ts'
export type * from './site-types/audit-entries.ts'
export type * from './site-types/auth.ts'
export type * from './site-types/automations.ts'
export type * from './site-types/backfill.ts'
export type * from './site-types/broadcasts.ts'
export type * from './site-types/bulk-acts.ts'
export type * from './site-types/consents.ts'
export type * from './site-types/contacts.ts'
export type * from './site-types/custom-fields.ts'
export type * from './site-types/emails.ts'
export type * from './site-types/events.ts'
export type * from './site-types/exports.ts'
export type * from './site-types/feedback-hooks.ts'
export type * from './site-types/forms.ts'
export type * from './site-types/identity-conflicts.ts'
export type * from './site-types/imports.ts'
export type * from './site-types/integrations.ts'
export type * from './site-types/invitations.ts'
export type * from './site-types/leave.ts'
export type * from './site-types/lift.ts'
export type * from './site-types/mailbox.ts'
export type * from './site-types/members.ts'
export type * from './site-types/messages.ts'
export type * from './site-types/moves.ts'
export type * from './site-types/overview.ts'
export type * from './site-types/preflight.ts'
export type * from './site-types/publish-preview.ts'
export type * from './site-types/recipients.ts'
export type * from './site-types/restoration.ts'
export type * from './site-types/results.ts'
export type * from './site-types/revisions.ts'
export type * from './site-types/runs.ts'
export type * from './site-types/saved-blocks.ts'
export type * from './site-types/scenarios.ts'
export type * from './site-types/segments.ts'
export type * from './site-types/sending-domains.ts'
export type * from './site-types/sending-settings.ts'
export type * from './site-types/simulations.ts'
export type * from './site-types/suppressions.ts'
export type * from './site-types/system.ts'
export type * from './site-types/tags.ts'
export type * from './site-types/templates.ts'
export type * from './site-types/tokens.ts'
export type * from './site-types/topics.ts'
export type * from './site-types/trackers.ts'
export type * from './site-types/unsubscribes.ts'
export type * from './site-types/webhooks.ts'
export type * from './site-types/workspace.ts'
export type * from './site-types/workspaces.ts'

export type Permission =
  | 'contacts:read'
  | 'contacts:write'
  | 'contacts:erase'
  | 'segments:read'
  | 'segments:write'
  | 'events:read'
  | 'events:write'
  | 'trackers:read'
  | 'trackers:write'
  | 'broadcasts:read'
  | 'broadcasts:write'
  | 'broadcasts:send'
  | 'automations:read'
  | 'automations:write'
  | 'automations:activate'
  | 'templates:read'
  | 'templates:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'custom_fields:read'
  | 'custom_fields:write'
  | 'sending_domains:read'
  | 'sending_domains:write'
  | 'integrations:read'
  | 'integrations:write'
  | 'emails:send'
  | 'forms:read'
  | 'forms:write'
  | 'suppressions:read'
  | 'suppressions:write'
  | 'mcp:send'
  | 'approvals:read'
  | 'tokens:read'
  | 'tokens:write'
  | 'audit:read'
  | 'members:read'
  | 'members:write'
  | 'workspace:write'

export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** Operations by method and path; those below a workspace without the path of the workspace. */
export type Operations = AgentsOperations &
  ApprovalsOperations &
  AssetsOperations &
  AuditEntriesOperations &
  AuthOperations &
  AutomationsOperations &
  BackfillOperations &
  BroadcastsOperations &
  BulkActsOperations &
  ConsentsOperations &
  ContactsOperations &
  CustomFieldsOperations &
  EmailsOperations &
  EventsOperations &
  ExportsOperations &
  FeedbackHooksOperations &
  FormsOperations &
  IdentityConflictsOperations &
  ImportsOperations &
  IntegrationsOperations &
  InvitationsOperations &
  LeaveOperations &
  LiftOperations &
  MailboxOperations &
  MembersOperations &
  MessagesOperations &
  MovesOperations &
  OverviewOperations &
  PreflightOperations &
  PublishPreviewOperations &
  RecipientsOperations &
  RestorationOperations &
  ResultsOperations &
  RevisionsOperations &
  RunsOperations &
  SavedBlocksOperations &
  ScenariosOperations &
  SegmentsOperations &
  SendingDomainsOperations &
  SendingSettingsOperations &
  SimulationsOperations &
  SuppressionsOperations &
  SystemOperations &
  TagsOperations &
  TemplatesOperations &
  TokensOperations &
  TopicsOperations &
  TrackersOperations &
  UnsubscribesOperations &
  WebhooksOperations &
  WorkspaceOperations &
  WorkspacesOperations
