/** Shorter ones would be found in texts that tell nothing. */
const SECRET_BYTES_MIN = 4

/**
 * Whether a text of somebody else's contains a secret: as it is, or in base64 wherever in the encoded bytes it stands, as
 * a server repeats a login that it refuses.
 */
export function tellsSecret(text: string, secret: string): boolean {
  if (Buffer.byteLength(secret) < SECRET_BYTES_MIN) return false
  return text.includes(secret) || [0, 1, 2].some((offset) => text.includes(encodedAt(secret, offset)))
}

/** The base64 form of a secret behind so many bytes, without the characters that depend on its neighbours. */
function encodedAt(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const whole = Math.floor((bytes.length * 4) / 3)
  return bytes.toString('base64').slice(Math.ceil((offset * 4) / 3), whole)
}
