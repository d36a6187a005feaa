import { namesOf, OURS, read, remove, write } from './storage.ts'

/*
 * The visitor id: a random one in a cookie of this host, mirrored in localStorage, where it outlives browsers that shorten
 * the life of cookies that scripts set. It is read anew for each use: another tab may have changed or deleted it.
 */

const NAME = `${OURS}vid`
/** 180 days, from the last page view. */
const KEPT_SECONDS = 15_552_000

/** 128 random bits as hexadecimal digits; `crypto.randomUUID` is missing where there is no https. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The visitor's id, or an empty text. */
export const knownVisitor = (): string => /(?:^|; )pr_vid=([\w-]+)/.exec(document.cookie)?.[1] ?? read(NAME)

/** The visitor's id; a new one unless there is one. Asked only when one may be stored. */
export const visitor = (): string => knownVisitor() || keepVisitor(randomId())

export function keepVisitor(id: string): string {
  writeCookie(id, KEPT_SECONDS)
  write(NAME, id)
  return id
}

/** Deletes everything of ours in this browser. */
export function wipe(): void {
  if (knownVisitor()) writeCookie('', 0)
  namesOf(OURS).forEach(remove)
}

function writeCookie(id: string, seconds: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that we serve.
  document.cookie = `${NAME}=${id}; Path=/; SameSite=Lax; Max-Age=${seconds}${secure}`
}
