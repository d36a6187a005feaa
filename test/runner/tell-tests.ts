import { readFileSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { FACTS_FD, type Fact, type TestResult } from './facts.ts'

/*
 * A reporter for `node:test` that works inside the process of a test file, and tells the run what the tests do. Once all
 * tests have ended, it tells now and then what keeps the process from ending.
 */

const LOOK_EVERY_MS = 500
/** Of this file, which the run makes of all files. */
const SUM = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/
const CANCELLED = new Set(['cancelledByParent', 'testAborted', 'testTimeoutFailure'])

type Ended = EventData.TestPass | EventData.TestFail
type Failure = Error & { failureType?: string }

export default async function* tellTests(source: AsyncIterable<TestEvent>): AsyncGenerator<never> {
  process.prependListener('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    tell({ is: 'spent', cpuMs: Math.round((userCPUTime + systemCPUTime) / 1_000), startedCpuMs: startedCpuMs() })
  })
  const going = new Set<string>()
  const tellHolders = () => {
    if (going.size === 0) tell({ is: 'held', by: holders() })
  }
  // It does not keep the process itself.
  const look = setInterval(tellHolders, LOOK_EVERY_MS).unref()
  for await (const { type, data } of source) {
    switch (type) {
      case 'test:enqueue':
        going.add(idOf(data))
        tell({ is: 'known', id: idOf(data), title: titleOf(data) })
        break
      case 'test:dequeue':
        tell({ is: 'begun', id: idOf(data), title: titleOf(data) })
        break
      case 'test:complete':
        going.delete(idOf(data))
        tell({ is: 'done', id: idOf(data), title: titleOf(data) })
        tellHolders()
        break
      case 'test:pass':
      case 'test:fail':
        tell({ is: 'result', result: resultOf(data) })
        break
      case 'test:diagnostic':
        if (!SUM.test(data.message)) tell({ is: 'remark', text: data.message })
        break
    }
  }
  clearInterval(look)
  tellHolders()
  tell({ is: 'over' })
}

function resultOf(data: Ended): TestResult {
  const error = 'error' in data.details ? (data.details.error as Failure) : undefined
  return {
    name: data.name,
    nesting: data.nesting,
    place: placeOf(data),
    isSuite: data.details.type === 'suite',
    outcome: outcomeOf(data, error),
    text: error === undefined ? String(data.skip ?? data.todo ?? '') : textOf(error),
    byInner: error?.failureType === 'subtestsFailed',
    ms: data.details.duration_ms,
  }
}

function outcomeOf(data: Ended, error: Failure | undefined): TestResult['outcome'] {
  if (data.skip !== undefined) return 'skipped'
  if (data.todo !== undefined) return 'todo'
  if (error === undefined) return 'pass'
  return CANCELLED.has(error.failureType ?? '') ? 'cancelled' : 'fail'
}

/** The test's own error, without that of the test runner around it. */
function textOf({ cause, message }: Failure): string {
  return cause instanceof Error || typeof cause === 'object' ? inspect(cause) : String(cause ?? message)
}

function titleOf(data: { name: string; file?: string | undefined; line?: number | undefined }): string {
  return `${placeOf(data)} ${data.name}`
}

function placeOf({ file, line }: { file?: string | undefined; line?: number | undefined }): string {
  return `${relative(process.cwd(), file ?? process.argv[1] ?? '')}:${line ?? 1}`
}

function idOf({ testId }: { testId: number }): string {
  return String(testId)
}

/** Processor time of processes that have been waited for, and of those that they had waited for: the kernel counts a hundred ticks a second. */
function startedCpuMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}

/** The kinds of what keeps the process, most of them first. */
function holders(): string[] {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${count} ${kind}`)
}

function tell(fact: Fact): void {
  const line = Buffer.from(`${JSON.stringify(fact)}\n`)
  for (let written = 0; written < line.length; ) {
    try {
      written += writeSync(FACTS_FD, line, written)
    } catch (error) {
      // The run has not read yet what was told before.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
