import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createPool } from '../server/platform/db/pool.ts'
import { openEmbeddedPostgres } from '../server/platform/postgres/embedded-postgres.ts'
import { startInstance } from '../test/support/instance.ts'
import { silentLog } from '../test/support/silent-log.ts'
import { AutomationBench } from './automation-bench.ts'
import { limitText, percentilesOf, percentilesText, ratioLine } from './measure.ts'

const TOKEN = 'bench-automations-bench-automations-bench'
/** On a busy machine a statement may take longer than the service promises: it shows in the numbers. */
const PATIENCE = 20
/** Ratios, and milliseconds: of a transaction, and of the p99 from event to mail. */
const GOALS = {
  delay: 0.25,
  email: 0.5,
  field: 0.7,
  event: 0.3,
  group: 0.6,
  enrolling: 0.25,
  herd: 0.8,
  slice: 200,
  mailed: 400,
}

/**
 * Steps of automations against what the database does bare, and how soon a mail follows an event. `--people` makes it larger or
 * smaller than 20,000; `--mails` says how many events are timed one by one.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { people: { type: 'string', default: '20000' }, mails: { type: 'string', default: '60' } },
  })
  // Nobody takes a turn but the benchmark.
  await inInstance('web', (bench) => rates(bench, Number(values.people)))
  await inInstance('all', async (bench, baseUrl) => {
    const ms = await bench.mailsAfterEvents({ baseUrl, token: TOKEN, count: Number(values.mails) })
    const spread = percentilesOf(ms)
    console.log(`event acknowledged to mail queued, p99: ${limitText(spread.p99, GOALS.mailed, 'ms')}`)
    console.log(`  ${percentilesText(spread)}`)
  })
}

async function inInstance(
  role: string,
  work: (bench: AutomationBench, baseUrl: string) => Promise<void>,
): Promise<void> {
  const dataDir = path.join(os.tmpdir(), `postroom-bench-automations-${role}-${process.pid}`)
  const instance = await startInstance({ dataDir, env: { ROLE: role, BOOTSTRAP_TOKEN: TOKEN } })
  try {
    const { url } = await openEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog })
    const pool = createPool({ name: 'pgx', url, max: 3, patience: PATIENCE })
    try {
      await work(new AutomationBench(pool), instance.baseUrl)
    } finally {
      await pool.end()
    }
  } finally {
    await instance.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function rates(bench: AutomationBench, people: number): Promise<void> {
  await bench.fill(people)
  const rate = (perSecond: number) => ({ perSecond, unit: 'people' })
  const rest = (to: string) => ({ type: 'delay', minutes: 1, to })
  const last = { type: 'delay', days: 1, to: 'end' }
  const mail = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>', to: 'last' }
  const branch = (rule: object) => ({ type: 'branch', ways: [{ if: { rules: [rule] }, to: 'last' }], else: 'last' })

  // Statements are planned and tables know their sizes once a first automation has gone through the same: what counts is how a service
  // runs that has been running.
  const warming = await bench.automation({ first: rest('last'), last })
  await bench.bareUpdates(warming)
  await bench.step(warming)
  console.log(`warmed by ${people} people who entered an automation, rested, and went on by one step`)
  const delaying = await bench.automation({ first: rest('last'), last })
  const bare = await bench.bareUpdates(delaying)
  const delay = await bench.step(delaying)
  console.log(
    ratioLine('delay to delay', rate(delay.perSecond), {
      ...{ name: 'a bare update .. returning of the same rows', goal: GOALS.delay },
      ...rate(bare),
    }),
  )
  console.log(`  its longest transaction: ${limitText(delay.longestMs, GOALS.slice, 'ms')}`)
  const again = await bench.automation({ first: rest('last'), last })
  const half = await bench.step(again, people / 10)
  const herd = { name: 'the rate of a tenth of them', goal: GOALS.herd, ...rate(half.perSecond) }
  const rush = await bench.step(again, people - half.rows)
  console.log(ratioLine('the others, all due in one second', rate(rush.perSecond), herd))

  const mailing = await bench.automation({ first: rest('mail'), mail, last })
  const planned = await bench.bareMails(mailing)
  const mailed = await bench.step(mailing)
  console.log(
    ratioLine('email', rate(mailed.perSecond), { name: 'plan_messages', goal: GOALS.email, ...rate(planned) }),
  )
  const base = { name: 'delay to delay', ...rate(delay.perSecond) }
  const onField = branch({ field: 'first_name', operator: '=', value: 'Ada' })
  const byField = await bench.step(await bench.automation({ first: rest('ask'), ask: onField, last }))
  console.log(ratioLine('branch on a field', rate(byField.perSecond), { ...base, goal: GOALS.field }))
  const onEvent = branch({ field: 'event:page.viewed', operator: 'performed', value: { withinLastDays: 30 } })
  const byEvent = await bench.step(await bench.automation({ first: rest('ask'), ask: onEvent, last }))
  console.log(ratioLine('branch on an event', rate(byEvent.perSecond), { ...base, goal: GOALS.event }))

  const enrolled = await bench.enrolling()
  const inserted = { name: 'a bare insert of the same rows', goal: GOALS.enrolling, ...rate(enrolled.bare) }
  console.log(ratioLine('enrolled by segment, to their first wait', rate(enrolled.perSecond), inserted))

  const events = (perSecond: number) => ({ perSecond, unit: 'events' })
  const nobody = await bench.groupRate()
  await bench.waiting()
  const many = { name: 'with nobody waiting', goal: GOALS.group, ...events(nobody) }
  const name = `the group with ${people.toLocaleString('en-US')} waiting, a tenth of the events matching`
  console.log(ratioLine(name, events(await bench.groupRate()), many))
}
