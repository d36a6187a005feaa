import type { FieldFault } from '../../../lib/problem.ts'
import { nameOf, type Scenario } from './scenario.ts'

const PARTS: Readonly<Record<string, string>> = {
  name: 'its name',
  start: 'its start',
  person: 'the person',
  workspace: 'the workspace',
  given: 'what happens',
  expect: 'what you expect',
}
const POINTER = /^\/scenarios\/(\d+)(?:\/([a-z]+))?(?:\/(\d+))?/i

/** What the server says of what became of a scenario, with steps by what they do, and which of several, where it has their ids. */
export function namedSteps(said: string, nameOf: (step: string) => string): string {
  return said
    .replace(/(\(at )“([^”]+)”(?=, part \d+\))/g, (_, at: string, id: string) => `${at}“${nameOf(id)}”`)
    .replace(/the mail (?:“(?:(?!the mail “).)*?” )?of the step ([\w-]+)/g, (whole, id: string) => {
      const name = nameOf(id)
      return name === id ? whole : `“${name}”`
    })
}

/** `“Is reminded”, what happens, 2: it must not be blank.` Where something is wrong by the words of the page, and what. */
export function scenarioFaultText({ pointer, detail }: FieldFault, scenarios: readonly Scenario[]): string {
  const [, at, part, entry] = POINTER.exec(pointer) ?? []
  const scenario = scenarios[Number(at)]
  const name = at === undefined ? 'Scenarios' : `“${(scenario && nameOf(scenario)) || `Scenario ${Number(at) + 1}`}”`
  const place = [name, PARTS[part ?? ''], entry && String(Number(entry) + 1)].filter((one) => one !== undefined)
  return `${place.join(', ')}: it ${detail}.`
}
