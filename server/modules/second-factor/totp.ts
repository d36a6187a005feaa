import { Secret, TOTP } from 'otpauth'

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, a new code each 30 s. */
const ALGORITHM = 'SHA1'
const DIGITS = 6
const PERIOD_SECONDS = 30
/** RFC 6238 section 5.2: one step to either side for clocks that differ and people who type slowly. */
const WINDOW_STEPS = 1
/** RFC 4226 section 4 asks for 128 bits and recommends 160. */
const SECRET_BYTES = 20
const ISSUER = 'Postroom'

/** A new shared secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  return totpOf(secret, email).toString()
}

/** The time step that a code is of, near `nowMs`; undefined for a code that is none of them. */
export function stepOf(code: string, secret: string, nowMs: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW_STEPS })
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta
}

function totpOf(secret: string, label = ''): TOTP {
  const parameters = { algorithm: ALGORITHM, digits: DIGITS, period: PERIOD_SECONDS }
  return new TOTP({ ...parameters, issuer: ISSUER, label, secret: Secret.fromBase32(secret) })
}
