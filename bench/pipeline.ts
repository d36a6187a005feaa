import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { LISTENING_AUTOMATION } from '../test/support/automations.ts'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { fillEvents } from './fill-events.ts'
import { withDatabase } from './instance-database.ts'
import { post } from './intake.ts'
import { limitText, type Measured, percentilesOf, percentilesText, ratioLine } from './measure.ts'
import { type Scrape, scrapeGroups } from './scrape.ts'

const LOAD = { events: 100, connections: 8, warmUpMs: 2_000 }
const PURE_MS = 5_000
const PIPELINE_MS = 20_000
const SAMPLE_EVERY_MS = 200
const CATCH_UP_DEADLINE_MS = 120_000
const GOAL_OF_PURE = 0.6
const GOAL_OF_EMPTY = 0.9
const GOAL_LAG_SECONDS = 1
const GOAL_RSS_MB = 200
const GOAL_WARM_START_MS = 2_000

/**
 * events/s that intake and all four consumer groups keep up with together, memory and warm start.
 * `--stored 10000000` measures it again with so many events stored.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { stored: { type: 'string', default: '0' } } })
  const stored = Number(values.stored)
  // The number to compare with is measured before and after: a machine that gets busier must not decide.
  const web = await startInstance({ env: { ROLE: 'web' } })
  const pure = () => post(web, { ...LOAD, durationMs: PURE_MS })
  try {
    const pureBefore = await pure()
    const empty = await measurePipeline({ stored: 0 })
    const alone = meanRate(pureBefore, await pure())
    printPipeline('all groups, nothing stored', empty, { name: 'intake alone', goal: GOAL_OF_PURE, ...alone })
    if (stored === 0) return
    const full = await measurePipeline({ stored })
    const emptyAgain = await measurePipeline({ stored: 0 })
    const base = { name: 'the same with nothing stored', ...meanRate(empty.keptUp, emptyAgain.keptUp) }
    const name = `all groups, ${stored.toLocaleString('en-US')} events stored`
    printPipeline(name, full, { ...base, goal: GOAL_OF_EMPTY })
  } finally {
    await web.stop()
  }
}

const eventRate = ({ perSecond }: { perSecond: number }) => ({ perSecond, unit: 'events' })
const meanRate = (...rates: { perSecond: number }[]) =>
  eventRate({ perSecond: rates.reduce((sum, { perSecond }) => sum + perSecond, 0) / rates.length })

type Pipeline = {
  intake: Measured
  /** Of the slowest group, over the same time. */
  keptUp: { handler: string; perSecond: number }
  lagsSeconds: number[]
  catchUpMs: number
  rssBytes: number
  warmStartMs: number
}

async function measurePipeline({ stored }: { stored: number }): Promise<Pipeline> {
  const id = randomBytes(6).toString('hex')
  const dataDir = path.join(os.tmpdir(), `postroom-bench-${id}`)
  const start = () => startInstance({ dataDir, env: { ROLE: 'all', BOOTSTRAP_TOKEN: `bench-${id}-${id}-${id}` } })
  let instance = await start()
  try {
    if (stored > 0) await withDatabase(instance, (client) => fillEvents(client, stored))
    await giveGroupsWork(instance)
    const measured = await measureUnderLoad(instance)
    const rssBytes = await instance.rssBytes()
    await instance.stop()
    instance = await start()
    return { ...measured, rssBytes, warmStartMs: instance.readyAfterMs }
  } finally {
    await instance.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** An endpoint and an automation that look at every event and want none: the groups' own cost. */
async function giveGroupsWork(instance: Instance): Promise<void> {
  await withDatabase(instance, async (client) => {
    await client.query(LISTENING_AUTOMATION, ['1', 'bench.never'])
    await client.query(
      `insert into webhook_endpoints (workspace_id, url, event_types, secret)
       values (1, 'https://example.com/hooks', '{bench.never}', 'not opened: nothing is delivered')`,
    )
  })
}

async function measureUnderLoad(
  instance: Instance,
): Promise<Pick<Pipeline, 'intake' | 'keptUp' | 'lagsSeconds' | 'catchUpMs'>> {
  await post(instance, { ...LOAD, durationMs: LOAD.warmUpMs, warmUpMs: 0 })
  const sampling = new AbortController()
  const first = await scrapeGroups(instance)
  const startedMs = performance.now()
  const samples = sampleGroups(instance, sampling.signal)
  const intake = await post(instance, { ...LOAD, warmUpMs: 0, durationMs: PIPELINE_MS })
  const last = await scrapeGroups(instance)
  const endedMs = performance.now()
  sampling.abort()
  const lagsSeconds = (await samples).map(({ lagSeconds }) => lagSeconds)
  const caughtUp = async () => (await scrapeGroups(instance)).lagSeconds === 0
  await until('the groups to catch up', caughtUp, CATCH_UP_DEADLINE_MS)
  const catchUpMs = performance.now() - endedMs
  return { intake, keptUp: slowest(first, last, endedMs - startedMs), lagsSeconds, catchUpMs }
}

async function sampleGroups(instance: Instance, signal: AbortSignal): Promise<Scrape[]> {
  const samples: Scrape[] = []
  while (!signal.aborted) {
    samples.push(await scrapeGroups(instance))
    await sleep(SAMPLE_EVERY_MS)
  }
  return samples
}

function slowest(first: Scrape, last: Scrape, elapsedMs: number): Pipeline['keptUp'] {
  const rates = [...last.handled].map(([handler, count]) => ({
    handler,
    perSecond: ((count - (first.handled.get(handler) ?? 0)) * 1_000) / elapsedMs,
  }))
  if (rates.length !== 4) throw new Error(`four groups were expected to work, not ${rates.length}`)
  return rates.reduce((least, rate) => (rate.perSecond < least.perSecond ? rate : least))
}

function printPipeline(name: string, pipeline: Pipeline, base: Parameters<typeof ratioLine>[2]): void {
  const { intake, keptUp, lagsSeconds, catchUpMs, rssBytes, warmStartMs } = pipeline
  const lags = percentilesOf(lagsSeconds)
  console.log(ratioLine(name, eventRate(keptUp), base))
  const beside = { name: 'the intake beside it', ...eventRate(intake) }
  console.log(`  ${ratioLine(`the slowest group, ${keptUp.handler}`, eventRate(keptUp), beside)}`)
  console.log(`  intake per request: ${percentilesText(intake.callMs)}`)
  console.log(
    `  lag p99 ${limitText(lags.p99, GOAL_LAG_SECONDS, 's')}; caught up ${Math.round(catchUpMs)} ms after the last event`,
  )
  console.log(`  memory of our process ${limitText(rssBytes / 1e6, GOAL_RSS_MB, 'MB')}`)
  console.log(`  warm start to ready ${limitText(warmStartMs, GOAL_WARM_START_MS, 'ms')}`)
}
