import type { Command } from 'commander'
import { unprocessable } from '../catalogue/problems.ts'
import { canonicalJson } from '../modules/automations/definition/canonical-json.ts'
import { readAutomation } from '../modules/automations/definition/read-automations.ts'
import { readDefinition } from '../modules/automations/definition/read-definition.ts'
import { scenarioJob } from '../modules/automations/scenarios/run-scenarios.ts'
import { createScenarioPlayer } from '../modules/automations/scenarios/scenario-player.ts'
import type { ScenarioResult } from '../modules/automations/scenarios/schemas.ts'
import { soundScenarios } from '../modules/automations/scenarios/sound-scenarios.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { inWords, read, type TextForm } from './automation-file.ts'
import { missing } from './command-error.ts'
import type { Said } from './said.ts'
import { sayingIn, type WorkspaceContext } from './saying.ts'

/** A file that makes a new automation has no id yet: only its own unsubscribes would name it. */
const NEW_ID = '0'

/** Adds the command that plays the scenarios of an automation, of the server's draft or of a file. */
export function addTest(command: Command): void {
  sayingIn(
    command
      .command('test')
      .description('play the scenarios of an automation; fails where one is not told as it is written')
      .argument('<what>', 'a file as pull has written it, or the id of an automation for its draft'),
    test,
  )
}

export async function test({ pools, caller }: WorkspaceContext, { what }: { what: string }): Promise<Said> {
  const { workspaceId } = caller
  const form: TextForm = /^\d{1,18}$/.test(what)
    ? await readAutomation(pools.sql, { workspaceId, id: what }).catch(missing(`automation ${what}`))
    : await read(what)
  const text = soundForm(form)
  const key = { workspaceId, id: form.id ?? NEW_ID }
  const job = await inTransaction(pools.sql, workspaceId, (tx) => scenarioJob(tx, key, text))
  const results = await createScenarioPlayer()(job).catch(inWords)
  const failed = results.filter(({ passed }) => !passed).length
  return {
    text: [...results.flatMap(linesOf), summaryOf(results.length, failed)].join('\n'),
    json: { passed: failed === 0, items: results },
    fault: failed === 0 ? undefined : `${form.name}: ${failed} of ${results.length} scenarios fail`,
  }
}

/** The texts of its parts. Throws what is wrong with them, in words. */
function soundForm({ definition, scenarios = [] }: TextForm): { draft: string; scenarios: string } {
  try {
    const { faults } = readDefinition(definition)
    if (faults.length > 0) throw unprocessable(faults)
    return { draft: canonicalJson(definition), scenarios: soundScenarios(scenarios) }
  } catch (error) {
    return inWords(error)
  }
}

const summaryOf = (all: number, failed: number) =>
  all === 0 ? 'It has no scenarios.' : `${all - failed} of ${all} scenarios are told as they are written`

/** A scenario, and where it fails all that was expected (-) and seen (+), as a diff has it. */
function linesOf({ name, passed, fault, lines, skipped, steps, startedAt }: ScenarioResult): string[] {
  if (passed) return [`ok   ${name}`]
  if (fault !== null) return [`FAIL ${name}`, `     cannot be played: ${fault}`]
  const at = (moment: string | null) => (moment === null ? '' : `  ${moment} (${sinceStart(startedAt, moment)})`)
  const diff = lines.flatMap(({ outcome, kind, what, expectedAt, seenAt }) => {
    const said = `${kind} ${what}`
    if (outcome === 'met') return [`       ${said}${at(seenAt)}`]
    return [
      ...(outcome === 'unexpected' ? [] : [`     - ${said}${at(expectedAt)}`]),
      ...(outcome === 'missing' ? [] : [`     + ${said}${at(seenAt)}`]),
    ]
  })
  const mails = skipped.map(({ node, reason }) => `     not mailed at ${node}: ${reason}`)
  const way = steps.map(({ node, way: by }) => (node === '' ? by : `${node} (${by})`)).join(' > ')
  return [`FAIL ${name}`, ...diff, ...mails, `     way: ${way === '' ? 'never came in' : way}`]
}

/** As long after the beginning as `2 d 3 h`. */
function sinceStart(startedAt: string, moment: string): string {
  const minutes = Math.round((Date.parse(moment) - Date.parse(startedAt)) / 60_000)
  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor((minutes % 1_440) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const
  const told = parts.flatMap(([n, unit]) => (n > 0 ? [`${n} ${unit}`] : []))
  return told.length === 0 ? 'at once' : `after ${told.join(' ')}`
}
