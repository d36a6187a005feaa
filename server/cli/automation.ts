import { Command, Option } from 'commander'
import { readAutomation, readAutomations } from '../modules/automations/definition/read-automations.ts'
import { pauseAutomation, resumeAutomation } from '../modules/automations/definition/steer-automation.ts'
import type { Automation } from '../modules/automations/schemas.ts'
import { readCounts } from '../modules/automations/seeing/counts.ts'
import { explainContact } from '../modules/automations/seeing/explain.ts'
import { FAULT_WORDS, findFaults } from '../modules/automations/seeing/find-faults.ts'
import type { Counts } from '../modules/automations/seeing/schemas.ts'
import { addTextForm } from './automation-text.ts'
import { addBackfill } from './backfill-automation.ts'
import { missing } from './command-error.ts'
import { listed, type Said, tableOf } from './said.ts'
import { idShownBy, saying, sayingIn, type WorkspaceContext } from './saying.ts'
import { addSimulate } from './simulate-automation.ts'
import { addTest } from './test-automation.ts'
import type { CommandContext } from './with-database.ts'

const LISTED_MAX = 500

type OneAutomation = { id: string }

export function automationCommand(): Command {
  const command = new Command('automation').description('automations and the people in them')
  const one = (name: string, description: string) =>
    command.command(name).description(description).argument('<id>', 'the automation', idShownBy('automation list'))

  sayingIn(command.command('list').description('list the automations of a workspace'), listAutomations)
  sayingIn(one('show', 'show how many came to each node, stand there, went on and ended there'), showAutomation)
  sayingIn(
    one('pause', 'hold everybody inside, and all mail of it; nobody is lost'),
    async (context, { id }: OneAutomation) =>
      steered(await pauseAutomation(sqlOf(context), context.caller, id).catch(missing(`automation ${id}`))),
  )
  sayingIn(
    one('resume', 'let everybody inside go on').addOption(
      new Option('--late <how>', 'what becomes of timers: shift puts them off by the pause, now does what is due')
        .choices(['shift', 'now'])
        .default('shift'),
    ),
    async (context, { id, late }: OneAutomation & { late: 'shift' | 'now' }) =>
      steered(await resumeAutomation(sqlOf(context), context.caller, { id, late }).catch(missing(`automation ${id}`))),
  )
  sayingIn(
    one('explain', 'tell why a contact is in an automation or not, and what comes next').argument(
      '<contact>',
      'the contact',
      idShownBy('message list <address> --json'),
    ),
    explainOne,
  )
  addTextForm(command)
  addTest(command)
  addSimulate(
    one('simulate', 'replay past events through the draft, and tell what it would have done; nobody is mailed'),
  )
  addBackfill(one('backfill', 'have past events of its triggers go through the entry, or count them'))
  saying(
    command
      .command('doctor')
      .description('prove that everybody in every automation is where the sums say, and will go on'),
    findAllFaults,
  )
  return command
}

const sqlOf = ({ pools }: CommandContext) => ({ sql: pools.sql })

async function listAutomations({ pools, caller }: WorkspaceContext): Promise<Said> {
  const page = { page: 1, pageSize: LISTED_MAX }
  const { items, total } = await readAutomations(pools.sql, caller.workspaceId, { filter: {}, page })
  const row = ({ id, name, status, publishedVersion }: Automation) => ({ id, name, status, publishedVersion })
  return listed(items, { row, empty: 'There is no automation.', total })
}

function steered(automation: Automation): Said {
  return { text: `${automation.name}: ${automation.status}`, json: automation }
}

async function explainOne({ pools, caller }: WorkspaceContext, { id, contact }: OneAutomation & { contact: string }) {
  const key = { workspaceId: caller.workspaceId, id }
  await readAutomation(pools.sql, key).catch(missing(`automation ${id}`))
  const told = await explainContact(pools.sql, { ...key, seesValues: true }, contact).catch(
    missing(`contact ${contact}`),
  )
  return { text: told.story.join('\n'), json: told }
}

async function findAllFaults({ pools }: CommandContext): Promise<Said> {
  const found = (await findFaults(pools.sql)).map((count) => ({ ...count, is: FAULT_WORDS[count.fault] }))
  const isFaulty = found.some(({ found: n }) => n > 0)
  return { text: tableOf(found), json: found, fault: isFaulty ? 'not everybody is where they should be' : undefined }
}

async function showAutomation({ pools, caller }: WorkspaceContext, { id }: OneAutomation): Promise<Said> {
  const key = { workspaceId: caller.workspaceId, id }
  const automation = await readAutomation(pools.sql, key).catch(missing(`automation ${id}`))
  const counts = await readCounts(pools.sql, key)
  return { text: textOf(automation, counts), json: { ...automation, counts } }
}

function textOf({ name, status, publishedVersion }: Automation, counts: Counts): string {
  const version = publishedVersion === null ? 'never published' : `version ${publishedVersion} in force`
  const rows = counts.nodes.map(({ version: of, node, ways, ...numbers }) => ({
    ...{ version: of, node, ...numbers },
    ways: ways.map(({ way, count }) => `${way} ${count}`).join(', '),
  }))
  return [
    `${name}: ${status}, ${version}`,
    `${counts.entered} came in, ${counts.heldOut} of them held out; ${counts.inside} are inside`,
    '',
    rows.length === 0 ? 'Nobody has come in.' : tableOf(rows),
    ...(counts.refused.length === 0 ? [] : ['', 'Not let in:', tableOf(counts.refused)]),
  ].join('\n')
}
