import type { CopyProgress } from '../platform/backup/write-backup.ts'

const EVERY_MS = 5_000
const KB = 1_000
const MB = 1_000_000

/** Tells on standard error how far a long copy has come; a short one says nothing. */
export function tellingProgress(verb: string): (progress: CopyProgress) => void {
  let toldMs = performance.now()
  return ({ table, bytes }) => {
    if (performance.now() - toldMs < EVERY_MS) return
    toldMs = performance.now()
    console.error(`${verb}: ${sizeText(bytes)}, at the table ${table}`)
  }
}

export function sizeText(bytes: number): string {
  if (bytes < MB) return `${Math.ceil(bytes / KB)} KB`
  return `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB`
}
