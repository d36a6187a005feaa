import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { type Expression, expressionsOf } from '../support/expressions.ts'
import { isTest } from '../support/source-files.ts'

/*
 * `npm run check` proves every expression of server/ linear; this feeds each texts of the characters that take it
 * longest. Work is compared with work: of the processor, over half and the whole of one text.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** A square with a step of a third of a nanosecond takes ten seconds for it. The long form has a megabyte. */
const TEXT_CHARS = Number(process.env.WORST_CHARS ?? 256 * 1024)
/** A text is chosen by the work it makes at this length; then it is doubled. */
const TRIAL_CHARS = 8 * 1024
const WORST = 2
/** Twice for a line, four times for a square. */
const GROWTH_MAX = 3
/** Less is lost in the noise of compilers and collections of garbage; a square passes it long before the longest text. */
const TELLING_MS = 200
/** An expression that takes longer hangs: this is only there to name it. */
const HANGS_MS = 120_000

const COMMON = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  '0',
  'a',
  'A',
  'é',
  '.',
  '=',
  '"',
  '<',
  '<a',
  '\\',
  '\\\\"',
  ' a',
  'a ',
  'a.',
  '.a',
]
const MISFIT = '\u0001\u{10ffff}\n\u0001'

test('no expression takes more than twice as long for twice the text, whatever stands in it', async (t) => {
  const expressions = new Map((await expressionsInServer()).map((one) => [`${one.source}/${one.flags}`, one]))
  assert.ok(expressions.size > 200)
  const context = createContext({ judge: (one: Expression) => judge(one), one: undefined })
  for (const one of expressions.values()) {
    context.one = one
    const fault = runInContext('judge(one)', context, { timeout: HANGS_MS }) as string | undefined
    assert.equal(fault, undefined, `${one.path}:${one.line} /${one.source}/${one.flags}`)
  }
  t.diagnostic(`${expressions.size} expressions`)
})

test('an expression that takes the square of a text is told from one that does not', () => {
  const plain = { path: '', line: 0, flags: '' }
  assert.match(judge({ ...plain, source: '[ \\t]+$' })!, /ms for/)
  assert.match(judge({ ...plain, source: '0+$' })!, /ms for/)
  assert.match(judge({ ...plain, source: '<head(?:\\s[^>]*)?>' })!, /ms for/)
  assert.equal(judge({ ...plain, source: '^[ \\t]+$' }), undefined)
})

/** Undefined when its work grows as its worst texts do. */
function judge({ source, flags }: Expression): string | undefined {
  const expression = new RegExp(source, flags)
  const work = (unit: string, chars: number) => workOn(expression, textOf(unit, chars))
  work('a', TRIAL_CHARS)
  const trials = unitsFor(source).map((unit) => ({ unit, ms: work(unit, TRIAL_CHARS) }))
  for (const { unit } of trials.sort((a, b) => b.ms - a.ms).slice(0, WORST)) {
    let half = work(unit, TRIAL_CHARS)
    for (let chars = 2 * TRIAL_CHARS; chars <= TEXT_CHARS; chars *= 2) {
      const whole = work(unit, chars)
      // Measured again before it is believed: the first runs of an expression are those of an interpreter.
      if (whole >= TELLING_MS && whole >= GROWTH_MAX * half) {
        const [again, halfAgain] = [work(unit, chars), work(unit, chars / 2)]
        if (again >= GROWTH_MAX * halfAgain)
          return `${again} ms for ${chars} characters of ${JSON.stringify(unit)}, ${halfAgain} ms for half of them`
      }
      half = whole
    }
  }
  return undefined
}

/** Texts to repeat: common characters, those that the expression names, its words, and its words with something between. */
function unitsFor(source: string): string[] {
  const bare = source.replace(/\\[a-zA-Z]|\\/g, ' ').replace(/[()[\]{}?*+|^$]/g, ' ')
  const words = [...new Set(bare.split(/\s+/))].filter((word) => word !== '').slice(0, 12)
  const beginning = words.slice(0, 2).join('')
  return [...new Set([...COMMON, ...words, ...words.flatMap((word) => [`${word} `, `${word}a`]), beginning])].filter(
    (unit) => unit !== '',
  )
}

/** The end fits nothing, so that every beginning is tried to its end. */
function textOf(unit: string, chars: number): string {
  return unit.repeat(Math.ceil(chars / unit.length)) + MISFIT
}

/** Milliseconds of the processor for all matches of a text, as `replace` finds them. */
function workOn(expression: RegExp, text: string): number {
  expression.lastIndex = 0
  const before = process.threadCpuUsage()
  text.replace(expression, '')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

async function expressionsInServer(): Promise<Expression[]> {
  const entries = await readdir(join(ROOT, 'server'), { recursive: true })
  const paths = entries.map((path) => `server/${path}`).filter((path) => path.endsWith('.ts') && !isTest(path))
  return expressionsOf(
    await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') }))),
  )
}
