// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Options, PostOptions } from '../call.ts'

export type IdentityKey = {
  /** Names the key in the head of a token. */
  kid: string
  createdAt: string
}

export type IdentityKeyList = {
  items: Array<IdentityKey>
}

export type NewIdentityKey = {
  /** Names the key in the head of a token. */
  kid: string
  /** Shown this once. For your server alone: it signs with this text. */
  secret: string
  createdAt: string
}

export interface IdentityKeysOperations {
  /** Make an identity key. For your server to sign who somebody is. Its secret is shown this once; two are good at a time. Needs the scope `trackers:write`. */
  create(id: string, options?: PostOptions): Promise<NewIdentityKey>

  /** Delete an identity key. Tokens signed with it are refused from then on. Needs the scope `trackers:write`. */
  delete(id: string, kid: string, options?: Options): Promise<void>

  /** List the identity keys of a tracker. Those that are good, oldest first, without their secrets. Needs the scope `trackers:read`. */
  list(id: string, options?: Options): Promise<IdentityKeyList>
}
