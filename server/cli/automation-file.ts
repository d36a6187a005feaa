import { readFile, writeFile } from 'node:fs/promises'
import { canonicalJson } from '../modules/automations/definition/canonical-json.ts'
import type { Automation } from '../modules/automations/schemas.ts'
import { parseExactJson } from '../platform/json/exact-json.ts'
import { Problem } from '../platform/problem.ts'
import { CommandError } from './command-error.ts'

/**
 * An automation in a file: canonical JSON, so that equal automations are equal files and a difference is one of meaning. One without
 * scenarios says nothing of them.
 */
export type TextForm = {
  id?: string
  name: string
  definition: Record<string, unknown>
  scenarios?: Record<string, unknown>[]
}

const KEYS = ['id', 'name', 'definition', 'scenarios']

export const formOf = ({ id, name, definition, scenarios }: Automation): TextForm => ({
  ...{ id, name, definition, scenarios },
})

/** Keys in one order, a line each. */
export function textOf(automation: Automation): string {
  return `${JSON.stringify(parseExactJson(canonicalJson(formOf(automation))), null, 2)}\n`
}

export async function read(file: string): Promise<TextForm> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read: ${error.code}`)
  })
  let form: unknown
  try {
    form = parseExactJson(text)
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (!isForm(form))
    throw new CommandError(
      `${file} must be {"id", "name", "definition", "scenarios"} and nothing else, as "automation pull" writes it`,
    )
  return form
}

function isForm(form: unknown): form is TextForm {
  if (typeof form !== 'object' || form === null || !Object.keys(form).every((key) => KEYS.includes(key))) return false
  const { id, name, definition, scenarios } = form as Record<string, unknown>
  const isId = id === undefined || (typeof id === 'string' && /^\d{1,18}$/.test(id))
  const isList = scenarios === undefined || Array.isArray(scenarios)
  return isId && isList && typeof name === 'string' && typeof definition === 'object' && definition !== null
}

export async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written: ${error.code}`)
  })
}

/** Faults a line each, with their places in the file; other errors come through as they are. */
export function inWords(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  const faults = error.errors?.map(({ pointer, detail }) => `  ${pointer} ${detail}`) ?? []
  throw new CommandError([error.detail ?? error.message, ...faults].join('\n'))
}
