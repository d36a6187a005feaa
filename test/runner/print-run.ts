import type { TestResult } from './facts.ts'
import type { FileRun } from './run-file.ts'

const SIGNS: Record<TestResult['outcome'], string> = { pass: '✔', fail: '✖', cancelled: '✖', skipped: '﹣', todo: '⚠' }

/** All of a file: its tests, each with what went wrong, then what it printed. */
export function textOfFile({ file, results, output, fault, ms }: FileRun): string {
  const lines = [`▶ ${file} (${Math.round(ms)} ms)`]
  for (const result of results) {
    lines.push(`${'  '.repeat(result.nesting + 1)}${lineOf(result)}`)
    if (isFailure(result)) lines.push(indented(result.text))
  }
  if (fault !== undefined) lines.push(`  ✖ ${file} ${fault}`)
  if (output !== '') lines.push(indented(output))
  return lines.join('\n')
}

/** The end of a run: everything that failed once more with its place, then the sums. */
export function textOfRun(runs: readonly FileRun[], ms: number): string {
  const results = runs.flatMap((run) => run.results)
  const failures = results.filter((result) => isFailure(result) && !result.byInner)
  const faulty = runs.filter(({ fault }) => fault !== undefined)
  const lines: string[] = []
  if (failures.length > 0) lines.push('', '✖ failed:')
  for (const failure of failures) lines.push('', `  ${failure.place} ${failure.name}`, indented(failure.text))
  if (faulty.length > 0) lines.push('', '✖ files that did not end as they should:', '')
  for (const { file, fault } of faulty) lines.push(`  ${file} ${fault}`)
  return [...lines, '', ...sums(runs, ms)].join('\n')
}

/** Tests that were skipped where that is not allowed, with their reasons. */
export function textOfMissed(missed: readonly TestResult[]): string {
  const lines = missed.map(({ place, name, text }) => `  ${place} ${name} # ${text}`)
  return ['', '✖ skipped, which CI=true does not allow:', ...lines].join('\n')
}

/** The files that took longest, with the processor's time of their own process and of those that it started. */
export function textOfSlowest(runs: readonly FileRun[], count: number): string {
  const slowest = [...runs].sort((a, b) => b.ms - a.ms).slice(0, count)
  const lines = slowest.map(({ file, ms, cpuMs, startedCpuMs }) => {
    const spent = `${seconds(cpuMs)} s of a processor and ${seconds(startedCpuMs)} s of what it starts`
    return `  ${seconds(ms)} s, ${spent}  ${file}`
  })
  return ['', `the slowest ${slowest.length} files:`, ...lines].join('\n')
}

/** Spelt as Node.js's test runner does. A file that did not end as it should counts as one more test. */
function sums(runs: readonly FileRun[], ms: number): string[] {
  const results = runs.flatMap((run) => run.results)
  const tests = results.filter(({ isSuite }) => !isSuite)
  const count = (outcome: TestResult['outcome']) => tests.filter((test) => test.outcome === outcome).length
  const faults = runs.filter(({ fault }) => fault !== undefined).length
  return [
    `ℹ tests ${tests.length + faults}`,
    `ℹ suites ${results.length - tests.length}`,
    `ℹ pass ${count('pass')}`,
    `ℹ fail ${count('fail') + faults}`,
    `ℹ cancelled ${count('cancelled')}`,
    `ℹ skipped ${count('skipped')}`,
    `ℹ todo ${count('todo')}`,
    `ℹ duration_ms ${Math.round(ms)}`,
  ]
}

function lineOf({ outcome, name, ms, text }: TestResult): string {
  const reason = outcome === 'skipped' || outcome === 'todo' ? ` # ${text}` : ''
  return `${SIGNS[outcome]} ${name} (${ms.toFixed(1)} ms)${reason}`
}

function isFailure({ outcome }: TestResult): boolean {
  return outcome === 'fail' || outcome === 'cancelled'
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '      ')
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(6)
}
