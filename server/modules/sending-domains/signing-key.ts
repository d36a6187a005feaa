import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { privateKeyRow } from './dkim-key.ts'
import { type KeyRow, keysOfDomainNamedStatement } from './queries.ts'

/** The key that signs mail from a domain (RFC 6376): `d=` the domain, `s=` the selector. */
export type SigningKey = { domain: string; selector: string; privateKey: KeyObject }

export type SigningDomain = {
  workspaceId: string
  domain: string
  /** For mail that cannot leave this machine: a key signs it whether or not the world can look it up. */
  staysHere?: boolean
}

/**
 * The key that mail from exactly this domain is signed with; undefined when none of its keys is verified, so that such
 * mail is not to be sent.
 */
export async function signingKeyFor(
  tx: Transaction,
  keyBox: Pick<SecretBox, 'open'>,
  { workspaceId, domain, staysHere = false }: SigningDomain,
): Promise<SigningKey | undefined> {
  const { rows } = await tx.query(keysOfDomainNamedStatement(workspaceId, domain))
  const key = signingKeyOf(rows) ?? (staysHere ? rows.find(({ role }) => role === 'current') : undefined)
  if (key === undefined) return undefined
  const pem = keyBox.open(key.privateKey, privateKeyRow(workspaceId, key.id))
  return { domain, selector: key.selector, privateKey: createPrivateKey(pem) }
}

/**
 * Of a domain's keys the one that signs: the current one when it is verified, else the latest that retires and is still
 * published. The next key never signs: it becomes the current one the moment it is verified.
 */
export function signingKeyOf<K extends Pick<KeyRow, 'role' | 'verifiedAt'>>(keys: readonly K[]): K | undefined {
  const verified = keys.filter((key) => key.verifiedAt !== null)
  return verified.find(({ role }) => role === 'current') ?? verified.findLast(({ role }) => role === 'retiring')
}
