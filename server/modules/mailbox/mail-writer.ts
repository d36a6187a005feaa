import type pg from 'pg'
import { type CaughtMail, deleteOldMails, insertCaughtMails } from './queries.ts'

/** In one commit, at most. */
const COMMIT_MAILS_MAX = 200
const COMMIT_BYTES_MAX = 8 * 1024 * 1024
/** Old mail is deleted each time so much was added to a workspace. */
const PRUNE_EVERY_MAILS = 500
const PRUNE_EVERY_BYTES = 64 * 1024 * 1024

/**
 * Stores mails; those that arrive while a commit is in flight share the next one, and an idle writer commits at once. A
 * mail is answered for after the commit that holds it.
 */
export type MailWriter = { write(mail: CaughtMail): Promise<void> }

type Waiting = { mail: CaughtMail; resolve: () => void; reject: (error: unknown) => void }

/** `onError` is told when old mail could not be deleted: what was kept is kept. */
export function createMailWriter(sql: pg.Pool, onError: (error: unknown) => void): MailWriter {
  const queue: Waiting[] = []
  const added = new Map<string, { mails: number; bytes: number }>()
  let isWriting = false

  async function pump(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (queue.length > 0) {
      const taken = take(queue)
      try {
        await insertCaughtMails(
          sql,
          taken.map(({ mail }) => mail),
        )
        for (const { resolve } of taken) resolve()
        await prune(taken).catch(onError)
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    isWriting = false
  }

  async function prune(taken: readonly Waiting[]): Promise<void> {
    for (const { mail } of taken) {
      const sum = added.get(mail.workspaceId) ?? { mails: 0, bytes: 0 }
      added.set(mail.workspaceId, { mails: sum.mails + 1, bytes: sum.bytes + mail.raw.length })
    }
    for (const [workspaceId, { mails, bytes }] of added) {
      if (mails < PRUNE_EVERY_MAILS && bytes < PRUNE_EVERY_BYTES) continue
      await deleteOldMails(sql, workspaceId)
      added.delete(workspaceId)
    }
  }

  return {
    write: (mail) =>
      new Promise((resolve, reject) => {
        queue.push({ mail, resolve, reject })
        void pump()
      }),
  }
}

function take(queue: Waiting[]): Waiting[] {
  let bytes = 0
  let count = 0
  for (const { mail } of queue) {
    bytes += mail.raw.length
    if (count === COMMIT_MAILS_MAX || (count > 0 && bytes > COMMIT_BYTES_MAX)) break
    count += 1
  }
  return queue.splice(0, count)
}
