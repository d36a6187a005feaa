import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { type FoundClient, isDocumentAddress, readClientDocument } from './client-document.ts'
import { registeredClient } from './registered-client.ts'

export type FindClientDeps = { keys: SecretKeys; client: GuardedClient }

/** The client of an id: one that describes itself at that address, or one that registered here. */
export async function findClient({ keys, client }: FindClientDeps, id: string): Promise<FoundClient> {
  if (isDocumentAddress(id)) return readClientDocument(client, id)
  const registered = registeredClient(id, keys)
  return registered === undefined
    ? { outcome: 'unknown', words: 'It is not registered here, or no longer. Have the program connect anew.' }
    : { outcome: 'found', client: registered }
}
