/** Parts that look like an email address, however often its `@` is encoded, or like a JSON web token. */
const PRIVATE = /[^\s/?&=#]+(?:@|%(?:25)*40)[^\s/?&=#]+|eyJ[\w-]+\.[\w-]+\.[\w-]*/gi

/** A text without addresses and tokens. */
export const cleanText = (text: string): string => text.replace(PRIVATE, '*')

/**
 * An address as it may be recorded: without user, without query but `utm_*`, without fragment but the route of an
 * application that keeps it there, and without addresses and tokens.
 */
export function cleanUrl(href: string): string {
  if (!href) return href
  const { origin, pathname, search, hash } = new URL(href)
  const query = search
    .slice(1)
    .split('&')
    .filter((part) => /^utm_\w/.test(part))
    .join('&')
  const route = /^#!?\/[^?]*/.exec(hash) ?? ''
  return cleanText(origin + pathname + (query && `?${query}`) + route)
}
