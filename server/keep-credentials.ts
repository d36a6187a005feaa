import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials } from './modules/workspaces/bootstrap.ts'

const CREDENTIALS_FILE = 'credentials.txt'

export type NewCredentials = Omit<Credentials, 'file'>

/** Keeps what the first start has made where only its user can read it. Answers the file's path. */
export async function keepCredentials(dataDir: string, credentials: NewCredentials): Promise<string> {
  const path = join(dataDir, CREDENTIALS_FILE)
  const lines = [
    'Made at the first start of Postroom. Changing this file changes nothing.',
    `email     ${credentials.email}`,
    `password  ${credentials.password}`,
    `token     ${credentials.token}`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  return path
}
