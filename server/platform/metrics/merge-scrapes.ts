import { GAUGES } from './families.ts'

/** A page of metrics by family: how it is described, and its samples by name and labels. */
export type Scrape = Map<string, { lines: string[]; type: string; samples: Map<string, number> }>

const DESCRIBED = /^# (?:HELP|TYPE) (\S+) (.*)$/

/** Reads what our own serializer writes of the Prometheus text format. */
export function parseScrape(text: string): Scrape {
  const scrape: Scrape = new Map()
  let family = { lines: [] as string[], type: 'untyped', samples: new Map<string, number>() }
  for (const line of text.split('\n')) {
    const described = DESCRIBED.exec(line)
    if (described) {
      const [, name, rest] = described as unknown as [string, string, string]
      family = scrape.get(name) ?? { lines: [], type: 'untyped', samples: new Map() }
      scrape.set(name, family)
      family.lines.push(line)
      if (line.startsWith('# TYPE ')) family.type = rest
    } else if (line !== '') {
      const end = line.lastIndexOf(' ')
      family.samples.set(line.slice(0, end), numberOf(line.slice(end + 1)))
    }
  }
  return scrape
}

/** The samples of several numbers that describe a process and not its work: of all processes the one that stands out. */
const EXTREMES: readonly [RegExp, (one: number, other: number) => number][] = [
  [/^(nodejs_eventloop_delay_min_seconds|\w+_ready)$/, Math.min],
  [/^(nodejs_eventloop_(delay_.+|utilization_ratio)|process_uptime_seconds|target_info)$/, Math.max],
]
/** Gauges by the specification that only ever rise. */
const RISING_GAUGES: ReadonlySet<string> = new Set([GAUGES.poolWaits.name, GAUGES.poolEmptyAcquires.name])

const sum = (one: number, other: number) => one + other

/**
 * One page of the metrics of several processes, of which each may end and be started again. Counters, histograms and
 * most gauges are added up. A figure that rises never falls: the last that was read of a process that has ended stays
 * in the sum, and so does that of one which does not answer in time; its gauges are left out.
 */
export class MergedScrape {
  readonly #latest = new Map<string, Scrape>()
  readonly #fresh = new Set<string>()
  readonly #ended: Scrape = new Map()

  /** Notes what a process says for the next page. */
  hear(name: string, text: string): void {
    this.#latest.set(name, parseScrape(text))
    this.#fresh.add(name)
  }

  /** The page, of what was heard since the one before. */
  merge(): string {
    const merged: Scrape = new Map()
    for (const [name, scrape] of this.#latest) addTo(merged, scrape, this.#fresh.has(name) ? () => true : rises)
    addTo(merged, this.#ended, rises)
    this.#fresh.clear()
    return textOf(merged)
  }

  /** Notes what a process said at last, and that the next one of its name begins anew. */
  end(name: string, text?: string): void {
    const last = text === undefined ? this.#latest.get(name) : parseScrape(text)
    this.#latest.delete(name)
    this.#fresh.delete(name)
    if (last) addTo(this.#ended, last, rises)
  }
}

function rises(family: string, type: string): boolean {
  return type === 'counter' || type === 'histogram' || RISING_GAUGES.has(family)
}

function addTo(merged: Scrape, scrape: Scrape, counts: (family: string, type: string) => boolean): void {
  for (const [name, family] of scrape) {
    if (!counts(name, family.type)) continue
    const into = merged.get(name) ?? { ...family, samples: new Map() }
    merged.set(name, into)
    const join = EXTREMES.find(([pattern]) => pattern.test(name))?.[1] ?? sum
    for (const [key, value] of family.samples) {
      const before = into.samples.get(key)
      into.samples.set(key, before === undefined ? value : join(before, value))
    }
  }
}

function textOf(scrape: Scrape): string {
  const lines = [...scrape.values()].flatMap(({ lines, samples }) => [
    ...lines,
    ...[...samples].map(([key, value]) => `${key} ${numberText(value)}`),
  ])
  return `${lines.join('\n')}\n`
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
