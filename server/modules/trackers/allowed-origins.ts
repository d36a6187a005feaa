/** A host may begin with `*.`, which stands for one label or more. */
const ANY_SUBDOMAIN = '*.'
const ORIGIN_CHARS_MAX = 300

/** An origin as browsers send it, `https://shop.example` or `https://*.shop.example`; undefined for what is none. */
export function readAllowedOrigin(text: string): string | undefined {
  const given = text.trim()
  const url = given.length <= ORIGIN_CHARS_MAX ? URL.parse(given) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  const { hostname, pathname, search, hash, username, password } = url
  if (pathname !== '/' || search !== '' || hash !== '' || username !== '' || password !== '') return undefined
  const host = hostname.startsWith(ANY_SUBDOMAIN) ? hostname.slice(ANY_SUBDOMAIN.length) : hostname
  // A star for a whole top level would be a list that allows nearly everybody and looks as if it did not.
  if (host.includes('*') || (host !== hostname && !host.includes('.'))) return undefined
  return url.origin
}

/** Whether a page of the origin may record: with a list, one that is not told is not on it. */
export function isOriginAllowed(allowed: readonly string[], origin: string | undefined): boolean {
  if (allowed.length === 0) return true
  if (origin === undefined) return false
  const given = origin.toLowerCase()
  return allowed.some((one) => one === given || isBelow(one, given))
}

function isBelow(allowed: string, given: string): boolean {
  const star = allowed.indexOf(ANY_SUBDOMAIN)
  if (star === -1) return false
  const scheme = allowed.slice(0, star)
  const end = allowed.slice(star + 1)
  return given.startsWith(scheme) && given.endsWith(end) && given.length > scheme.length + end.length
}
