import type { SendingSource } from '../sending/ledger/refusal.ts'
import { type LinkKey, type LinkKeys, passingKey } from './link-keys.ts'
import { makeToken, TOKEN_TEXT_BYTES_MAX } from './link-token.ts'

/** A message that links are made for. Ids are decimal strings. */
export type LinkedMessage = {
  workspaceId: string
  messageId: string
  contactId: string | null
  destination: string
  /** The mail that its unsubscribe link stops. */
  sendingSource: SendingSource
}

/** The links of one message. The same message always has the same links. */
export type MessageLinks = {
  /** Address of the picture that tells us when the message is opened; null: there is none. */
  openUrl: string | null
  /** For RFC 8058's headers and for people: GET shows a page, POST unsubscribes. */
  unsubscribeUrl: string
  preferencesUrl: string
  /**
   * Address that leads to `destination` by way of us. `link` is its position in the message's template, 0 to 32767: the
   * same for every recipient, whatever is merged into the destination. An address that is not http(s), leads to us already or
   * is too long for a path comes back as it is.
   */
  clickUrl(destination: string, link: number): string
}

export type TrackedLinks = MessageLinks & { openUrl: string }

export type MessageLinkMaker<Links extends MessageLinks = MessageLinks> = {
  /** Before `of`, at the beginning of a turn. */
  ready(): Promise<void>
  /** Synchronous, a few microseconds a link; a link that is not asked for costs nothing. */
  of(message: LinkedMessage): Links
}

/** Where each kind of link leads, below the service's address. */
export const LINK_PATHS = {
  open: 'e/o',
  click: 'e/c',
  unsubscribe: 'e/u',
  preferences: 'e/p',
  confirm: 'e/confirm',
  signUp: 'e/s',
} as const

const HTTP = /^https?:\/\//i

/** `baseUrl` is where people reach the service, with a slash at its end. */
export function createMessageLinks({
  keys,
  baseUrl,
}: {
  keys: LinkKeys
  baseUrl: URL
}): MessageLinkMaker<TrackedLinks> {
  const base = baseUrl.href
  return {
    ready: () => keys.ready(),
    of: (message) => linksOf(message, keys.current(), base),
  }
}

/** Links as long as those that go out, for those who only measure. */
export function measuringLinks(baseUrl: URL): MessageLinkMaker<TrackedLinks> {
  const key = passingKey()
  return { ready: async () => undefined, of: (message) => linksOf(message, key, baseUrl.href) }
}

/** Token of a link that leads to a page which says so, and stops and counts nothing. */
export const TEST_TOKEN = 'test'

/**
 * Links for those who only look at a message: nothing that is done with them counts, or stops anything, and other links lead
 * straight where they lead.
 */
export function lookingLinks(baseUrl: URL): MessageLinkMaker {
  const at = (path: string) => `${baseUrl.href}${path}/${TEST_TOKEN}`
  const links: MessageLinks = {
    openUrl: null,
    unsubscribeUrl: at(LINK_PATHS.unsubscribe),
    preferencesUrl: at(LINK_PATHS.preferences),
    clickUrl: (url) => url,
  }
  return { ready: async () => undefined, of: () => links }
}

function linksOf(message: LinkedMessage, key: LinkKey, base: string): TrackedLinks {
  const { workspaceId, messageId, contactId, destination, sendingSource } = message
  let personal: string | undefined
  const person = () => {
    personal ??= makeToken(key, 'unsubscribe', [workspaceId, messageId, contactId ?? '', sendingSource, destination])
    return personal
  }
  return {
    get openUrl() {
      return `${base}${LINK_PATHS.open}/${makeToken(key, 'open', [workspaceId, messageId])}`
    },
    get unsubscribeUrl() {
      return `${base}${LINK_PATHS.unsubscribe}/${person()}`
    },
    get preferencesUrl() {
      return `${base}${LINK_PATHS.preferences}/${person()}`
    },
    clickUrl(url, link) {
      // White space inside an address is dropped by browsers, and a line break would end a part of the token.
      const target = url.trim().replaceAll(/[\t\r\n]/g, '')
      if (!HTTP.test(target) || target.startsWith(base) || !URL.canParse(target)) return url
      const parts = [workspaceId, messageId, String(link), target]
      if (Buffer.byteLength(parts.join('\n')) > TOKEN_TEXT_BYTES_MAX) return url
      return `${base}${LINK_PATHS.click}/${makeToken(key, 'click', parts)}`
    },
  }
}

/** The contents of a click's token. */
export type Click = { workspaceId: string; messageId: string; link: number; url: string }

export function clickOf([workspaceId = '', messageId = '', link, url = '']: readonly string[]): Click {
  return { workspaceId, messageId, link: Number(link), url }
}

/** The message that the token of an unsubscribe or preferences link names. */
export function linkedMessageOf(parts: readonly string[]): LinkedMessage {
  const [workspaceId = '', messageId = '', contactId, sendingSource, destination = ''] = parts
  return {
    workspaceId,
    messageId,
    contactId: contactId || null,
    sendingSource: sendingSource as SendingSource,
    destination,
  }
}
