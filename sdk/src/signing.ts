/** The bytes of a text in base64, of either alphabet, with or without padding; undefined when it is none. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The alphabet of addresses and tokens (RFC 4648 section 5), without padding. */
export function base64UrlOf(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The platforms' types call it differently. */
export type SigningKey = Parameters<typeof crypto.subtle.sign>[1]

/** A key for HMAC with SHA-256. */
export function hmacKey(secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<SigningKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}
