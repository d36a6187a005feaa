import { DAY_SECONDS } from '../../platform/durations.ts'
import type { LinkKey, LinkKeys } from '../tracking/link-keys.ts'
import { makeToken, readToken } from '../tracking/link-token.ts'
import { LINK_PATHS } from '../tracking/message-links.ts'

/** How long a filled-in form waits for its confirmation; after that it is erased. */
export const SIGN_UP_DAYS = 7

export type SignUpLink = { workspaceId: string; submissionId: string }

/** Below the service's address. Nothing in it tells anything to whom it is not for. */
export function signUpPath(key: LinkKey, { workspaceId, submissionId }: SignUpLink): string {
  return `${LINK_PATHS.signUp}/${makeToken(key, 'sign-up', [workspaceId, submissionId])}`
}

export async function signUpLinkOf(keys: LinkKeys, token: string): Promise<SignUpLink | undefined> {
  const [workspaceId, submissionId] = (await readToken(keys, 'sign-up', token)) ?? []
  return workspaceId === undefined || submissionId === undefined ? undefined : { workspaceId, submissionId }
}

export function isOver(createdAt: string, nowMs: number): boolean {
  return nowMs >= Date.parse(createdAt) + SIGN_UP_DAYS * DAY_SECONDS * 1_000
}
