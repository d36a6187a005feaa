import { untrustedText } from '../../platform/untrusted-text.ts'
import { isAcceptableRedirect } from './redirect-uri.ts'

/** A program that asks to be connected, as it describes itself. */
export type Client = {
  id: string
  name: string
  redirectUris: readonly string[]
  /** Where its description is published, under its own name; null when it only told us. */
  host: string | null
}

export type Described = Pick<Client, 'name' | 'redirectUris'>
export type Reading =
  | { outcome: 'read'; described: Described }
  | { outcome: 'refused'; error: 'invalid_redirect_uri' | 'invalid_client_metadata'; words: string }

export const NAME_CHARS_MAX = 80
export const REDIRECT_URIS_MAX = 10
const NAMELESS = 'A program without a name'

/**
 * Reads how a client describes itself (RFC 7591 section 2). Fields that we know nothing of are passed over, as its section 3.1 has it. Its
 * name is shown to people, so without characters that cannot be seen and with links that are none.
 */
export function readClientMetadata(given: unknown): Reading {
  const { client_name: name, redirect_uris: uris, ...more } = Object(given) as Record<string, unknown>
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX)
    return refused('invalid_redirect_uri', `redirect_uris has to be a list of 1 to ${REDIRECT_URIS_MAX}.`)
  const bad = uris.find((uri) => typeof uri !== 'string' || !isAcceptableRedirect(uri))
  if (bad !== undefined)
    return refused('invalid_redirect_uri', 'Each redirect is https, or http on the own machine, and has no fragment.')
  if (!includes(more.grant_types, 'authorization_code') || !includes(more.response_types, 'code'))
    return refused('invalid_client_metadata', 'The grant type is authorization_code, the response type code.')
  const shown = typeof name === 'string' ? untrustedText(name, NAME_CHARS_MAX).trim() : ''
  return { outcome: 'read', described: { name: shown || NAMELESS, redirectUris: uris as string[] } }
}

function includes(list: unknown, word: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(word))
}

function refused(error: (Reading & { outcome: 'refused' })['error'], words: string): Reading {
  return { outcome: 'refused', error, words }
}
