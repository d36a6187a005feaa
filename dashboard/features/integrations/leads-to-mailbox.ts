import type { Integration } from '../../lib/site-types.ts'

/** The built-in mail server signs as it; it exists nowhere else, and nobody can verify it. */
export const MAILBOX_DOMAIN = 'postroom.localhost'

/** Whether mail through it ends in the mailbox of this machine. */
export function leadsToMailbox({ provider, config }: Integration): boolean {
  return provider === 'smtp' && config.from.endsWith(`@${MAILBOX_DOMAIN}`)
}
