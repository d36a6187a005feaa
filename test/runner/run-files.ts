import { textOfFile, textOfRun, textOfSlowest } from './print-run.ts'
import { type FileOptions, type FileRun, runFile } from './run-file.ts'

export type RunOptions = FileOptions & {
  /** Files at a time. */
  concurrency: number
  /** Prints so many of the slowest files. */
  slowest: number
  print(text: string): void
}

/** Runs test files, prints each when it has ended and then the sums. Resolves with the exit code. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<number> {
  const beganMs = options.nowMs()
  const runs: FileRun[] = []
  const waiting = [...files]
  await Promise.all(
    Array.from({ length: options.concurrency }, async () => {
      for (let file = waiting.shift(); file !== undefined && !options.signal.aborted; file = waiting.shift()) {
        const run = await runFile(file, options)
        runs.push(run)
        options.print(textOfFile(run))
      }
    }),
  )
  if (options.slowest > 0) options.print(textOfSlowest(runs, options.slowest))
  options.print(textOfRun(runs, options.nowMs() - beganMs))
  const failed = runs.some(
    ({ fault, results }) =>
      fault !== undefined || results.some(({ outcome }) => outcome === 'fail' || outcome === 'cancelled'),
  )
  return failed || options.signal.aborted ? 1 : 0
}
