import type { TestResult } from './facts.ts'
import { textOfFile, textOfMissed, textOfRun, textOfSlowest } from './print-run.ts'
import { type FileOptions, type FileRun, runFile } from './run-file.ts'

export type RunOptions = FileOptions & {
  /** Files at a time. */
  concurrency: number
  /** Prints so many of the slowest files. */
  slowest: number
  /** Where a skipped test fails the run: the reasons that do not. */
  maySkip?: RegExp | undefined
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
  const missed = options.maySkip === undefined ? [] : skippedBut(runs, options.maySkip)
  if (missed.length > 0) options.print(textOfMissed(missed))
  return failed || missed.length > 0 || options.signal.aborted ? 1 : 0
}

function skippedBut(runs: readonly FileRun[], maySkip: RegExp): TestResult[] {
  return runs.flatMap(({ results }) =>
    results.filter(({ outcome, text }) => outcome === 'skipped' && !maySkip.test(text)),
  )
}
