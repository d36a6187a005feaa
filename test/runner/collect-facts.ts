import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Fact, TestResult } from './facts.ts'

/** Facts that a file's process has told so far. */
export type Facts = {
  results: TestResult[]
  /** Of tests, and of Node.js's test runner. */
  remarks: string[]
  cpuMs(): number
  startedCpuMs(): number
  /** All of the file's tests have ended and been told of. */
  isOver(): boolean
  /** Tests that have begun and not ended. */
  running(): string[]
  /** The test that ended last. */
  last(): string | undefined
  /** Since when all tests known have ended; undefined while one has not, and before the first. */
  doneSinceMs(): number | undefined
  /** Resources that keep the process although its tests have ended. */
  heldBy(): string[]
}

/** Gathers what the reporter `tell-tests.ts` writes. */
export function collectFacts(stream: Readable, nowMs: () => number): Facts {
  const [results, remarks]: [TestResult[], string[]] = [[], []]
  const going = new Map<string, { title: string; begun: boolean }>()
  let [cpuMs, startedCpuMs, heldBy, isOver]: [number, number, string[], boolean] = [0, 0, [], false]
  let [last, doneSinceMs]: [string | undefined, number | undefined] = [undefined, undefined]
  function take(fact: Fact): void {
    switch (fact.is) {
      case 'known':
      case 'begun':
        going.set(fact.id, { title: fact.title, begun: fact.is === 'begun' })
        doneSinceMs = undefined
        break
      case 'done':
        going.delete(fact.id)
        last = fact.title
        if (going.size === 0) doneSinceMs = nowMs()
        break
      case 'result':
        results.push(fact.result)
        break
      case 'remark':
        remarks.push(fact.text)
        break
      case 'held':
        heldBy = fact.by
        break
      case 'over':
        isOver = true
        break
      case 'spent':
        cpuMs = fact.cpuMs
        startedCpuMs = fact.startedCpuMs
        // No script runs any more: what keeps it now is none that could be listed.
        heldBy = ['its exit, which has begun']
        break
    }
  }
  createInterface({ input: stream }).on('line', (line) => {
    const fact = read(line)
    if (fact !== undefined) take(fact)
  })
  return {
    results,
    remarks,
    cpuMs: () => cpuMs,
    startedCpuMs: () => startedCpuMs,
    isOver: () => isOver,
    running: () => [...going.values()].filter(({ begun }) => begun).map(({ title }) => title),
    last: () => last,
    doneSinceMs: () => doneSinceMs,
    heldBy: () => heldBy,
  }
}

/** A process that is killed may not have written its last line to the end. */
function read(line: string): Fact | undefined {
  try {
    return JSON.parse(line) as Fact
  } catch {
    return undefined
  }
}
