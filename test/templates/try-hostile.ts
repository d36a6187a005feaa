import { compileTemplate } from '../../server/modules/templates/compile-template.ts'
import { mergeVariables, strangerAt } from '../../server/modules/templates/merge-variables.ts'
import { RenderError, renderMail } from '../../server/modules/templates/render-template.ts'
import { wholeText } from '../../server/platform/mail/mail-text.ts'
import { leastMs } from '../support/processor-time.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { type HostileSource, hostileSource } from './hostile-sources.ts'

/**
 * Compiles and renders hostile templates in a process that is given little memory, and reports on standard output. Run by
 * hostile-templates.test.ts: `node --max-old-space-size=… try-hostile.ts <seed> <count> <canary path> <canary secret>`.
 */
const [seed, count, canaryPath, secret] = process.argv.slice(2) as [string, string, string, string]
const CANARY_NAME = 'POSTROOM_TEMPLATE_CANARY'

export type Tally = {
  endings: Record<string, number>
  leaks: string[]
  slow: string[]
  mainMsMax: number
  wallMsMax: number
}

/** Milliseconds of processor time that the main thread, which serves everybody, may be held up by one template. */
const MAIN_MS_MAX = 64
/** Text that no template may bring to light. */
const INSIDES = [/\[native code\]/, /root:.*:0:0:/, /"dependencies"/]

const variables = mergeVariables(
  { ...strangerAt('a@x.example'), firstName: 'Ann', customFields: { c: '#f00' } },
  {
    unsubscribeUrl: 'https://p.example/u',
    preferencesUrl: 'https://p.example/p',
    variables: {
      many: Array.from({ length: 20_000 }, (_, n) =>
        n % 3 === 0 ? [n, [String(n)]] : n % 3 === 1 ? { x: n } : `${n}`,
      ),
      words: Array.from({ length: 200 }, (_, n) => `${'A'.repeat(1_000)}${n * 7919}`),
      list: [1, 'two', { x: 3 }],
      deep: { a: { b: { c: [1, 2, { d: 'e' }] } } },
    },
  },
)

async function endingOf(source: HostileSource): Promise<{ ending: string; shown: string }> {
  const compilation = await compileTemplate(source)
  if (compilation.outcome === 'faulty') return { ending: 'faulty', shown: JSON.stringify(compilation.faults) }
  try {
    const pixelUrl = 'https://p.example/o'
    const rendered = await renderMail(compilation.template, variables, (url) => `https://t.example/?${url}`, {
      pixelUrl,
    })
    return { ending: 'rendered', shown: rendered.subject + wholeText(rendered.html) + rendered.text }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { ending: 'stopped', shown: error.message }
  }
}

async function measured(source: HostileSource): Promise<{ ending: string; shown: string; mainMs: number }> {
  const before = process.threadCpuUsage()
  const end = await endingOf(source)
  const { user, system } = process.threadCpuUsage(before)
  return { ...end, mainMs: (user + system) / 1_000 }
}

const random = seededRandom(Number(seed))
const prototypes = [Object, Array, String, Number, Function].map((type) => type.prototype)
const before = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join())
const tally: Tally = { endings: {}, leaks: [], slow: [], mainMsMax: 0, wallMsMax: 0 }
for (let n = 0; n < Number(count); n += 1) {
  const source = hostileSource(random, { path: canaryPath, name: CANARY_NAME })
  const started = performance.now()
  const tried = () =>
    measured(source).catch((error: unknown) => {
      throw new Error(`number ${n}, ${source.kind}: ${JSON.stringify(source).slice(0, 500)}`, { cause: error })
    })
  let { ending, shown } = { ending: '', shown: '' }
  const mainMs = await leastMs(MAIN_MS_MAX, async () => {
    const once = await tried()
    ;({ ending, shown } = once)
    return once.mainMs
  })
  const about = `number ${n}, ${source.kind}, ${ending}: ${JSON.stringify(source).slice(0, 300)}`
  if (mainMs > MAIN_MS_MAX) tally.slow.push(`${Math.round(mainMs)} ms ${about}`)
  const written = source.subject + source.body + source.text
  if (shown.includes(secret) || INSIDES.some((inside) => inside.test(shown) && !inside.test(written)))
    tally.leaks.push(about)
  tally.mainMsMax = Math.max(tally.mainMsMax, mainMs)
  tally.wallMsMax = Math.max(tally.wallMsMax, performance.now() - started)
  const key = `${source.kind} ${ending}`
  tally.endings[key] = (tally.endings[key] ?? 0) + 1
}
prototypes.forEach((prototype, n) => {
  if (Object.getOwnPropertyNames(prototype).join() !== before[n]) tally.leaks.push(`a prototype was changed: ${n}`)
})
process.stdout.write(JSON.stringify(tally))
