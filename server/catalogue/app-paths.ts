/** Names below `/app` that are pages and files of their own; none of them is a workspace's slug. */
export const APP_PATHS = [
  'assets',
  'connect-agent',
  'forgot-password',
  'frame',
  'invitation',
  'login',
  'logout',
  'mailbox',
  'reset-password',
] as const

const TAKEN: ReadonlySet<string> = new Set(APP_PATHS)

export function isAppPath(name: string): boolean {
  return TAKEN.has(name)
}
