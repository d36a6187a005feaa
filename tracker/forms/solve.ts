type Challenge = {
  parameters: { cost: number; keyLength: number; keyPrefix: string; nonce: string; salt: string }
  signature: string
}

/** Whether this page may: only one that came safely, by https or from this machine. */
export const canSolve = (): boolean => !!globalThis.crypto?.subtle

/** Does the work of a challenge in the form of ALTCHA 2, as the server sends it, and answers what shows that it was done. */
export async function solve(url: string, renderToken: string): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, credentials: 'omit' } as const
  const response = await fetch(`${url}/challenge`, { ...init, body: JSON.stringify({ renderToken }) })
  const challenge = (await response.json()) as Challenge
  const { cost: iterations, keyLength, keyPrefix, nonce, salt: saltText } = challenge.parameters
  const start = bytesOf(nonce)
  const salt = bytesOf(saltText)
  const password = new Uint8Array(start.length + 4)
  password.set(start)
  const view = new DataView(password.buffer)
  for (let counter = 0; ; counter++) {
    view.setUint32(start.length, counter)
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
    const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
    const bits = new Uint8Array(await crypto.subtle.deriveBits(how, key, keyLength * 8))
    const derivedKey = Array.from(bits, (byte) => byte.toString(16).padStart(2, '0')).join('')
    if (derivedKey.startsWith(keyPrefix)) {
      return btoa(JSON.stringify({ challenge, solution: { counter, derivedKey } }))
    }
  }
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
