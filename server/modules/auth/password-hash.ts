import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createTurns } from '../../platform/turns.ts'

/** OWASP's floor for argon2id is 19 MiB, 2 passes, 1 lane; 32 MiB and 3 passes take about 65 ms. */
const MEMORY_KIB = 32_768
const PASSES = 3
const LANES = 1
const SALT_BYTES = 16
const TAG_BYTES = 32
/**
 * At most two at once: each holds 32 MiB and a thread of the pool that files and name look-ups use too. Beyond those that wait,
 * logins are told to come back: each waits for all before it.
 */
const TURNS = { atOnceMax: 2, waitingMax: 16, retryAfterSeconds: 2 }
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

type Parameters = { memory: number; passes: number; lanes: number; salt: Buffer; tagBytes: number }

const derive = promisify(argon2)
/** Of no password: made without a turn, which nobody may get while many log in. */
const NOBODYS = phcOf(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES))

/** A password as a PHC string, to be stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await tagOf(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagBytes: TAG_BYTES })
  return phcOf(salt, tag)
}

/**
 * Whether the password is the one of the PHC string. Without a string it takes just as long and says no, so that the
 * time tells nobody which accounts exist.
 */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const match = PHC.exec(phc ?? NOBODYS)
  if (match === null) throw new Error('a stored password is not an argon2id PHC string')
  const [, memory, passes, lanes, salt = '', tag = ''] = match
  const expected = Buffer.from(tag, 'base64')
  const parameters = { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) }
  const actual = await tagOf(password, { ...parameters, salt: Buffer.from(salt, 'base64'), tagBytes: expected.length })
  return timingSafeEqual(actual, expected) && phc !== undefined
}

/** Whether a stored string was made with other settings than today's, and should be made anew at the next login. */
export function isOutdatedHash(phc: string): boolean {
  return !phc.startsWith(`$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`)
}

const turns = createTurns(TURNS)
const EVERYBODY = 'everybody'

function tagOf(password: string, parameters: Parameters): Promise<Buffer> {
  return turns(EVERYBODY, () =>
    derive('argon2id', {
      // The same text typed on another keyboard may arrive in another normal form (NIST SP 800-63B section 5.1.1.2).
      message: password.normalize('NFKC'),
      nonce: parameters.salt,
      memory: parameters.memory,
      passes: parameters.passes,
      parallelism: parameters.lanes,
      tagLength: parameters.tagBytes,
    }),
  )
}

function phcOf(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`
}

/** PHC strings use standard base64 without padding. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
