import { type Command, InvalidArgumentError } from 'commander'
import { createSimulation, failSimulation, readSimulation } from '../modules/automations/simulate/manage-simulations.ts'
import { runSimulation, type SimulationDeps } from '../modules/automations/simulate/run-simulation.ts'
import {
  type Simulation,
  type SimulationReport,
  WINDOW_DAYS,
  WINDOW_DAYS_MAX,
} from '../modules/automations/simulate/schemas.ts'
import { walkPeople } from '../modules/automations/simulate/walk-people.ts'
import { missing } from './command-error.ts'
import { type Said, tableOf } from './said.ts'
import { sayingIn, time, type WorkspaceContext } from './saying.ts'

const FAILURE = 'The command that ran it has failed.'

type Given = { id: string; days: number; until?: string; sample: number }

/** Adds what replays past events through a draft. */
export function addSimulate(command: Command): void {
  sayingIn(
    command
      .option('--days <days>', 'how long the window of past events is', days, WINDOW_DAYS)
      .option('--until <time>', 'when the window ends; now by default', time)
      .option('--sample <percent>', 'of all people so many', percent, 100),
    simulate,
  )
}

async function simulate({ pools, caller }: WorkspaceContext, { id, days: n, until, sample }: Given): Promise<Said> {
  const { workspaceId } = caller
  const sql = pools.sql
  const body = { days: n, samplePercent: sample, ...(until === undefined ? {} : { until }) }
  const made = await createSimulation({ sql }, caller, { id, body, byJob: false }).catch(missing(`automation ${id}`))
  const walk: SimulationDeps['walk'] = async (plan, page) => walkPeople(plan, page)
  const key = { workspaceId, id: made.id }
  try {
    await runSimulation({ pool: sql, walk }, key)
  } catch (error) {
    await failSimulation({ sql }, key, FAILURE)
    throw error
  }
  const done = await readSimulation({ sql }, { workspaceId, automationId: id, id: made.id })
  return { text: textOf(done), json: done }
}

function textOf({ report, people, events, from, until, liveVersion, failure }: Simulation): string {
  if (report === null) return failure ?? 'It was canceled.'
  const { draft, live, compared, others, perWeek, traces } = report
  const columns = [
    { is: 'the draft', ...rowOf(draft) },
    ...(live ? [{ is: `version ${liveVersion}`, ...rowOf(live) }] : []),
  ]
  const nodes = draft.nodes
    .filter(({ node }) => node !== '')
    .map(({ node, entered, mails, notices, ways }) => ({
      ...{ node, entered, mails, 'to the team': notices },
      ways: ways.map(({ way, count }) => `${way} ${count}`).join(', '),
    }))
  return [
    `${events} events of ${people.done} people, from ${from} until ${until}`,
    ...gapsOf(report, people),
    '',
    tableOf(columns),
    ...(nodes.length === 0 ? [] : ['', tableOf(nodes)]),
    ...(draft.mails.held.length === 0
      ? []
      : ['', `Held back, of which ${draft.mails.waiting} still wait:`, tableOf(draft.mails.held)]),
    ...(draft.refused.length === 0 ? [] : ['', 'Not let in:', tableOf(draft.refused)]),
    ...(compared === null
      ? []
      : [
          '',
          `Of those mailed ${compared.more.people} get more than now, ${compared.less.people} less, ${compared.other.people} other mail, ${compared.same.people} the same.`,
        ]),
    ...(draft.mails.total === 0
      ? []
      : [
          '',
          `Within a week one of them gets at most ${perWeek.max} mails of all kinds, 95 of 100 at most ${perWeek.p95}.`,
        ]),
    ...(others.length === 0 ? [] : ['', 'What else mails them:', tableOf(others)]),
    ...(draft.assumed.decisions === 0
      ? []
      : [
          '',
          `${draft.assumed.decisions} decisions about ${draft.assumed.people} people rest on values of now, for those of then are not known:`,
          tableOf(draft.assumed.on),
        ]),
    ...(traces.length === 0 ? [] : ['', 'The ways that most go:', tableOf(traces.map(wayOf))]),
  ].join('\n')
}

/** Gaps of the replay, a line each. */
function gapsOf(
  { isPartial, peopleCut, notReplayed }: SimulationReport,
  { total, done }: Simulation['people'],
): string[] {
  return [
    ...(isPartial && (peopleCut === 0 || done < total) ? ['Not everybody was looked at: it took too long.'] : []),
    ...(peopleCut > 0
      ? [`${peopleCut} people have done more than is replayed of one person: part of it is left out.`]
      : []),
    ...(notReplayed.length > 0
      ? [
          `Nobody comes in here by ${notReplayed.map((kind) => TRIGGERS[kind]).join(' or ')}: no event of the past stands for it.`,
        ]
      : []),
  ]
}

const TRIGGERS: Readonly<Record<SimulationReport['notReplayed'][number], string>> = {
  date: 'a date',
  schedule: 'a schedule',
  manual: 'hand',
}

function rowOf({ people, entered, inside, goals, mails, ended }: SimulationReport['draft']) {
  const { p50, p95, max } = mails.perPerson
  return {
    ...{ people, entries: entered, 'still inside': inside, goals, mails: mails.total, mailed: mails.people },
    'p50 / p95 / most': `${p50} / ${p95} / ${max}`,
    ended: ended.map(({ end, count }) => `${end} ${count}`).join(', '),
  }
}

const wayOf = ({ runs, contactId, steps, end }: SimulationReport['traces'][number]) => ({
  ...{ runs, 'such as': contactId },
  way: [...steps.slice(1).map(({ node, way }) => `${node}:${way}`), end ?? '…'].join(' → '),
})

function days(value: string): number {
  const n = Number(value)
  if (Number.isInteger(n) && n >= 1 && n <= WINDOW_DAYS_MAX) return n
  throw new InvalidArgumentError(`A whole number from 1 to ${WINDOW_DAYS_MAX}.`)
}

function percent(value: string): number {
  const n = Number(value)
  if (n >= 0.01 && n <= 100) return n
  throw new InvalidArgumentError('A number from 0.01 to 100.')
}
