import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const PASSWORD_BYTES = 24
const USERNAME = /^workspace-([1-9][0-9]{0,18})$/

export type MailboxLogin = { username: string; password: string }

export function makeLogin(workspaceId: string): MailboxLogin {
  return { username: `workspace-${workspaceId}`, password: randomBytes(PASSWORD_BYTES).toString('base64url') }
}

/** Fast by choice: the password is random and long, nobody guesses it. */
export function passwordHash(password: string): Buffer {
  return hash('sha256', password, 'buffer')
}

/** The workspace a user name stands for; undefined for any other name. */
export function workspaceOf(username: string): string | undefined {
  return USERNAME.exec(username)?.[1]
}

export function isRight(password: string, stored: Buffer): boolean {
  return timingSafeEqual(passwordHash(password), stored)
}
