import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isBeyondIds } from '../../platform/schema/schemas.ts'

const SECRET_BYTES = 24
const FORM = /^([0-9]{1,19})-[A-Za-z0-9_-]{32}$/

/** How long key and secret before a rotation stay good. */
export const ROTATION_OVERLAP_HOURS = 24

/** A new key for a workspace's hooks: 192 random bits behind the workspace's id, which tells where to look it up. */
export function newHookKey(workspaceId: string): string {
  return `${workspaceId}-${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** The workspace that a key says it is of; undefined for what is none. */
export function workspaceOfKey(key: string): string | undefined {
  const workspaceId = FORM.exec(key)?.[1]
  return workspaceId === undefined || isBeyondIds(workspaceId) ? undefined : workspaceId
}

export function hookKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

export function isKey(key: string, stored: Buffer | null): boolean {
  return stored !== null && timingSafeEqual(hookKeyHash(key), stored)
}
