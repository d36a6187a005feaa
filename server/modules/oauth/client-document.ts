import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { type Client, readClientMetadata } from './client-metadata.ts'

const DEADLINE_MS = 5_000
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
/** Ways to show a secret that two parties know, which a public document cannot have. */
const PUBLIC = new Set([undefined, 'none'])

export type FoundClient = { outcome: 'found'; client: Client } | { outcome: 'unknown'; words: string }

/** Whether an id is the address of a client's description (draft-ietf-oauth-client-id-metadata-document, section 3). */
export function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || !URL.canParse(id)) return false
  const { href, pathname, username, password } = new URL(id)
  return href === id && pathname !== '/' && !id.includes('#') && username === '' && password === ''
}

/**
 * Fetches how a client describes itself from the address that is its id, through the guarded client: no redirect is followed and no
 * private address asked. The description has to name itself by that very address.
 */
export async function readClientDocument(client: GuardedClient, id: string): Promise<FoundClient> {
  const headers = { accept: 'application/json', 'user-agent': 'Postroom' }
  const answer = await client.send({ method: 'GET', url: id, headers, deadlineMs: DEADLINE_MS, wholeAnswer: true })
  const { host } = new URL(id)
  if (answer.outcome !== 'answered' || answer.status !== 200)
    return unknown(`Its description could not be fetched from ${host}.`)
  const document = JSON_TYPE.test(String(answer.headers?.['content-type'])) ? parsed(answer.bodyExcerpt) : undefined
  if (document?.client_id !== id) return unknown(`The description at ${host} is none of it.`)
  if (!PUBLIC.has(document.token_endpoint_auth_method as string | undefined))
    return unknown('Only clients without a secret of their own (token_endpoint_auth_method none) can be connected.')
  const reading = readClientMetadata(document)
  if (reading.outcome === 'refused') return unknown(reading.words)
  return { outcome: 'found', client: { id, ...reading.described, host } }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function unknown(words: string): FoundClient {
  return { outcome: 'unknown', words }
}
