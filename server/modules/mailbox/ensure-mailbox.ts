import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import { storeIntegration } from '../integrations/create-integration.ts'
import { moveServer } from '../integrations/move-server.ts'
import { makeDkimKey } from '../sending-domains/dkim-key.ts'
import { SELECTOR_DEFAULT, storeDomain } from '../sending-domains/manage-domains.ts'
import type { CatcherAddress } from './catcher-address.ts'
import { makeLogin, passwordHash } from './mailbox-login.ts'
import { hasDomain, insertMailbox, linkMailbox, moveMailboxes, workspacesWithoutMailbox } from './queries.ts'

/** RFC 6761 section 6.3: names under it exist on this machine only. Never verified: nobody can look its records up. */
const MAILBOX_DOMAIN = 'postroom.localhost'
const FROM_EMAIL = `hello@${MAILBOX_DOMAIN}`

export type MailboxDeps = { sql: pg.Pool; secrets: SecretBox; address: CatcherAddress }

/**
 * Gives every workspace that cannot send yet a mailbox, in a copy (`all`) every one, beside its own integrations. Any number
 * of processes may do so at once.
 */
export async function ensureMailboxes(deps: MailboxDeps, { all = false } = {}): Promise<void> {
  await followAddress(deps.sql, deps.address)
  for (const workspaceId of await workspacesWithoutMailbox(deps.sql, all))
    await ensureMailbox(deps, workspaceId, { isDefault: !all })
}

/** A mailbox, the integration that leads to it as the default, and a domain to send from: all of them or none. */
export async function ensureMailbox(
  { sql, secrets, address }: MailboxDeps,
  workspaceId: string,
  { isDefault = true } = {},
): Promise<void> {
  const pair = await makeDkimKey()
  const { username, password } = makeLogin(workspaceId)
  const caller = systemOf(workspaceId)
  await inTransaction(sql, workspaceId, async (tx) => {
    const isFirst = await insertMailbox(tx, { workspaceId, passwordHash: passwordHash(password), address })
    if (!isFirst) return
    const settings = {
      kind: 'smtp',
      ...address,
      tls: 'none',
      username,
      from: FROM_EMAIL,
      fromName: 'Postroom',
    } as const
    const integration = await storeIntegration(
      tx,
      { secrets, caller },
      {
        ...{ name: 'Mailbox', enabled: true, isDefault, maxPerSecond: null, maxPerDay: null },
        settings,
        secrets: { password },
      },
    )
    await linkMailbox(tx, workspaceId, integration.id)
    if (await hasDomain(tx, workspaceId, MAILBOX_DOMAIN)) return
    await storeDomain(tx, { keyBox: secrets, caller }, { domain: MAILBOX_DOMAIN, selector: SELECTOR_DEFAULT, pair })
  })
}

/** Integrations that led to the mailbox where it was lead to where it is; one that its owner has changed is left alone. */
async function followAddress(sql: pg.Pool, to: CatcherAddress): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    for (const { workspaceId, integrationId, from } of await moveMailboxes(tx, to)) {
      if (integrationId !== null) await moveServer(tx, systemOf(workspaceId), { id: integrationId, from, to })
    }
  })
}

function systemOf(workspaceId: string): AuditOrigin {
  const actor = { kind: 'system', id: null, name: null } as const
  return { workspaceId, actor, requestId: null, ip: null, userAgent: null }
}
