import type { Judgement } from './judgement.ts'
import { parseTagList } from './tag-list.ts'

/** Hash that our signatures use: a record that lists others only refuses them. */
const SIGNING_HASH = 'sha256'
const ESCAPED = /\\;|^"|"$/

type Tags = ReadonlyMap<string, string>

/**
 * Compares the TXT records at a key's name with the key (RFC 6376 section 3.6.1): the decoded key counts, not how the
 * record is spaced, ordered or split. `publicKey` is base64. Records that are no keys may stand beside it; two keys may
 * not, since receivers pick any (section 3.6.2.2).
 */
export function judgeDkim(records: readonly string[], publicKey: string): Judgement {
  const keys = records.filter(looksLikeKey)
  const [record] = keys
  if (record === undefined) {
    const detail =
      records.length === 0 ? 'There is no record at this name' : 'The records at this name are no DKIM keys'
    return { state: 'missing', found: records, detail: `${detail}: publish the TXT record shown.` }
  }
  if (keys.length > 1) {
    const detail = 'There are several DKIM keys at this name and receivers pick any of them: keep only the one shown.'
    return { state: 'wrong', found: keys, detail }
  }
  const parsed = parseTagList(record)
  const fault = ESCAPED.test(record)
    ? 'The value holds quotes or backslashes of a zone file: enter it exactly as shown, without them.'
    : 'fault' in parsed
      ? `The record cannot be read: ${parsed.fault}.`
      : faultOf(parsed.tags, publicKey)
  if (fault !== undefined) return { state: 'wrong', found: keys, detail: fault }
  const isTest = 'tags' in parsed && listOf(parsed.tags, 't')?.includes('y') === true
  const note = isTest ? ' It is marked as a test (t=y), which some receivers take as unsigned: remove that tag.' : ''
  return { state: 'ok', found: keys, detail: `The key is published.${note}` }
}

function looksLikeKey(record: string): boolean {
  return /(^|;)\s*"?p\s*=/.test(record) || /^\s*"?v\s*=\s*DKIM1/i.test(record)
}

function faultOf(tags: Tags, publicKey: string): string | undefined {
  const version = tags.get('v')
  if (version !== undefined && (version !== 'DKIM1' || tags.keys().next().value !== 'v')) {
    return 'The record must begin with v=DKIM1.'
  }
  if ((tags.get('k') ?? 'rsa') !== 'rsa')
    return `The record is for a key of the type ${tags.get('k')}: it must say k=rsa.`
  const hashes = listOf(tags, 'h')
  if (hashes !== undefined && !hashes.includes(SIGNING_HASH)) {
    return `The tag h= does not allow ${SIGNING_HASH}, which mail is signed with: remove it.`
  }
  const services = listOf(tags, 's')
  if (services !== undefined && !services.includes('*') && !services.includes('email')) {
    return 'The tag s= does not allow the key for email: remove it.'
  }
  return keyFault(tags.get('p'), publicKey)
}

function keyFault(given: string | undefined, publicKey: string): string | undefined {
  const published = given?.replaceAll(/\s/g, '')
  if (published === undefined) return 'The record has no key: the part p= is missing.'
  if (published === '') return 'The record says that the key is revoked (p= is empty): publish the value shown.'
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(published)) return 'The part p= is not base64: publish the value exactly as shown.'
  if (Buffer.from(published, 'base64').equals(Buffer.from(publicKey, 'base64'))) return undefined
  const bare = published.replaceAll('=', '')
  if (publicKey.startsWith(bare)) {
    return `The key is cut off after ${bare.length} of ${publicKey.length} characters: split a long value into strings of at most 255.`
  }
  return 'The record holds another key: replace it by the value shown.'
}

/** A tag whose value is a list separated by colons; undefined when it is absent. */
function listOf(tags: Tags, name: string): string[] | undefined {
  return tags
    .get(name)
    ?.split(':')
    .map((item) => item.trim().toLowerCase())
}
