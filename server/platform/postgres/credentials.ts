import { randomBytes, randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../db/errors.ts'
import { writeDurably } from './data-dir.ts'
import { PostgresStartError } from './start-error.ts'

export const HOST = '127.0.0.1'
/** The ordinary role that owns the database of the same name. */
export const OWNER = 'postroom'
export const SUPERUSER = 'postgres'

/** The credentials that are kept beside the server's data, in the data directory's `postgres.json`. */
export type Credentials = {
  port: number
  ownerPassword: string
  superuserPassword: string
  /** Where the data is when the server's user cannot reach the data directory. */
  clusterDir?: string
}

/**
 * Below the ports that systems hand out to outgoing connections (from 32768 on): a client that keeps dialling a port out of
 * that range while the server is down may get it as its own and connect to itself, and the server never gets it back.
 */
const PORTS = { from: 20_000, before: 32_768 }

export const randomPort = () => randomInt(PORTS.from, PORTS.before)
export const randomPassword = () => randomBytes(24).toString('base64url')

export const credentialsFile = (dataDir: string) => join(dataDir, 'postgres.json')

/** Undefined when the data directory has no server yet. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const path = credentialsFile(dataDir)
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (error instanceof SyntaxError) throw new PostgresStartError(`${path} is damaged: remove it to have it made anew`)
    throw error
  }
}

export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await writeDurably(credentialsFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`)
}

export function ownerUrl({ port, ownerPassword }: Credentials): string {
  return `postgresql://${OWNER}:${ownerPassword}@${HOST}:${port}/${OWNER}`
}

/** For administration and tests: the program itself never connects as superuser. */
export function superuserUrl({ port, superuserPassword }: Credentials): string {
  return `postgresql://${SUPERUSER}:${superuserPassword}@${HOST}:${port}/postgres`
}
