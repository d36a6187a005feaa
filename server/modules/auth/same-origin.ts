import type { IncomingHttpHeaders } from 'node:http'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request with a cookie comes from our own pages. Browsers say so themselves, in `Sec-Fetch-Site` or `Origin`,
 * on everything that changes something; a program sends neither and has no cookie that it was not given.
 * `appOrigin` is the public origin where a proxy hides it from us.
 */
export function isSameOrigin(method: string, headers: IncomingHttpHeaders, appOrigin: string | undefined): boolean {
  if (SAFE_METHODS.has(method)) return true
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined) {
    if (origin === appOrigin) return true
    if (!URL.canParse(origin) || new URL(origin).host !== host) return false
  }
  return site === undefined || site === 'same-origin' || site === 'none'
}
