import { existsSync } from 'node:fs'
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials } from './modules/workspaces/bootstrap.ts'
import { makeDirectory } from './platform/make-directory.ts'

const CREDENTIALS_FILE = 'credentials.txt'
/** Credentials that were made and not shown yet: if a start fails in between, the next one shows them. */
const UNSHOWN_FILE = 'credentials.new.txt'

export type NewCredentials = Omit<Credentials, 'file'>

/** Keeps what the first start has made where only its user can read it, until it has been shown. */
export async function keepCredentials(dataDir: string, credentials: NewCredentials): Promise<string> {
  const path = join(dataDir, UNSHOWN_FILE)
  await makeDirectory(dataDir, 0o700)
  const lines = [
    'Made at the first start of Postroom. Changing this file changes nothing.',
    `email     ${credentials.email}`,
    `password  ${credentials.password}`,
    `token     ${credentials.token}`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  return path
}

/** Credentials that a start has made which then failed; undefined when all were shown. */
export async function unshownCredentials(dataDir: string): Promise<Credentials | undefined> {
  const file = join(dataDir, UNSHOWN_FILE)
  const text = await readFile(file, 'utf8').catch(() => '')
  const [email, password, token] = [/^email +(.+)$/m, /^password +(.+)$/m, /^token +(.+)$/m].map(
    (line) => line.exec(text)?.[1],
  )
  return email && password && token ? { email, password, token, file } : undefined
}

/** Has them stand in `credentials.txt` as well, before anybody is told that the service is ready. */
export async function placeCredentials(dataDir: string): Promise<void> {
  await copyFile(join(dataDir, UNSHOWN_FILE), join(dataDir, CREDENTIALS_FILE))
}

/** The file that has those of the first start: none after a restore, or once somebody has put it away. */
export function credentialsKeptIn(dataDir: string): string | undefined {
  const path = join(dataDir, CREDENTIALS_FILE)
  return existsSync(path) ? path : undefined
}

/** After they were shown: they stay in `credentials.txt`, or nowhere. Answers where. */
export async function credentialsShown(dataDir: string, { stay }: { stay: boolean }): Promise<string | undefined> {
  const kept = join(dataDir, CREDENTIALS_FILE)
  if (stay) await rename(join(dataDir, UNSHOWN_FILE), kept).catch(() => undefined)
  else await rm(join(dataDir, UNSHOWN_FILE), { force: true })
  return stay ? kept : undefined
}
