import type { Click } from './message-links.ts'

/** The address that a click leads to, with what its page is to know. Soon there, and never rejected. */
export type AddressOfClick = (click: Pick<Click, 'workspaceId' | 'messageId' | 'url'>) => Promise<string>
