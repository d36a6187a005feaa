import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { check, type Parameters } from 'recheck'
import { type Expression, expressionsOf, unreadable } from './expressions.ts'
import { type Finding, isTest, type SourceFile } from './source-files.ts'

/*
 * Holds every regular expression in server/ to be linear: texts come from anybody, and one process serves everybody.
 * recheck proves it by automata; for an expression that looks around it searches for a text that takes long.
 * What was judged is kept in node_modules/.cache, since the judgement of all takes half a minute.
 */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/postroom-linear/', import.meta.url))
/** Work alone decides, of which recheck counts the steps: by its clocks a busy machine would make safe expressions slow ones. */
const LIMITS: Parameters = { timeout: 120_000, incubationTimeout: null, attackTimeout: null }
const AT_ONCE = 2

type Verdict = { linear: boolean; reason: string }

export async function expressionFindings(files: readonly SourceFile[]): Promise<Finding[]> {
  const serving = files.filter(({ path }) => path.startsWith('server/') && !isTest(path))
  const found = await expressionsOf(serving)
  const verdicts = await verdictsOn(found)
  const slow = found.flatMap((one) => {
    const { linear, reason } = verdicts.get(keyOf(one))!
    return linear ? [] : [findingOf(one, `/${one.source}/${one.flags} is not linear: ${reason}`)]
  })
  const hidden = unreadable(serving, found).map((one) =>
    findingOf(
      one,
      'makes an expression that cannot be read: make it while the file is loaded, or list it in expressions.ts',
    ),
  )
  return [...slow, ...hidden]
}

function findingOf({ path, line }: Expression, message: string): Finding {
  return { path, line, message }
}

async function verdictsOn(expressions: readonly Expression[]): Promise<Map<string, Verdict>> {
  const path = `${CACHE}verdicts.json`
  const kept = new Map<string, Verdict>(JSON.parse(await readFile(path, 'utf8').catch(() => '[]')))
  const waiting = new Map(expressions.map((one) => [keyOf(one), one])).entries()
  const verdicts = new Map<string, Verdict>()
  const judge = async () => {
    for (const [key, one] of waiting) verdicts.set(key, kept.get(key) ?? (await verdictOn(one)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, judge))
  await mkdir(CACHE, { recursive: true })
  await writeFile(path, JSON.stringify([...verdicts]))
  return verdicts
}

export async function verdictOn({ source, flags }: Pick<Expression, 'source' | 'flags'>): Promise<Verdict> {
  const verdict = await check(withFewerRepeats(source), flags, LIMITS)
  if (verdict.status === 'safe') return { linear: true, reason: '' }
  if (verdict.status === 'unknown') return { linear: false, reason: `no proof, ${verdict.error.kind}` }
  return { linear: false, reason: `${verdict.complexity.type}, ${verdict.attack.pattern}` }
}

function keyOf({ source, flags }: Expression): string {
  return `${source}/${flags}`
}

const COUNTED = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{(\d+)(?:(,)(\d*))?\}/g
const REPEATS_MIN = 2
const REPEATS_MAX = 3

/**
 * The expression with 3 repetitions where it allows 300. A bounded count multiplies the work and never raises its degree,
 * but an automaton grows with it beyond what can be proven.
 */
export function withFewerRepeats(source: string): string {
  return source.replace(COUNTED, (whole, least?: string, comma?: string, most?: string) => {
    if (least === undefined) return whole
    const fewer = Math.min(Number(least), REPEATS_MIN)
    if (comma === undefined) return `{${fewer}}`
    return `{${fewer},${most === '' ? '' : Math.min(Number(most), REPEATS_MAX)}}`
  })
}
