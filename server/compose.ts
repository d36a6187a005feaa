import { isIP } from 'node:net'
import type { Pools } from './app.ts'
import type { ComposeDeps } from './compose-deps.ts'
import { baseUrlOf, composeSending } from './compose-sending.ts'
import type { Config } from './config.ts'
import { accountModule } from './modules/account/module.ts'
import { auditModule } from './modules/audit/module.ts'
import { authModule } from './modules/auth/module.ts'
import { automationsCallingEndpoint } from './modules/automations/definition/automations-calling-endpoint.ts'
import {
  automationsNamingField,
  automationsNamingTag,
  automationsNamingTopic,
  refuseRename,
  refuseTagRename,
} from './modules/automations/definition/automations-naming.ts'
import { automationsUsingSegment } from './modules/automations/definition/automations-using-segment.ts'
import { backupsModule } from './modules/backups/module.ts'
import { broadcastsUsingSegment } from './modules/broadcasts/broadcasts-using-segment.ts'
import { browserScriptsModule } from './modules/browser-scripts/module.ts'
import { renameTagInBulkActs } from './modules/bulk-acts/follow-tags.ts'
import { bulkActsModule } from './modules/bulk-acts/module.ts'
import { askNewContacts } from './modules/confirmations/request-confirmations.ts'
import { consentsModule } from './modules/consents/module.ts'
import { contactsModule } from './modules/contacts/module.ts'
import { customFieldsModule } from './modules/custom-fields/module.ts'
import { dashboardModule } from './modules/dashboard/module.ts'
import { createBrowserIntake, createIntakeWriter } from './modules/events/event-intakes.ts'
import { eventsModule } from './modules/events/module.ts'
import { feedbackModule } from './modules/feedback/module.ts'
import { forgetBrowser } from './modules/forms/forget-browser.ts'
import {
  formsNamingField,
  formsNamingTag,
  renameFieldInForms,
  renameTagInForms,
} from './modules/forms/forms-following.ts'
import { formsOfPeople } from './modules/forms/forms-of-people.ts'
import { guidesModule } from './modules/guides/module.ts'
import { idempotencyModule } from './modules/idempotency/module.ts'
import { createMarks } from './modules/identity/claims.ts'
import { identityModule } from './modules/identity/module.ts'
import { noteTagInImports, renameTagInImports } from './modules/imports/follow-tags.ts'
import { importsModule } from './modules/imports/module.ts'
import { integrationsModule } from './modules/integrations/module.ts'
import { ensureMailbox } from './modules/mailbox/ensure-mailbox.ts'
import { storedAddress } from './modules/mailbox/mailbox-integration.ts'
import { mailboxModule } from './modules/mailbox/module.ts'
import { mcpModule } from './modules/mcp/module.ts'
import { membersModule } from './modules/members/module.ts'
import type { Module } from './modules/module.ts'
import { oauthModule } from './modules/oauth/module.ts'
import { pagesModule } from './modules/pages/module.ts'
import { enqueueSweep } from './modules/personal-data/erase-contact.ts'
import { createEraseSome } from './modules/personal-data/erase-people.ts'
import { personalDataModule } from './modules/personal-data/module.ts'
import { restorationModule } from './modules/restoration/module.ts'
import { secondFactorModule } from './modules/second-factor/module.ts'
import { segmentIntakeModule } from './modules/segment-intake/module.ts'
import { createVisitorNames } from './modules/segment-intake/visitor-names.ts'
import { renameFieldInSegments, renameTagInSegments } from './modules/segments/follow-renames.ts'
import { segmentsModule } from './modules/segments/module.ts'
import { segmentMembers } from './modules/segments/segment-members.ts'
import { segmentsNamingField, segmentsNamingTag, segmentsNamingTopic } from './modules/segments/segments-naming.ts'
import type { MessageKey } from './modules/sending/ledger/message-codes.ts'
import { sendingDomainsModule } from './modules/sending-domains/module.ts'
import { suppressionModule } from './modules/suppression/module.ts'
import { systemMailModule } from './modules/system-mail/module.ts'
import { createSystemMailer, type SystemMailer } from './modules/system-mail/system-mailer.ts'
import { tagsModule } from './modules/tags/module.ts'
import { topicsModule } from './modules/topics/module.ts'
import { trackersModule } from './modules/trackers/module.ts'
import { createTrackerTally } from './modules/trackers/tally-trackers.ts'
import { createLinkKeys } from './modules/tracking/link-keys.ts'
import { createUnsubscribeAddresses } from './modules/unsubscribes/unsubscribe-address.ts'
import { unsubscribeByMail } from './modules/unsubscribes/unsubscribe-by-mail.ts'
import { createErasedVisitors } from './modules/visitors/erased-visitors.ts'
import { visitorsModule } from './modules/visitors/module.ts'
import { webhooksModule } from './modules/webhooks/module.ts'
import type { AdministerDeps } from './modules/workspaces/administer-workspaces.ts'
import { FIRST_WORKSPACE_ID } from './modules/workspaces/bootstrap.ts'
import { workspacesModule } from './modules/workspaces/module.ts'
import { renewSecret, type SecretKeys, secretBox } from './platform/crypto/secret-box.ts'
import { PRIVATE_NETWORKS } from './platform/mail/mail-host.ts'
import type { SmtpDeps } from './platform/mail/open-smtp.ts'
import { NO_NETWORKS } from './platform/net/address-guard.ts'
import { createGuardedClient, type GuardedClient } from './platform/net/guarded-client.ts'
import { createHostResolver } from './platform/net/host-lookup.ts'
import { judgeUrl } from './platform/net/judge-url.ts'
import { createResolver } from './platform/net/resolver.ts'
import { createTxtResolver } from './platform/net/txt-lookup.ts'
import type { ConsumerGroup } from './platform/outbox/consumer-group.ts'
import type { Use } from './platform/problem.ts'
import { VERSION } from './version.ts'

/** Puts the modules together: the one place that knows all of them. */
export function composeModules(deps: ComposeDeps): Module[] {
  const { config, pools } = deps
  const intake = createIntakeWriter({ sql: pools.sql, onCommitted: deps.onCommitted })
  const retention = { eventsDays: config.eventsRetentionDays, outboxDays: config.outboxRetentionDays }
  const { sql } = pools
  const mailer = systemMailer(deps)
  const tally = createTrackerTally(sql, deps)
  const forms = formsOfPeople({ keys: deps.keys, secrets: secretBox(deps.keys) })
  const browsers = {
    intake: createBrowserIntake({ sql, onCommitted: deps.onCommitted }),
    erased: createErasedVisitors(sql),
    isHttps: config.appUrl?.protocol === 'https:',
    onDropped: deps.onCollectDropped ?? (() => undefined),
  }
  const sending = composeSending(deps, { mail: mailDeps(deps), mailer, judgeUrl: endpointParts(deps).judgeUrl })
  const modules: readonly Module[] = [
    workspacesModule({ sql, furnish: (workspaceId) => furnishWorkspace(deps, workspaceId) }),
    membersModule({ sql, mailer, appUrl: config.appUrl }),
    secondFactorModule({ sql, mailer, secrets: secretBox(deps.keys), appUrl: config.appUrl }),
    systemMailModule(systemSender(deps)),
    accountModule({ sql, mailer }),
    pagesModule({ sql, mailer, secrets: secretBox(deps.keys), appUrl: config.appUrl }),
    mailboxModule({ sql }),
    dashboardModule({ sql, appUrl: config.appUrl, onError: deps.onError }),
    browserScriptsModule(),
    guidesModule(),
    authModule({ sql, appUrl: config.appUrl }),
    oauthModule({
      ...{ sql, keys: deps.keys, client: strangersClient(config) },
      ...{ secrets: secretBox(deps.keys), baseUrl: baseUrlOf(config) },
    }),
    auditModule({ sql, keys: deps.keys, edition: config.edition }),
    idempotencyModule({ sql, answers: secretBox(deps.keys) }),
    eventsModule({ sql, pool: pools.pgx, intake, retention }),
    contactsModule({
      sql,
      segmentFilter: segmentMembers,
      onCreated: askNewContacts,
    }),
    consentsModule({ sql }),
    customFieldsModule({
      sql,
      pool: pools.pgx,
      async onKeyChange(...change) {
        await refuseRename(...change)
        await renameFieldInSegments(...change)
        await renameFieldInForms(...change)
      },
      usedBy: usersOfField,
    }),
    tagsModule({
      sql,
      pool: pools.pgx,
      async onRename(...change) {
        await refuseTagRename(...change)
        await renameTagInSegments(...change)
        await renameTagInForms(...change)
        await renameTagInImports(...change)
        await renameTagInBulkActs(...change)
      },
      onDelete: noteTagInImports,
      usedBy: usersOfTag,
    }),
    bulkActsModule({
      sql,
      pool: pools.pgx,
      segmentFilter: segmentMembers,
      eraseSome: createEraseSome({ forms, enqueueSweep }),
    }),
    topicsModule({ sql, pool: pools.pgx, usedBy: usersOfTopic }),
    trackersModule({ sql, limits: config.collectLimits, tally }),
    identityModule({
      ...{ sql, pool: pools.pgx, secrets: secretBox(deps.keys), tally, onCreated: askNewContacts },
      ...{
        markAliases: createMarks(deps.keys),
        linkKeys: createLinkKeys({ sql, keys: deps.keys }),
        isHttps: config.appUrl?.protocol === 'https:',
        limit: config.collectLimits.identify,
        onCapped: () => deps.onCollectDropped?.(1, 'contacts_limit'),
      },
    }),
    visitorsModule({
      ...{ sql, pool: pools.pgx, tally, anonymousDays: config.anonymousRetentionDays, forgetBrowser },
      ...browsers,
    }),
    segmentIntakeModule({
      ...{ sql, tally, secrets: secretBox(deps.keys), markAliases: createMarks(deps.keys), ...browsers },
      nameVisitor: createVisitorNames(deps.keys),
      limits: config.collectLimits,
    }),
    personalDataModule({
      sql,
      pool: pools.pgx,
      forms,
    }),
    importsModule({
      sql,
      pool: pools.pgx,
      segmentFilter: segmentMembers,
    }),
    sendingDomainsModule({ ...sendingDomainParts(deps), pool: pools.pgx, mailer }),
    segmentsModule({ sql, usedBy: usersOfSegment }),
    suppressionModule({ sql }),
    restorationModule({
      ...{ sql, pool: pools.pgx, isCopy: config.copy, version: VERSION },
      groups: () => modules.flatMap(({ consumers = [] }) => consumers),
    }),
    backupsModule({ sql, secrets: secretBox(deps.keys), directory: config.backupDir, files: deps.backupFiles }),
    feedbackModule({ ...feedbackParts(deps), sql, pool: pools.pgx }),
    ...sending,
    integrationsModule({ ...endpointParts(deps), pool: pools.pgx, mail: mailDeps(deps), client: deps.client }),
    webhooksModule({
      ...endpointParts(deps),
      pool: pools.pgx,
      client: deps.client,
      usedBy: automationsCallingEndpoint,
      onAttempt: deps.onAttempt,
      onUnrecorded: deps.onUnrecorded ?? (() => undefined),
      onParked: deps.onParked ?? (() => undefined),
      onError: deps.onError,
    }),
  ]
  const tools = modules.flatMap((module) => module.tools ?? [])
  return [...modules, mcpModule({ ...agentParts(deps), tools })]
}

function agentParts({ config, onAgentCall = () => undefined, onError }: ComposeDeps) {
  const origins = { appUrl: config.appUrl, allowed: config.mcpAllowedOrigins }
  return { origins, version: VERSION, onCall: onAgentCall, onError }
}

/** Everything that a segment has a part in, named for a person. */
const usersOfSegment = async (...asked: Parameters<typeof broadcastsUsingSegment>): Promise<Use[]> => [
  ...(await broadcastsUsingSegment(...asked)),
  ...(await automationsUsingSegment(...asked)),
]

/** Everything that names a tag and would mean others without it, named for a person. */
const usersOfTag = async (...asked: Parameters<typeof segmentsNamingTag>): Promise<Use[]> => [
  ...(await segmentsNamingTag(...asked)),
  ...(await automationsNamingTag(...asked)),
  ...(await formsNamingTag(...asked)),
]

/** Everything that names a topic and would mail others without it, named for a person. */
const usersOfTopic = async (...asked: Parameters<typeof segmentsNamingTopic>): Promise<Use[]> => [
  ...(await segmentsNamingTopic(...asked)),
  ...(await automationsNamingTopic(...asked)),
]

/** Everything that names a custom field by its key and would go wrong without it, named for a person. */
const usersOfField = async (...asked: Parameters<typeof segmentsNamingField>): Promise<Use[]> => [
  ...(await segmentsNamingField(...asked)),
  ...(await automationsNamingField(...asked)),
  ...(await formsNamingField(...asked)),
]

/** A new workspace can send to the mailbox at once, where there is one. A failure here the next start makes good. */
async function furnishWorkspace({ pools, keys, catcher, onError }: ComposeDeps, workspaceId: string): Promise<void> {
  if (catcher === undefined) return
  const mailbox = { sql: pools.sql, secrets: secretBox(keys), address: catcher }
  await ensureMailbox(mailbox, workspaceId).catch(onError)
}

type MailParts = Pick<ComposeDeps, 'config' | 'keys'>

/** The way for modules and commands to write to people. */
function systemMailer({ config, keys }: MailParts): SystemMailer {
  return createSystemMailer({
    secrets: secretBox(keys),
    sends: config.systemSmtp !== undefined && !config.copy,
    baseUrl: baseUrlOf(config),
  })
}

function systemSender({ config, keys, pools, catcher }: Pick<ComposeDeps, 'config' | 'keys' | 'pools' | 'catcher'>) {
  return {
    pool: pools.pgx,
    secrets: secretBox(keys),
    // A relay of the operator's own may stand anywhere in their network.
    smtp: { ...mailDeps({ config, catcher }), allow: PRIVATE_NETWORKS },
    server: config.copy ? undefined : config.systemSmtp,
    from: config.systemMailFrom ?? 'postroom@localhost',
  }
}

function feedbackParts({ config, keys, pools, client, onError, ...told }: ComposeDeps) {
  return {
    ...{ keys, client, onError },
    onFeedback: told.onFeedback ?? (() => undefined),
    onMail: told.onReturnedMail ?? (() => undefined),
    unsubscribes: {
      read: createUnsubscribeAddresses({ keys, bounceDomain: config.bounceDomain ?? null }).read,
      stop: (message: MessageKey) => unsubscribeByMail(pools.sql, message),
    },
    secrets: secretBox(keys),
    bounceDomain: config.bounceDomain ?? null,
    bounceAddress: config.bounceAddress,
    retentionDays: config.messagesRetentionDays,
  }
}

/** The guarded way out, as the settings allow it; a copy has none. */
export function outgoingClient(config: Config): GuardedClient {
  if (config.copy) return NO_WAY_OUT
  const resolve = resolverOf(config)
  return createGuardedClient({ allow: config.webhookAllowNetworks, resolve })
}

/** Requests at once to addresses that strangers name. They wait for each other, and no webhook and no mail for them. */
const STRANGERS_CONNECTIONS_MAX = 8

/** The way to those: to public addresses alone, whatever the settings allow the owners of webhooks. */
function strangersClient(config: Config): GuardedClient {
  if (config.copy) return NO_WAY_OUT
  const resolve = resolverOf(config)
  return createGuardedClient({ allow: NO_NETWORKS, resolve, connectionsMax: STRANGERS_CONNECTIONS_MAX })
}

const NO_WAY_OUT: GuardedClient = {
  async send() {
    return { outcome: 'refused', reason: 'private', message: 'nothing leaves a copy', durationMs: 0 }
  },
  close: async () => undefined,
}

function resolverOf(config: Config) {
  return createResolver(config.dnsServers ? { servers: config.dnsServers } : {})
}

/** The way to mail servers, as the settings allow it; that of a copy leads to the mailbox alone. */
function mailDeps({ config, catcher }: Pick<ComposeDeps, 'config' | 'catcher'>): SmtpDeps {
  const hostname = config.appUrl?.hostname
  return {
    allow: config.smtpAllowNetworks,
    resolve: resolverOf(config),
    ...(hostname?.includes('.') && isIP(hostname) === 0 ? { clientName: hostname } : {}),
    ...(config.copy ? { only: catcher ?? null } : {}),
  }
}

type EndpointParts = { config: Config; pools: Pools; keys: SecretKeys }

function endpointParts({ config, pools, keys }: EndpointParts) {
  const resolve = resolverOf(config)
  return {
    sql: pools.sql,
    secrets: secretBox(keys),
    judgeUrl: (url: string) => judgeUrl(url, { allow: config.webhookAllowNetworks, resolve }),
    endpointsMax: config.webhookEndpointsMax,
  }
}

function sendingDomainParts({ config, pools, keys }: EndpointParts) {
  const servers = config.dnsServers ? { servers: config.dnsServers } : {}
  return {
    sql: pools.sql,
    keyBox: { ...secretBox(keys), renew: (sealed: string, row: string) => renewSecret(sealed, keys, row) },
    resolveTxt: createTxtResolver(servers),
    resolveHosts: createHostResolver(servers),
    bounceDomain: config.bounceDomain?.toLowerCase() ?? null,
  }
}

/** Dependencies of the operations on people's accounts, for the command line. */
export function commandAccounts(parts: EndpointParts) {
  const mailer = systemMailer(parts)
  return { sql: parts.pools.sql, secrets: secretBox(parts.keys), mailer }
}

/** The operations on workspaces, for the command line. A new one gets a mailbox where the others have theirs. */
export function commandWorkspaces({ pools, keys }: EndpointParts): AdministerDeps {
  const { sql } = pools
  return {
    sql,
    async furnish(workspaceId) {
      const address = await storedAddress(sql, FIRST_WORKSPACE_ID)
      if (address !== undefined) await ensureMailbox({ sql, secrets: secretBox(keys), address }, workspaceId)
    },
  }
}

/** The operations on webhook endpoints, for the command line. */
export function commandEndpoints(parts: EndpointParts) {
  return endpointParts(parts)
}

/** Every consumer group, for replaying parked events from the command line. */
export function consumerGroups(parts: EndpointParts): ConsumerGroup[] {
  const nothing = () => undefined
  const client = outgoingClient(parts.config)
  const reports = { onAttempt: nothing, onCommitted: nothing, onError: nothing }
  return composeModules({ ...parts, client, ...reports }).flatMap((module) => [...(module.consumers ?? [])])
}
