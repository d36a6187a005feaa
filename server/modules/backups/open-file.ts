import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { notFound, wrongStatus } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { MINUTE_MS } from '../../platform/durations.ts'
import { requireOperator } from '../restoration/read-restoration.ts'
import { type Doer, recordInstallationAct } from '../restoration/record-installation-act.ts'
import { proveOneself, type Shown } from '../second-factor/step-up.ts'
import type { BackupsDeps } from './ask-for-backup.ts'
import { readBackup } from './queries.ts'

export type FileDeps = BackupsDeps & { secrets: SecretBox }

const ROW = 'backups/link'

/** A file, the person who may read it, and until when (ms since 1970). */
type Key = { id: string; userId: string; until: number }

/**
 * The key of a backup's file, for whoever shows once more that the session is theirs: everything that everybody keeps here is in it.
 * Throws 400, 403, 404, 409 where the file is not in the directory of this process, 429.
 */
export async function openLink(
  deps: FileDeps,
  id: string,
  { doer, shown }: { doer: Doer; shown: Shown },
): Promise<string> {
  const { sql, secrets } = deps
  await requireOperator(sql, doer.userId)
  const { fileName } = await fileOf(deps, id)
  const { requestId, ip, userAgent } = doer.by
  await proveOneself(deps, doer.userId, { ...shown, origin: { requestId, ip: ip ?? '', userAgent } })
  await inTransaction(sql, ALL_WORKSPACES, (tx) =>
    recordInstallationAct(tx, doer.by, {
      action: 'installation.download_backup',
      diff: { file: { from: null, to: fileName } },
    }),
  )
  const key: Key = { id, userId: doer.userId, until: Date.now() + MINUTE_MS }
  return secrets.seal(JSON.stringify(key), ROW)
}

/** The file itself. Throws 403, 404, also for a key that is not of this file and person, or has run out. */
export async function openFile(
  deps: FileDeps,
  id: string,
  { key, doer }: { key: string; doer: Doer },
): Promise<{ fileName: string; bytes: number; file: Readable }> {
  await requireOperator(deps.sql, doer.userId)
  const given = keyOf(deps, key)
  if (given?.id !== id || given.userId !== doer.userId || given.until < Date.now()) throw notFound()
  const { fileName, path, bytes } = await fileOf(deps, id)
  return { fileName, bytes, file: createReadStream(path) }
}

function keyOf({ secrets }: FileDeps, key: string): Key | undefined {
  try {
    return JSON.parse(secrets.open(key, ROW)) as Key
  } catch {
    return undefined
  }
}

async function fileOf({ sql, directory }: BackupsDeps, id: string) {
  const row = await readBackup(sql, id)
  if (row?.state !== 'done') throw notFound()
  const path = join(directory, row.fileName)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined)
    throw wrongStatus(`The file is not in ${directory} of the process that answers; ${row.host} has taken it.`)
  return { fileName: row.fileName, path, bytes: found.size }
}
