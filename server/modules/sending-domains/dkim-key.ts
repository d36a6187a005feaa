import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** RFC 8301 section 3.2 asks signers for 2048 bits; more no longer fits one UDP answer. */
const RSA_BITS = 2_048

/** `publicKey` is the base64 of `p=`, `privateKey` a PEM. */
export type DkimKey = { publicKey: string; privateKey: string }

/** Makes a pair on the thread pool: some 50 to 500 ms of one core, so never inside a transaction. */
export async function makeDkimKey(): Promise<DkimKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { publicKey: publicKey.toString('base64'), privateKey }
}

/** The row that a sealed private key is bound to. */
export function privateKeyRow(workspaceId: string, keyId: string): string {
  return `${workspaceId}/sending_domain_keys/${keyId}/private_key`
}
