import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { judgeMac, macOf } from '../../platform/crypto/secret-mac.ts'
import type { Client, Described } from './client-metadata.ts'

const PURPOSE = 'postroom clients of agents'
/** Of what a client says about itself: it travels in every address that it sends people to. */
const DESCRIPTION_BYTES_MAX = 1_500
const CLIENT_ID = /^pac_([\w-]{1,2000})\.([a-z0-9]{1,16}\.[\w-]{43})$/

/**
 * The id of a client that registers itself: everything that is known of it, and our code over that (RFC 7591 appendix A.5.2). So
 * strangers register as often as they like and fill no table. Undefined for one that has more to say than fits.
 */
export function registeredClientId({ name, redirectUris }: Described, keys: SecretKeys): string | undefined {
  const description = Buffer.from(JSON.stringify([name, ...redirectUris]))
  if (description.length > DESCRIPTION_BYTES_MAX) return undefined
  const text = description.toString('base64url')
  return `pac_${text}.${macOf(text, keys, PURPOSE)}`
}

/** The client that an id was given to; undefined when it is none of ours. */
export function registeredClient(id: string, keys: SecretKeys): Client | undefined {
  const [, text, mac] = CLIENT_ID.exec(id) ?? []
  if (text === undefined || judgeMac(mac!, text, { ...keys, purpose: PURPOSE }) !== 'right') return undefined
  const [name, ...redirectUris] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [string, ...string[]]
  return { id, name, redirectUris, host: null }
}
