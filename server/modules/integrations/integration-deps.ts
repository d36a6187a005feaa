import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { MailHost } from '../../platform/mail/mail-host.ts'
import { judgeAddress, NO_NETWORKS } from '../../platform/net/address-guard.ts'
import { JUDGE_LOOKUP_TIMEOUT_MS, type UrlJudgement } from '../../platform/net/judge-url.ts'
import type { IntegrationKey } from './integration-secrets.ts'
import type { Settings } from './integration-settings.ts'

/** Dependencies of the operations on integrations. */
export type IntegrationDeps = {
  sql: pg.Pool
  secrets: SecretBox
  /** Judges a mail server's host as connecting to it would. */
  lookUpMailHost: (host: string, timeoutMs: number) => Promise<MailHost>
  /** Judges an HTTP endpoint as a request to it would. */
  judgeUrl: (url: string) => Promise<UrlJudgement>
  /** Has the provider's quota read soon, in the caller's transaction. */
  requestQuota: (tx: Transaction, key: IntegrationKey) => Promise<void>
}

/** Throws a 422 for a server that would be refused when it is used; one whose name servers do not answer is judged then. */
export async function requireReachable(
  deps: Pick<IntegrationDeps, 'lookUpMailHost' | 'judgeUrl'>,
  settings: Settings,
): Promise<void> {
  if (settings.kind === 'smtp') {
    const found = await deps.lookUpMailHost(settings.host, JUDGE_LOOKUP_TIMEOUT_MS)
    if (found.outcome !== 'refused') return
    throw unprocessable([{ pointer: '/config/host', detail: 'is at an address that mail may not be handed to' }])
  }
  if (settings.endpoint === null) return
  const fault = await endpointFault(deps, settings.endpoint)
  if (fault) throw unprocessable([{ pointer: '/config/endpoint', detail: fault }])
}

async function endpointFault(deps: Pick<IntegrationDeps, 'judgeUrl'>, endpoint: string): Promise<string | undefined> {
  const judgement = await deps.judgeUrl(endpoint)
  if (judgement.outcome === 'refused') return judgement.message
  const { protocol, hostname } = new URL(endpoint)
  if (protocol === 'https:') return undefined
  // Allowed, and not public: it stands in a network that the operator exempts. Nowhere else plain http is spoken.
  const verdict = judgeAddress(hostname.replace(/^\[|\]$/g, ''), NO_NETWORKS)
  const exempt = verdict.outcome === 'refused' && verdict.reason !== 'not_an_address'
  return exempt ? undefined : 'must begin with https://'
}
