import { percentilesOf, percentilesText } from '../../bench/measure.ts'
import { eventBytes, type OfferedEvent } from './offered-events.ts'
import { faultsOf, type Reckoning, type SeenDelivery } from './reckoning.ts'
import type { Replay } from './replay.ts'

const TOP = 8
const NAMES_SHOWN = 3

/** The demo's findings, for a person. */
export function report(replay: Replay, reckoning: Reckoning): string {
  return [
    section('What went in', intake(replay, reckoning)),
    section('What came out', deliveries(replay, reckoning)),
    section('What was tried again', retries(reckoning)),
    section('How long it took', times(replay, reckoning)),
    section('Checks', checks(replay, reckoning)),
  ].join('\n')
}

function intake({ offers, requests, offeredAgain }: Replay, { accepted, refused }: Reckoning): string[] {
  const sizes = accepted.map(({ event }) => eventBytes(event)).sort((a, b) => a - b)
  const range = `${kib(sizes[0])} to ${kib(sizes.at(-1))} each, ${kib(sum(sizes))} in all`
  const reasons = [...Map.groupBy(refused, ({ result }) => result.error ?? '')]
  return [
    count(offers.length, `events offered in ${requests} requests to POST /api/events/batch`),
    count(accepted.length, `accepted (${range}), each durable before the answer`),
    count(refused.length, `refused, each by itself and with its reason:`),
    ...reasons.flatMap(([reason, these]) => [
      `  ${count(these.length, reason)}`,
      `  ${' '.repeat(COUNT_WIDTH)}  ${someOf(these.map(({ event }) => event))}`,
    ]),
    count(offeredAgain, 'events offered once more under the same ids, as after a lost answer: nothing new recorded'),
  ]
}

function deliveries({ arrivals }: Replay, reckoning: Reckoning): string[] {
  const types = [...Map.groupBy(reckoning.arrived, ({ delivery }) => delivery.type)]
    .map(([type, these]) => ({ type, times: these.length }))
    .sort((a, b) => b.times - a.times)
  const verified = arrivals.length - reckoning.unverified
  const { foreign } = reckoning
  return [
    count(reckoning.arrived.length, `deliveries taken, of ${types.length} event types, most often:`),
    ...types.slice(0, TOP).map(({ type, times }) => `  ${count(times, type)}`),
    count(verified, `of ${arrivals.length} signatures verified by the official standardwebhooks library`),
    ...(foreign.length > 0 ? [count(foreign.length, 'deliveries of other events of this workspace')] : []),
  ]
}

function retries({ retried }: Reckoning): string[] {
  const ways = [...Map.groupBy(retried, ({ tries }) => tries[0]?.turnedAway ?? '')]
  const waits = retried.flatMap(({ tries: [first, second] }) =>
    first && second ? [(second.arrivedAtMs - first.arrivedAtMs) / 1_000] : [],
  )
  const between = `${Math.min(...waits).toFixed(1)} to ${Math.max(...waits).toFixed(1)} s`
  return [
    count(retried.length, 'first tries were turned away on purpose by the receiver, which'),
    ...ways.map(([way, these]) => `  ${count(these.length, way)}`),
    ...(waits.length > 0 ? [count(waits.length, `came again under the same webhook-id after ${between}`)] : []),
  ]
}

function times({ startedAtMs, intakeMs, arrivals }: Replay, { arrived }: Reckoning): string[] {
  const firstTryMs = ({ tries }: SeenDelivery) => tries[0]?.arrivedAtMs ?? Number.NaN
  const firsts = arrived.map(({ delivery }) => firstTryMs(delivery) - startedAtMs)
  const latencies = arrived.map(({ offer, delivery }) => firstTryMs(delivery) - offer.offeredAtMs)
  const lastMs = (arrivals.at(-1)?.arrivedAtMs ?? Number.NaN) - startedAtMs
  return [
    'From the beginning of the first request, all events in one burst:',
    `first delivery      after ${ms(Math.min(...firsts))}`,
    `all events durable  after ${ms(intakeMs)}`,
    `all tried once      after ${ms(Math.max(...firsts))}`,
    `all delivered       after ${ms(lastMs)}, what was turned away having waited`,
    `event to delivery   ${percentilesText(percentilesOf(latencies))} (from its request to its first try)`,
  ]
}

function checks({ log }: Replay, reckoning: Reckoning): string[] {
  const { accepted, missing, doubled, repeated, misreported, unverified } = reckoning
  const attempts = sum(log.map((delivery) => delivery.attempts))
  const check = (faults: number, text: string) =>
    `${faults === 0 ? 'ok    ' : 'FAILED'}  ${text}${faults ? `: ${faults} are not` : ''}`
  return [
    check(missing.length, `all ${accepted.length} accepted events arrived, exactly as they were sent`),
    ...missing.slice(0, NAMES_SHOWN).map(({ event }) => `          missing ${event.action} (${event.id})`),
    check(doubled.length, 'no event arrived under a second webhook-id'),
    check(repeated.length, 'no delivery was sent again after it had been taken'),
    check(unverified, 'every signature is right'),
    check(misreported.length, `the delivery log agrees: ${log.length} deliveries, ${attempts} attempts`),
    '',
    faultsOf(reckoning) === 0 ? 'Nothing was lost, nothing was doubled.' : 'Something is wrong: see above.',
  ]
}

const COUNT_WIDTH = 5

function count(n: number, what: string): string {
  return `${String(n).padStart(COUNT_WIDTH)}  ${what}`
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), ''].join('\n')
}

function someOf(events: readonly OfferedEvent[]): string {
  const names = [...new Set(events.map(({ action }) => action))]
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return names.length > NAMES_SHOWN ? `${shown}, …` : shown
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function kib(bytes = 0): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

function ms(value: number): string {
  if (!Number.isFinite(value)) return 'never'
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`
}
