import { Command } from 'commander'
import { readAutomation, readAutomations } from '../modules/automations/definition/read-automations.ts'
import { pauseAutomation, resumeAutomation } from '../modules/automations/definition/steer-automation.ts'
import { readCounts } from '../modules/automations/seeing/counts.ts'
import { explainContact } from '../modules/automations/seeing/explain.ts'
import { type AutomationFault, findFaults } from '../modules/automations/seeing/find-faults.ts'
import { operator } from './operator.ts'
import { CommandError, missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

const LISTED_MAX = 500
const FAULTS: Record<AutomationFault, string> = {
  sums: 'nodes at which more or fewer stand than their totals say',
  untimed: 'people inside whom nothing will move on',
  overdue: 'steps that are due for over a minute and not done: no worker runs, or it cannot keep up',
  unlooked: 'people who wait for over a minute to be looked after',
}

export function automationCommand(): Command {
  const command = new Command('automation').description('automations and the people in them')
  command
    .command('list')
    .description('list the automations of a workspace')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action(listAutomations)
  command
    .command('show <id>')
    .description('show how many came to each node, stand there, went on and ended there')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((id: string, options: InWorkspace) => withAutomation({ id, ...options }, showAutomation))
  command
    .command('pause <id>')
    .description('hold everybody inside, and all mail of it; nobody is lost')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((id: string, options: InWorkspace) =>
      withAutomation({ id, ...options }, async (sql, key) => {
        const { name, status } = await pauseAutomation({ sql }, operator(key.workspaceId), key.id)
        console.log(`${name}: ${status}`)
      }),
    )
  command
    .command('resume <id>')
    .description('let everybody inside go on')
    .option('--workspace <slug>', 'the workspace', 'default')
    .option('--late <how>', 'what becomes of timers: shift puts them off by the pause, now does what is due', 'shift')
    .action((id: string, { late, ...options }: InWorkspace & { late: string }) =>
      withAutomation({ id, ...options }, async (sql, key) => {
        if (late !== 'shift' && late !== 'now') throw new CommandError('--late must be shift or now')
        const { name, status } = await resumeAutomation({ sql }, operator(key.workspaceId), { id: key.id, late })
        console.log(`${name}: ${status}`)
      }),
    )
  command
    .command('explain <id> <contact>')
    .description('tell why a contact is in an automation or not, and what comes next')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((id: string, contact: string, options: InWorkspace) =>
      withAutomation({ id, ...options }, async (sql, key) => {
        requireId(contact)
        const told = await explainContact(sql, key, contact).catch(missing(`contact ${contact}`))
        for (const sentence of told.story) console.log(sentence)
      }),
    )
  command
    .command('doctor')
    .description('prove that everybody in every automation is where the sums say, and will go on')
    .action(() =>
      withDatabase(async ({ pools }) => {
        const found = (await findFaults(pools.sql)).map(({ fault, found: n }) => ({
          fault,
          found: n,
          is: FAULTS[fault],
        }))
        printTable(found, '')
        if (found.some(({ found: n }) => n > 0)) throw new CommandError('not everybody is where they should be')
      }),
    )
  return command
}

type InWorkspace = { workspace: string }
type Sql = Parameters<typeof readAutomation>[0]
type Key = Parameters<typeof readAutomation>[1]

function listAutomations({ workspace }: InWorkspace): Promise<void> {
  return withDatabase(async ({ pools }) => {
    const workspaceId = await workspaceIdOf(pools.sql, workspace)
    const page = { page: 1, pageSize: LISTED_MAX }
    const { items } = await readAutomations(pools.sql, workspaceId, { filter: {}, page })
    const rows = items.map(({ id, name, status, publishedVersion }) => ({ id, name, status, publishedVersion }))
    printTable(rows, 'There is no automation.')
  })
}

function withAutomation(
  { id, workspace }: InWorkspace & { id: string },
  work: (sql: Sql, key: Key) => Promise<void>,
): Promise<void> {
  return withDatabase(async ({ pools }) => {
    requireId(id)
    const key = { workspaceId: await workspaceIdOf(pools.sql, workspace), id }
    await readAutomation(pools.sql, key).catch(missing(`automation ${id}`))
    await work(pools.sql, key)
  })
}

async function showAutomation(sql: Sql, key: Key): Promise<void> {
  const [{ name, status, publishedVersion }, counts] = await Promise.all([
    readAutomation(sql, key),
    readCounts(sql, key),
  ])
  const version = publishedVersion === null ? 'never published' : `version ${publishedVersion} in force`
  console.log(`${name}: ${status}, ${version}`)
  console.log(`${counts.entered} came in, ${counts.heldOut} of them held out; ${counts.inside} are inside\n`)
  const rows = counts.nodes.map(({ version: of, node, ways, ...numbers }) => ({
    ...{ version: of, node, ...numbers },
    ways: ways.map(({ way, count }) => `${way} ${count}`).join(', '),
  }))
  printTable(rows, 'Nobody has come in.')
  if (counts.refused.length === 0) return
  console.log('\nNot let in:')
  printTable(counts.refused, '')
}

function requireId(id: string): void {
  if (!/^\d{1,18}$/.test(id)) throw new CommandError(`not an id: ${id}`)
}
