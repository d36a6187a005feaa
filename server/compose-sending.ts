import type pg from 'pg'
import type { ComposeDeps } from './compose-deps.ts'
import type { Config } from './config.ts'
import { freezeBroadcast } from './modules/approvals/acts/broadcast-act.ts'
import { judgeAtStart } from './modules/approvals/judge-at-start.ts'
import { judgeFrozen } from './modules/approvals/judge-frozen.ts'
import { approvalsModule } from './modules/approvals/module.ts'
import { assetsModule } from './modules/assets/module.ts'
import { createLiveTestPlayer } from './modules/automations/live-test/live-test-player.ts'
import { automationsModule } from './modules/automations/module.ts'
import { automationSource } from './modules/automations/run/automation-source.ts'
import { createScenarioPlayer } from './modules/automations/scenarios/scenario-player.ts'
import { broadcastsModule } from './modules/broadcasts/module.ts'
import { requireReady } from './modules/broadcasts/preflight/preflight.ts'
import { broadcastSource } from './modules/broadcasts/run/broadcast-source.ts'
import type { StartDeps } from './modules/broadcasts/run/start-broadcast.ts'
import { confirmationSource } from './modules/confirmations/confirmation-source.ts'
import { confirmationsModule } from './modules/confirmations/module.ts'
import { emailSource } from './modules/emails/email-source.ts'
import { emailsModule } from './modules/emails/module.ts'
import { createReturnPaths } from './modules/feedback/return-path.ts'
import { confirmationsOfForms } from './modules/forms/confirmations-of-forms.ts'
import { formsModule } from './modules/forms/module.ts'
import { createBindConfirmed } from './modules/identity/bind-confirmed.ts'
import { createMarks } from './modules/identity/claims.ts'
import { createLandings } from './modules/identity/land-visitor.ts'
import type { SendingIntegration } from './modules/integrations/sending-integration.ts'
import { isCatcher } from './modules/mailbox/catcher-address.ts'
import { mailboxIntegration, storedSender } from './modules/mailbox/mailbox-integration.ts'
import type { Module } from './modules/module.ts'
import { movingModule } from './modules/moving/module.ts'
import { overviewModule } from './modules/overview/module.ts'
import { pacingModule } from './modules/pacing/module.ts'
import { savedBlocksModule } from './modules/saved-blocks/module.ts'
import { createMessageIds } from './modules/sending/ledger/message-ids.ts'
import type { MessageSource, SourceKind } from './modules/sending/message-source.ts'
import { sendingModule } from './modules/sending/module.ts'
import { createTransports } from './modules/sending/transports/transports.ts'
import { submissionModule } from './modules/submission/module.ts'
import type { SystemMailer } from './modules/system-mail/system-mailer.ts'
import { type CompiledCache, createCompiledCache } from './modules/templates/compiled-cache.ts'
import { templatesModule } from './modules/templates/module.ts'
import { createLinkKeys } from './modules/tracking/link-keys.ts'
import { createMessageLinks, lookingLinks } from './modules/tracking/message-links.ts'
import { trackingModule } from './modules/tracking/module.ts'
import { unsubscribesModule } from './modules/unsubscribes/module.ts'
import { createUnsubscribeAddresses } from './modules/unsubscribes/unsubscribe-address.ts'
import { secretBox } from './platform/crypto/secret-box.ts'
import type { SmtpDeps } from './platform/mail/open-smtp.ts'
import type { UrlJudgement } from './platform/net/judge-url.ts'

type SendingParts = { mail: SmtpDeps; mailer: SystemMailer; judgeUrl: (url: string) => Promise<UrlJudgement> }

/**
 * Puts together what makes, sends and follows mail. `mail` is the way to mail servers, as the settings allow it, `mailer`
 * that to the people of workspaces, `judgeUrl` says which addresses may be asked.
 */
export function composeSending(deps: ComposeDeps, { mail, mailer, judgeUrl }: SendingParts): Module[] {
  const { config, pools, keys, client, onError } = deps
  const { sql, pgx: pool } = pools
  const secrets = secretBox(keys)
  const baseUrl = baseUrlOf(config)
  const retentionDays = config.messagesRetentionDays
  const compiled = createCompiledCache()
  const linkKeys = createLinkKeys({ sql, keys })
  const links = createMessageLinks({ keys: linkKeys, baseUrl })
  const staysHere = (integration: SendingIntegration) => isCatcher(deps.catcher, integration)
  const sender = { secrets, isCatcher: staysHere, ...(config.copy ? { instead: mailboxIntegration } : {}) }
  const sources = [
    broadcastSource({ compiled, links }),
    emailSource({ sql: pool, compiled, links }, 'email'),
    emailSource({ sql: pool, compiled, links }, 'test'),
    confirmationSource({ keys: linkKeys, baseUrl, ofForms: confirmationsOfForms }),
    automationSource({ compiled, links }),
  ]
  const planning = { ...{ sql, pool, compiled, baseUrl }, ...sender, play: createScenarioPlayer() }
  const judging = {
    pool,
    planOf: (key: { workspaceId: string; id: string }) => freezeBroadcast(planning, key, ['scheduled']),
  }
  return [
    templatesModule({ sql, pool, compiled }),
    assetsModule({ sql, baseUrl }),
    savedBlocksModule({ sql, compiled }),
    overviewModule({ sql }),
    pacingModule({ pool }),
    emailsModule({ sql, compiled, sender, retentionDays, shown: shownSources(sql, compiled, baseUrl) }),
    submissionModule({
      ...{ sql, sender, onError },
      onSubmission: deps.onSubmission ?? (() => undefined),
      setting: config.submission,
      limits: config.rateLimits,
    }),
    automationsModule({
      ...{ ...planning, onError, mailer, retentionDays: config.eventsRetentionDays },
      playLiveTest: createLiveTestPlayer(),
    }),
    broadcastsModule({
      ...planning,
      client,
      eventsDays: config.eventsRetentionDays,
      mayStart: (key, at) => judgeAtStart(judging, key, at),
      judgeFrozen: judgeFrozen(sender),
    }),
    approvalsModule({ ...planning, appUrl: baseUrl }),
    movingModule({ sql, pool, compiled, secrets, client, judgeUrl }),
    unsubscribesModule({ sql, keys: linkKeys }),
    confirmationsModule({ sql, pool, keys: linkKeys }),
    formsModule({
      ...{ sql, pool, keys, secrets, linkKeys, baseUrl, mailer },
      bindVisitor: createBindConfirmed({ markAliases: createMarks(keys) }),
    }),
    trackingModule({
      ...{ sql, pool, keys, linkKeys, retentionDays, onError },
      addressOf: createLandings({ sql, keys: linkKeys }),
      onLostHits: deps.onLostHits ?? (() => undefined),
    }),
    sendingModule({
      ...{ pool, sources, retentionDays, onError },
      ...sender,
      transports: createTransports({ mail, client, onError }),
      returnPathOf: createReturnPaths({ keys, bounceDomain: config.bounceDomain ?? null }).of,
      unsubscribeAddressOf: createUnsubscribeAddresses({ keys, bounceDomain: config.bounceDomain ?? null }).of,
      messageIdOf: createMessageIds({ keys }).of,
      onRecorded: deps.onRecorded ?? (() => undefined),
      onUnrecorded: deps.onUnrecorded ?? (() => undefined),
    }),
  ]
}

/** The sources of messages, for those who only look at them. */
function shownSources(sql: pg.Pool, compiled: CompiledCache, baseUrl: URL): ReadonlyMap<SourceKind, MessageSource> {
  const looking = { sql, compiled, links: lookingLinks(baseUrl) }
  const sources = [
    broadcastSource(looking),
    emailSource(looking, 'email'),
    emailSource(looking, 'test'),
    automationSource(looking),
  ]
  return new Map(sources.map((source) => [source.kind, source]))
}

/** Where people reach the service, with a slash at its end. */
export function baseUrlOf(config: Config): URL {
  const base = config.appUrl ?? new URL(`http://localhost:${config.port}/`)
  return new URL(base.href.replace(/\/?$/, '/'))
}

/** Lends the operations that start broadcasts what they judge a broadcast by, beside the service that will send it. */
export async function withBroadcastDeps<T>(
  { config, pools, keys }: Pick<ComposeDeps, 'config' | 'pools' | 'keys'>,
  workspaceId: string,
  work: (deps: StartDeps) => Promise<T>,
): Promise<T> {
  const { sql } = pools
  const sender = await storedSender({ sql, secrets: secretBox(keys), isCopy: config.copy }, workspaceId)
  const parts = { sql, ...sender, compiled: createCompiledCache(), baseUrl: baseUrlOf(config) }
  return work({ ...parts, requireReady: (key, expected) => requireReady(parts, key, expected) })
}
