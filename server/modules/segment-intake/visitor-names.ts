import { createHmac } from 'node:crypto'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'

/** Ids by which libraries know people, and which others may know or guess: of a browser, or of the workspace's own. */
export type Known = { kind: 'anonymous' | 'user'; id: string }
/** The visitor of such an id, always the same, which nobody can name without the instance's key. */
export type NameVisitor = (workspaceId: string, known: Known) => string

const VISITOR_CHARS = 32

/**
 * Visitors that somebody can name they may bind by a form, or have forgotten: these are kept from all but the instance, whose
 * next key makes others of the same ids.
 */
export function createVisitorNames(keys: SecretKeys): NameVisitor {
  const [key] = derivedKeys(keys, 'postroom segment visitors')
  return (workspaceId, { kind, id }) =>
    createHmac('sha256', key)
      .update(JSON.stringify([workspaceId, kind, id]))
      .digest('hex')
      .slice(0, VISITOR_CHARS)
}
